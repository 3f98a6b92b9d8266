#pragma once
#include <cstdint>
#include <vector>

#include "sim/core.hpp"
#include "sim/inline.hpp"
#include "sim/time_vectors.hpp"

namespace forksim {

/// Kinds of time on a critical path that belong to no site.
enum class PathTime : std::uint8_t { user, kernel, context_switch, wake_up, interrupt, asleep };
inline constexpr std::uint32_t path_time_count = 6;

/// What a task waited for until another one ended the wait.
enum class Awaited : std::uint8_t {
    resource,  ///< spinning
    event,     ///< asleep: for a resource, a completion, a grace period
    cpu,
};

/// Carries with each task, in whole picoseconds, how much of its past since the window opened lies on the
/// critical path: per site as hold, lines and hand-off, and the kinds of PathTime. The parts of a task sum
/// exactly to mark(t) - start. A task that waited takes over the vector of whoever ended the wait.
///
/// Charges may run ahead of the clock: an op is charged when it begins, and mark() is when it ends.
class CriticalPath {
  public:
    explicit CriticalPath(std::uint32_t sites) : vectors_(path_time_count + 3 * std::size_t{sites}) {}

    static constexpr std::uint32_t component(PathTime kind) { return static_cast<std::uint32_t>(kind); }
    /// REQUIRES hold, lines or handoff.
    static constexpr std::uint32_t component(std::uint32_t site, Part part) {
        return path_time_count + 3 * site + static_cast<std::uint32_t>(part);
    }

    /// Makes room for tasks up to `t`.
    void reserve(Task t) { vectors_.reserve(t, start_); }

    /// Charges the time from mark(t) to `until` to a component. `until` before mark(t) takes time back.
    FORKSIM_INLINE void charge(Task t, std::uint32_t component, Time until) { vectors_.charge(t, component, until); }

    /// `t` takes over the past of `cause`, as of `now`.
    void inherit(Task t, Task cause, Time now) {
        if (t == cause) return;
        vectors_.copy(t, cause);
        if (mark(t) != now) charge(t, component(PathTime::kernel), now);
    }
    /// `t` has waited, and `cause` has ended that; no_task if time alone did.
    void wait_over(Task t, Task cause, Awaited /*what*/, Time now) {
        if (cause != no_task) inherit(t, cause, now);
    }

    Time mark(Task t) const { return vectors_.mark(t); }

    /// Forgets the past: every vector starts anew at `now`. What was charged beyond it is charged again by
    /// `charge_again(task, until)`.
    template <class F>
    void restart(Time now, F charge_again) {
        start_ = now;
        for (Task t = 0; t < vectors_.tasks(); ++t) {
            const Time until = mark(t);
            vectors_.clear(t, now);
            if (until > now) charge_again(t, until);
        }
    }

    Time start() const { return start_; }

    /// `t` has counted: remembers its vector as it is now, the only one that the record shows.
    void counted(Task t) { vectors_.assign(kept_, t); }
    /// By component, in ps; all zero if nobody has counted.
    std::vector<std::int64_t> kept() const { return vectors_.spread(kept_); }

  private:
    TimeVectors vectors_;
    Time start_{};
    TimeVectors::Row kept_;
};

}  // namespace forksim
