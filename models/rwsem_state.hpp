#pragma once
#include <cstdint>
#include <vector>

#include "models/memory.hpp"
#include "models/task_queue.hpp"
#include "sim/core.hpp"

namespace forksim {

/// What the words of a rw_semaphore say, and its list of sleepers: the parts of kernel/locking/rwsem.c that nobody
/// waits in.
struct RwsemState {
    enum class Wake : std::uint8_t { any, read_owned };
    static constexpr std::uint32_t most_woken = 256;  ///< MAX_READERS_WAKEUP

    explicit RwsemState(Time after) : handoff_after(after) {}

    Time handoff_after;
    Task writer = no_task;
    std::uint32_t readers = 0;   ///< reader biases in the count: also of those that are about to give up
    bool reader_owned = false;   ///< RWSEM_READER_OWNED: the last owner was a reader
    bool nonspinnable = false;   ///< RWSEM_NONSPINNABLE
    bool handoff = false;        ///< RWSEM_FLAG_HANDOFF
    Task handoff_for = no_task;  ///< the waiter that has set it
    TaskQueue sleepers;          ///< also writers that are awake and have not taken it yet

    bool is_free() const { return writer == no_task && readers == 0; }
    /// Nothing keeps a reader out whose bias is in the count.
    bool lets_readers_in() const { return writer == no_task && sleepers.empty() && !handoff; }
    /// The first in the list has set HANDOFF, and it is not `t`.
    bool is_reserved_for_another(Task t) const {
        return handoff && handoff_for == sleepers.front() && handoff_for != t;
    }

    void own(Task t) {
        writer = t;
        reader_owned = nonspinnable = false;
    }
    void disown() {
        writer = no_task;
        reader_owned = nonspinnable = false;
    }
    void set_handoff() {
        handoff = true;
        handoff_for = sleepers.front();
    }

    /// `t` joins the list, with the wait_lock.
    void join(std::vector<Wait>& waits, Task t, Time now) {
        waits[t].linked = now + handoff_after;
        sleepers.push(waits, t);
    }

    /// Whom to wake: one writer, or readers that are in, linked through Wait::next.
    struct Chain {
        Task first = no_task;  ///< of a chain of those that sleep: who is awake will see by itself that it is in
        bool empty = true;     ///< not even one that is awake
    };

    /// rwsem_cond_wake_waiter(): a newcomer to the list wakes those in front of it if nobody writes.
    Chain wake_by_newcomer(std::vector<Wait>& waits, Time now) {
        if (writer != no_task) return {};
        if (readers == 0) nonspinnable = false;
        if (readers > 0 && waits[sleepers.front()].mode != AcquireMode::read) return {};
        return mark_wake(waits, now, Wake::any);
    }

    /// rwsem_mark_wake(), with the wait_lock: grants what can be granted and returns the chain to wake, which is one
    /// writer, not granted, or readers.
    Chain mark_wake(std::vector<Wait>& waits, Time now, Wake type) {
        const Task first = sleepers.front();
        if (first == no_task) return {};
        if (waits[first].mode != AcquireMode::read) return type == Wake::any ? Chain{first, false} : Chain{};
        if (writer != no_task) {
            if (now > waits[first].linked) set_handoff();
            return {};
        }
        reader_owned = true;
        TaskQueue chain;
        std::uint32_t woken = 0;
        for (Task t = first; t != no_task && woken < most_woken;) {
            const Task behind = waits[t].next;
            if (waits[t].mode == AcquireMode::read) {
                sleepers.remove(waits, t);
                if (waits[t].asleep) chain.push(waits, t);
                waits[t].given = true;
                ++readers;
                ++woken;
            }
            t = behind;
        }
        handoff = false;
        return {chain.front(), false};
    }
};

}  // namespace forksim
