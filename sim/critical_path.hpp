#pragma once
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include "sim/core.hpp"
#include "sim/inline.hpp"

namespace forksim {

/// Kinds of time on a critical path that belong to no site.
enum class PathTime : std::uint8_t { user, kernel, context_switch, wake_up, interrupt, asleep };
inline constexpr std::uint32_t path_time_count = 6;

/// Carries with each task, in whole picoseconds, how much of its past since the window opened lies on the
/// critical path: per site as hold, lines and hand-off, and the kinds of PathTime. The parts of a task sum
/// exactly to mark(t) - start. A task that waited takes over the vector of whoever ended the wait.
///
/// Charges may run ahead of the clock: an op is charged when it begins, and mark() is when it ends.
///
/// Most components are never charged, and vectors are copied at every hand-over: a component gets a column of the
/// vectors when it is first charged, and rows are as long as that takes.
class CriticalPath {
  public:
    CriticalPath(std::uint32_t sites) : column_(path_time_count + 3 * std::size_t{sites}, no_column) {}

    static std::uint32_t component(PathTime kind) { return static_cast<std::uint32_t>(kind); }
    static std::uint32_t component(std::uint32_t site, Part part) {
        return path_time_count + 3 * site + static_cast<std::uint32_t>(part);
    }

    /// Makes room for tasks up to `t`.
    void reserve(Task t) {
        for (; tasks_ <= t; ++tasks_) {
            rows_.resize(rows_.size() + stride_, 0);
            row(tasks_)[mark_column] = start_.ps;
        }
    }

    /// Charges the time from mark(t) to `until` to a component. `until` before mark(t) takes time back.
    FORKSIM_INLINE void charge(Task t, std::uint32_t component, Time until) {
        std::uint32_t column = column_[component];
        if (column == no_column) [[unlikely]]
            column = add_column(component);
        std::int64_t* const parts = row(t);
        parts[column] += until.ps - parts[mark_column];
        parts[mark_column] = until.ps;
    }

    /// `t` takes over the past of `cause`, as of `now`.
    void inherit(Task t, Task cause, Time now) {
        if (t == cause) return;
        std::memcpy(row(t), row(cause), stride_ * sizeof(std::int64_t));
        if (mark(t) != now) charge(t, component(PathTime::kernel), now);
    }

    Time mark(Task t) const { return {rows_[std::size_t{t} * stride_ + mark_column]}; }

    /// Forgets the past: every vector starts anew at `now`. What was charged beyond it is charged again by
    /// `charge_again(task, until)`.
    template <class F>
    void restart(Time now, F charge_again) {
        start_ = now;
        for (Task t = 0; t < tasks_; ++t) {
            const Time until = mark(t);
            std::fill_n(row(t), stride_, 0);
            row(t)[mark_column] = now.ps;
            if (until > now) charge_again(t, until);
        }
    }

    Time start() const { return start_; }

    /// Remembers the vector of `t` as it is now: the only one that the record shows.
    void keep(Task t) { kept_.assign(row(t), row(t) + stride_); }
    /// By component, in ps; all zero if none was kept.
    std::vector<std::int64_t> kept() const {
        std::vector<std::int64_t> parts(column_.size(), 0);
        for (std::size_t i = 0; i < parts.size(); ++i)
            if (column_[i] < kept_.size()) parts[i] = kept_[column_[i]];
        return parts;
    }

  private:
    static constexpr std::uint32_t no_column = ~std::uint32_t{0};
    static constexpr std::uint32_t mark_column = 0;

    std::int64_t* row(Task t) { return rows_.data() + t * stride_; }

    [[gnu::noinline]] std::uint32_t add_column(std::uint32_t component) {
        if (columns_ == stride_) {  // all rows grow by a cache line
            std::vector<std::int64_t> longer(tasks_ * (stride_ + 8), 0);
            for (Task t = 0; t < tasks_; ++t) std::copy_n(row(t), stride_, &longer[t * (stride_ + 8)]);
            rows_.swap(longer);
            stride_ += 8;
        }
        return column_[component] = columns_++;
    }

    std::vector<std::uint32_t> column_;  // by component
    std::uint32_t columns_ = 1;          // given to components so far, and the mark
    std::size_t stride_ = 8;             // length of a row
    Time start_{};
    std::uint32_t tasks_ = 0;
    std::vector<std::int64_t> rows_;  // [task * stride + column]
    std::vector<std::int64_t> kept_;
};

}  // namespace forksim
