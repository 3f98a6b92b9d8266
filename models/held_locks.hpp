#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

#include "models/spec.hpp"
#include "sim/core.hpp"
#include "sim/time.hpp"

namespace forksim {

/// A lock that a task holds, or a read section of a seqcount that it is in.
struct Held {
    std::uint32_t lock = 0;
    std::uint32_t instance = 0;
    std::uint32_t number = 0;  ///< of a seqcount, when the read section began
    std::uint16_t site = 0;
    AcquireMode mode{};
    Time since;
};

/// What each task holds, in the order in which it took it; side by side, as long as the deepest nesting takes.
class HeldLocks {
  public:
    /// Makes room for tasks up to `t`.
    void reserve(Task t) {
        if (t < counts_.size()) return;
        counts_.resize(t + 1);
        held_.resize(counts_.size() * depth_);
    }
    std::uint32_t count(Task t) const { return counts_[t]; }
    /// The `i`-th oldest. REQUIRES i < count(t).
    const Held& at(Task t, std::uint32_t i) const { return held_[t * depth_ + i]; }

    void push(Task t, const Held& held) {
        if (counts_[t] == depth_) nest_deeper();
        held_[t * depth_ + counts_[t]++] = held;
    }
    /// What `t` took last of a lock, or nullptr.
    const Held* last(Task t, std::uint32_t lock) const {
        const Held* const first = held_.data() + t * depth_;
        for (const Held* held = first + counts_[t]; held-- > first;)
            if (held->lock == lock) return held;
        return nullptr;
    }
    /// REQUIRES that `held` is something that `t` holds.
    void remove(Task t, const Held* held) {
        const std::size_t from = static_cast<std::size_t>(held - held_.data());
        const std::size_t end = t * depth_ + counts_[t]--;
        for (std::size_t i = from + 1; i < end; ++i) held_[i - 1] = held_[i];
    }

  private:
    void nest_deeper() {
        std::vector<Held> longer(2 * held_.size());
        for (std::size_t t = 0; t < counts_.size(); ++t)
            std::copy_n(&held_[t * depth_], depth_, &longer[2 * t * depth_]);
        held_.swap(longer);
        depth_ *= 2;
    }

    std::size_t depth_ = 4;
    std::vector<std::uint32_t> counts_;  // by task
    std::vector<Held> held_;             // [task * depth + number]
};

}  // namespace forksim
