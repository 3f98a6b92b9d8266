#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "sim/check.hpp"
#include "sim/time.hpp"

namespace forksim {

/// Names one entry of a TimerHeap; stays harmless after the entry is gone. A default one names nothing.
struct TimerHandle {
    std::uint32_t slot = ~std::uint32_t{0};
    std::uint32_t generation = 0;
    bool operator==(const TimerHandle&) const = default;
};

/// Any number of pending timers in a 4-ary heap, ordered by (time, tie key, order of insertion).
///
/// The heap is indexed: every entry knows its place, so cancel() removes it at once, in O(log n), and
/// frees its payload and slot. Memory is that of the largest number ever pending. Payload must be
/// movable and default constructible.
template <class Payload>
class TimerHeap {
  public:
    /// Adds a timer. Among timers of the same time, the smaller `tie` goes first, then the earlier push.
    TimerHandle push(Time at, std::uint64_t tie, Payload payload) {
        std::uint32_t slot;
        if (free_.empty()) {
            slot = static_cast<std::uint32_t>(slots_.size());
            slots_.push_back({std::move(payload), 0, 0});
        } else {
            slot = free_.back();
            free_.pop_back();
            slots_[slot].payload = std::move(payload);
        }
        heap_.push_back({});
        sift_up(heap_.size() - 1, {at, tie, pushed_++, slot});
        return {slot, slots_[slot].generation};
    }

    /// Removes a timer. Returns false, and does nothing, if it was popped or cancelled before.
    bool cancel(TimerHandle handle) {
        if (!pending(handle)) return false;
        remove(slots_[handle.slot].position);
        return true;
    }

    /// Whether the timer is still in the heap.
    bool pending(TimerHandle handle) const {
        return handle.slot < slots_.size() && slots_[handle.slot].generation == handle.generation &&
               slots_[handle.slot].position < heap_.size() && heap_[slots_[handle.slot].position].slot == handle.slot;
    }

    /// When the first timer is due, or never.
    Time next_time() const { return heap_.empty() ? Time::never() : heap_.front().at; }

    /// The payload of the first timer. REQUIRES !empty().
    const Payload& top() const {
        FORKSIM_CHECK(!heap_.empty(), "no timer");
        return slots_[heap_.front().slot].payload;
    }

    /// Removes the first timer and returns its payload. REQUIRES !empty().
    Payload pop() {
        FORKSIM_CHECK(!heap_.empty(), "no timer");
        Payload payload = std::move(slots_[heap_.front().slot].payload);
        remove(0);
        return payload;
    }

    bool empty() const { return heap_.empty(); }
    std::size_t size() const { return heap_.size(); }

  private:
    struct Entry {
        Time at;
        std::uint64_t tie;
        std::uint64_t order;  // counts pushes
        std::uint32_t slot;

        bool before(const Entry& other) const {
            if (at != other.at) return at < other.at;
            if (tie != other.tie) return tie < other.tie;
            return order < other.order;
        }
    };
    struct Slot {
        Payload payload;
        std::size_t position;      // in heap_; meaningless while the slot is free
        std::uint32_t generation;  // how often the slot was freed
    };

    void place(std::size_t position, const Entry& entry) {
        heap_[position] = entry;
        slots_[entry.slot].position = position;
    }

    void sift_up(std::size_t position, Entry entry) {
        while (position > 0) {
            const std::size_t parent = (position - 1) / 4;
            if (!entry.before(heap_[parent])) break;
            place(position, heap_[parent]);
            position = parent;
        }
        place(position, entry);
    }

    void sift_down(std::size_t position, Entry entry) {
        for (;;) {
            const std::size_t first = 4 * position + 1;
            if (first >= heap_.size()) break;
            std::size_t least = first;
            for (std::size_t child = first + 1; child < std::min(first + 4, heap_.size()); ++child) {
                if (heap_[child].before(heap_[least])) least = child;
            }
            if (!heap_[least].before(entry)) break;
            place(position, heap_[least]);
            position = least;
        }
        place(position, entry);
    }

    void remove(std::size_t position) {
        const std::uint32_t slot = heap_[position].slot;
        const Entry last = heap_.back();
        heap_.pop_back();
        if (position < heap_.size()) {
            if (position > 0 && last.before(heap_[(position - 1) / 4])) {
                sift_up(position, last);
            } else {
                sift_down(position, last);
            }
        }
        slots_[slot].payload = {};
        ++slots_[slot].generation;
        free_.push_back(slot);
    }

    std::vector<Entry> heap_;
    std::vector<Slot> slots_;
    std::vector<std::uint32_t> free_;
    std::uint64_t pushed_ = 0;
};

}  // namespace forksim
