#include "sim/histogram.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "sim/error.hpp"
#include "sim/random.hpp"

namespace forksim {

namespace {

struct Bin {
    Time lowest;
    Time highest;
    std::uint64_t count;
    bool operator==(const Bin&) const = default;
};

std::vector<Bin> bins(const Histogram& histogram) {
    std::vector<Bin> all;
    histogram.for_each_bin([&all](Time lowest, Time highest, std::uint64_t n) {
        all.push_back(Bin{lowest, highest, n});
    });
    return all;
}

/// Durations spread over many octaves, from 0 ps to some milliseconds.
std::vector<Time> spread_out(std::uint64_t stream, std::uint64_t n) {
    std::vector<Time> times;
    for (std::uint64_t i = 0; i < n; ++i) {
        const Words random = draw(stream, i, 0, 0);
        times.push_back(Time{static_cast<std::int64_t>(random[0] >> (30 + random[1] % 34))});
    }
    return times;
}

Histogram recorded(const std::vector<Time>& times) {
    Histogram histogram;
    for (const Time t : times) histogram.record(t);
    return histogram;
}

}  // namespace

TEST_CASE("an empty histogram answers zero to every question") {
    const Histogram histogram;
    CHECK(histogram.count() == 0);
    CHECK(histogram.min() == Time{});
    CHECK(histogram.max() == Time{});
    CHECK(histogram.mean_ps() == 0);
    CHECK(histogram.stddev_ps() == 0);
    CHECK(histogram.percentile(50) == Time{});
    CHECK(bins(histogram).empty());
}

TEST_CASE("bins are 1 ps wide up to 255 ps, then 128 per octave") {
    const auto bin_of = [](Time t) { return bins(recorded({t})); };
    for (const std::int64_t ps : {0, 1, 127, 128, 255}) CHECK(bin_of(Time{ps}) == std::vector{Bin{{ps}, {ps}, 1}});
    CHECK(bin_of(Time{256}) == std::vector{Bin{{256}, {257}, 1}});
    CHECK(bin_of(Time{511}) == std::vector{Bin{{510}, {511}, 1}});
    CHECK(bin_of(Time{512}) == std::vector{Bin{{512}, {515}, 1}});
    // 1 us lies in the octave from 2^19, in bins of 2^12: 1000000 = 244 * 4096 + 576.
    CHECK(bin_of(Time::from_us(1)) == std::vector{Bin{{999424}, {1003519}, 1}});
}

TEST_CASE("every recorded time lies in one bin, at most 1/128 wide") {
    for (const Time t : spread_out(3, 2000)) {
        const std::vector<Bin> all = bins(recorded({t}));
        REQUIRE(all.size() == 1);
        CHECK(all[0].lowest <= t);
        CHECK(t <= all[0].highest);
        CHECK((all[0].highest - all[0].lowest).ps <= t.ps / 128);
    }
}

TEST_CASE("mean and standard deviation are those of the values, not of the bins") {
    const Histogram histogram = recorded({{2}, {4}, {4}, {4}, {5}, {5}, {7}, {9}});  // the textbook example
    CHECK(histogram.mean_ps() == 5);
    CHECK(histogram.stddev_ps() == 2);
    // The same far from zero, where the squares of the values would swallow the spread in double precision.
    const Time far = Time::from_s(3000);
    Histogram moved;
    for (const std::int64_t ps : {2, 4, 4, 4, 5, 5, 7, 9}) moved.record(far + Time{ps});
    CHECK(moved.mean_ps() == static_cast<double>(far.ps + 5));
    CHECK(moved.stddev_ps() == 2);
    // A mean that is not whole: variance of {0, 0, 1} is 2/9.
    CHECK(recorded({{0}, {0}, {1}}).stddev_ps() == doctest::Approx(std::sqrt(2.0) / 3).epsilon(1e-15));
}

TEST_CASE("the sum is exact where 64 bits would overflow") {
    Histogram histogram;
    for (int i = 0; i < 10000; ++i) histogram.record(time_limit);
    CHECK(histogram.sum_ps() == uint128{static_cast<std::uint64_t>(time_limit.ps)} * 10000);
    CHECK(histogram.mean_ps() == static_cast<double>(time_limit.ps));
    CHECK(histogram.stddev_ps() == 0);
}

TEST_CASE("percentiles of small values are the order statistics") {
    Histogram histogram;
    for (int i = 1; i <= 1000; ++i) histogram.record(Time{i / 5});  // 1 ps bins
    CHECK(histogram.percentile(0) == Time{0});
    CHECK(histogram.percentile(0.1) == Time{0});
    CHECK(histogram.percentile(50) == Time{100});
    CHECK(histogram.percentile(99.9) == Time{199});  // the 999th
    CHECK(histogram.percentile(99.91) == Time{200});
    CHECK(histogram.percentile(100) == Time{200});
}

TEST_CASE("percentiles are at most one bin above the order statistic and never above the maximum") {
    std::vector<Time> times = spread_out(5, 5000);
    const Histogram histogram = recorded(times);
    std::sort(times.begin(), times.end());
    for (const int percent : {1, 10, 25, 50, 75, 90, 99, 100}) {
        const Time exact = times[static_cast<std::size_t>(percent) * 50 - 1];
        const Time got = histogram.percentile(percent);
        CHECK(got >= exact);
        CHECK(got <= earlier(exact + exact / 128, times.back()));
    }
    CHECK(histogram.min() == times.front());
    CHECK(histogram.max() == times.back());
}

TEST_CASE("merging gives what recording everything in one histogram gives") {
    const std::vector<Time> some = spread_out(8, 3000);
    const std::vector<Time> more{Time{}, Time::from_s(2), Time::from_ns(3)};
    Histogram merged = recorded(some);
    merged.merge(recorded(more));
    merged.merge(Histogram{});
    std::vector<Time> all = some;
    all.insert(all.end(), more.begin(), more.end());
    const Histogram expected = recorded(all);
    CHECK(bins(merged) == bins(expected));
    CHECK(merged.count() == 3003);
    CHECK(merged.sum_ps() == expected.sum_ps());
    CHECK(merged.min() == Time{});
    CHECK(merged.max() == Time::from_s(2));
    CHECK(merged.stddev_ps() == expected.stddev_ps());

    Histogram empty;
    empty.merge(recorded(more));
    CHECK(empty.min() == Time{});
    CHECK(bins(empty) == bins(recorded(more)));
}

TEST_CASE("a histogram refuses times outside of a run") {
    Histogram histogram;
    CHECK_THROWS_AS(histogram.record(Time{-1}), InternalError);
    CHECK_THROWS_AS(histogram.record(time_limit + Time{1}), InternalError);
    CHECK_THROWS_AS(histogram.percentile(101), InternalError);
    CHECK(histogram.count() == 0);
}

}  // namespace forksim
