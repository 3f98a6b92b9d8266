#pragma once
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

#include "sim/core.hpp"
#include "sim/inline.hpp"
#include "sim/time.hpp"

namespace forksim {

/// For each task, how its time up to mark(t) divides into components, in whole picoseconds.
///
/// Most components are never charged, and vectors are copied at every hand-over: a component gets a column of the
/// vectors when it is first charged, and rows are as long as that takes.
class TimeVectors {
  public:
    explicit TimeVectors(std::size_t components) : column_(components, no_column) {}

    /// Makes room for tasks up to `t`, whose vectors are empty as of `start`.
    void reserve(Task t, Time start) {
        for (; tasks_ <= t; ++tasks_) {
            rows_.resize(rows_.size() + stride_, 0);
            row(tasks_)[mark_column] = start.ps;
        }
    }
    std::uint32_t tasks() const { return tasks_; }

    /// Charges the time from mark(t) to `until` to a component. `until` before mark(t) takes time back.
    FORKSIM_INLINE void charge(Task t, std::uint32_t component, Time until) {
        const std::uint32_t column = column_of(component);
        std::int64_t* const parts = row(t);
        parts[column] += until.ps - parts[mark_column];
        parts[mark_column] = until.ps;
    }
    /// Of what `t` was charged, `length` belongs to another component.
    void move(Task t, std::uint32_t from, std::uint32_t to, Time length) {
        const std::uint32_t old_column = column_of(from);
        const std::uint32_t new_column = column_of(to);
        row(t)[old_column] -= length.ps;
        row(t)[new_column] += length.ps;
    }
    /// `t` gets the vector of another task.
    void copy(Task t, Task other) { std::memcpy(row(t), row(other), stride_ * sizeof(std::int64_t)); }
    void clear(Task t, Time now) {
        std::fill_n(row(t), stride_, 0);
        row(t)[mark_column] = now.ps;
    }

    Time mark(Task t) const { return {rows_[std::size_t{t} * stride_ + mark_column]}; }

    /// The sum of the parts of `t`.
    Time sum(Task t) const {
        std::int64_t sum = 0;
        for (std::uint32_t column = mark_column + 1; column < columns_; ++column)
            sum += rows_[std::size_t{t} * stride_ + column];
        return {sum};
    }

    /// A vector by itself: what of() a task was at some time. Columns that are given later are zero in it.
    using Row = std::vector<std::int64_t>;
    void assign(Row& to, Task t) { to.assign(row(t), row(t) + stride_); }
    void add(Row& to, Task t) {
        if (to.size() < stride_) to.resize(stride_, 0);
        for (std::uint32_t column = mark_column + 1; column < columns_; ++column) to[column] += row(t)[column];
    }
    /// By component, in ps.
    std::vector<std::int64_t> spread(const Row& of) const {
        std::vector<std::int64_t> parts(column_.size(), 0);
        for (std::size_t i = 0; i < parts.size(); ++i)
            if (column_[i] < of.size()) parts[i] = of[column_[i]];
        return parts;
    }

  private:
    static constexpr std::uint32_t no_column = ~std::uint32_t{0};
    static constexpr std::uint32_t mark_column = 0;

    std::int64_t* row(Task t) { return rows_.data() + t * stride_; }

    FORKSIM_INLINE std::uint32_t column_of(std::uint32_t component) {
        const std::uint32_t column = column_[component];
        return column != no_column ? column : add_column(component);
    }
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
    std::uint32_t tasks_ = 0;
    std::vector<std::int64_t> rows_;  // [task * stride + column]
};

}  // namespace forksim
