#pragma once
#include <cstdint>
#include <utility>
#include <vector>

#include "models/memory.hpp"
#include "models/rcu.hpp"
#include "sim/check.hpp"
#include "sim/core.hpp"

namespace forksim {

/// rcu_sync (kernel/rcu/sync.c): tells readers whether writers may be about, so that they need no barrier while not.
///
///     IDLE --enter, grace period--> PASSED --last exit--> EXIT --grace period--> IDLE
///                                      ^                   | exit after another enter
///                                      +--somebody is in---+--> REPLAY --grace period--> EXIT
///
/// Only the first to enter an idle one waits for a grace period, and those that come meanwhile wait for it.
class RcuSync {
  public:
    /// `permanent`: somebody has entered for ever (favordynmods).
    RcuSync(std::uint32_t instance, bool permanent) : instance_(instance) {
        if (!permanent) return;
        count_ = 1;
        state_ = State::passed;
    }

    /// Readers may take the fast path.
    bool is_idle() const { return state_ == State::idle; }

    enum class Entry : std::uint8_t {
        go_on,
        wait_for_grace_period,  ///< sleep; then passed()
        wait_for_first,         ///< sleep until woken by passed()
    };
    template <class C>
    Entry enter(C& core, Rcu& rcu, Task t) {
        ++count_;
        if (state_ == State::idle) {
            state_ = State::entering;
            rcu.wait(core, t);
            return Entry::wait_for_grace_period;
        }
        if (state_ != State::entering) return Entry::go_on;
        sleepers_.push_back(t);
        return Entry::wait_for_first;
    }

    /// The first to enter is back: returns whom it has to wake.
    std::vector<Task> passed() {
        state_ = State::passed;
        return std::exchange(sleepers_, {});
    }

    template <class C>
    void exit(C& core, Rcu& rcu) {
        FORKSIM_CHECK(count_ > 0, "rcu_sync_exit() without rcu_sync_enter()");
        if (--count_ > 0) return;
        if (state_ == State::passed) {
            state_ = State::exiting;
            rcu.call_for_lock(core, instance_);
        } else if (state_ == State::exiting) {
            state_ = State::replay;
        }
    }

    /// rcu_sync_func(), a grace period after exit().
    template <class C>
    void grace_period_over(C& core, Rcu& rcu) {
        if (count_ > 0) {
            state_ = State::passed;
        } else if (state_ == State::replay) {
            state_ = State::exiting;
            rcu.call_for_lock(core, instance_);
        } else {
            state_ = State::idle;
        }
    }

  private:
    enum class State : std::uint8_t { idle, entering, passed, exiting, replay };

    std::uint32_t instance_;
    State state_ = State::idle;
    std::uint32_t count_ = 0;     // those that have entered and not left
    std::vector<Task> sleepers_;  // wait for the first one's grace period
};

}  // namespace forksim
