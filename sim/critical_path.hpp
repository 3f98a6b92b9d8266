#pragma once
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include "sim/core.hpp"

namespace forksim {

/// Kinds of time on a critical path that belong to no site.
enum class PathTime : std::uint8_t { user, kernel, context_switch, wake_up, interrupt, asleep };
inline constexpr std::uint32_t path_time_count = 6;

/// Carries with each task, in whole picoseconds, how much of its past since the window opened lies on the
/// critical path: per site as hold, lines and hand-off, and the kinds of PathTime. The parts of a task sum
/// exactly to mark(t) - start. A task that waited takes over the vector of whoever ended the wait.
///
/// Charges may run ahead of the clock: an op is charged when it begins, and mark() is when it ends.
class CriticalPath {
  public:
    CriticalPath(std::uint32_t sites) : stride_(path_time_count + 3 * sites) {}

    std::uint32_t components() const { return stride_; }
    static std::uint32_t component(PathTime kind) { return static_cast<std::uint32_t>(kind); }
    static std::uint32_t component(std::uint32_t site, Part part) {
        return path_time_count + 3 * site + static_cast<std::uint32_t>(part);
    }

    /// Makes room for tasks up to `t`.
    void reserve(Task t) {
        if (t < marks_.size()) return;
        marks_.resize(t + 1, start_);
        parts_.resize(std::size_t{t + 1} * stride_, 0);
    }

    /// Charges the time from mark(t) to `until` to a component. `until` before mark(t) takes time back.
    void charge(Task t, std::uint32_t component, Time until) {
        parts_[std::size_t{t} * stride_ + component] += (until - marks_[t]).ps;
        marks_[t] = until;
    }

    /// `t` takes over the past of `cause`, as of `now`.
    void inherit(Task t, Task cause, Time now) {
        if (t == cause) return;
        std::memcpy(&parts_[std::size_t{t} * stride_], &parts_[std::size_t{cause} * stride_],
                    stride_ * sizeof(std::int64_t));
        marks_[t] = marks_[cause];
        if (marks_[t] != now) charge(t, component(PathTime::kernel), now);
    }

    Time mark(Task t) const { return marks_[t]; }

    /// Forgets the past: every vector starts anew at `now`. What was charged beyond it is charged again by
    /// `charge_again(task, until)`.
    template <class F>
    void restart(Time now, F charge_again) {
        start_ = now;
        std::memset(parts_.data(), 0, parts_.size() * sizeof(std::int64_t));
        for (Task t = 0; t < marks_.size(); ++t) {
            const Time until = std::exchange(marks_[t], now);
            if (until > now) charge_again(t, until);
        }
    }

    Time start() const { return start_; }
    const std::int64_t* parts(Task t) const { return &parts_[std::size_t{t} * stride_]; }

  private:
    std::uint32_t stride_;
    Time start_{};
    std::vector<Time> marks_;
    std::vector<std::int64_t> parts_;
};

}  // namespace forksim
