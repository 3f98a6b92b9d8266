// Where a transient ends, by MSER-5.
#include "analysis/stats/mser.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <random>
#include <vector>

namespace forksim {
namespace {

/// Five values for each batch, unequal ones with this sum.
std::vector<std::uint64_t> series_of(const std::vector<std::uint64_t>& batch_sums) {
    std::vector<std::uint64_t> series;
    for (const std::uint64_t sum : batch_sums) {
        for (const std::uint64_t value : {sum, std::uint64_t{0}, std::uint64_t{0}, std::uint64_t{0}, std::uint64_t{0}})
            series.push_back(value);
    }
    return series;
}

}  // namespace

TEST_CASE("the cut with the smallest standard error, by hand") {
    // With n left: (n * sum of squares - sum^2) / n^3 is (310-225)/1000 = 0.085, (135-121)/729 = 0.019,
    // (88-81)/512 = 0.0137, (70-64)/343 = 0.0175, (54-49)/216 = 0.023, (40-36)/125 = 0.032 for 0 to 5 batches dropped.
    const auto cut = mser5(series_of({4, 2, 1, 1, 1, 1, 1, 1, 1, 2}));
    REQUIRE(cut);
    CHECK(cut->values == 10);
    CHECK(cut->settled);
}

TEST_CASE("of a constant series nothing is dropped, of a step what comes before it") {
    CHECK(mser5(series_of(std::vector<std::uint64_t>(40, 7)))->values == 0);
    CHECK(mser5(series_of(std::vector<std::uint64_t>(40, 0)))->values == 0);
    std::vector<std::uint64_t> step(40, 1000);
    step[0] = step[1] = step[2] = 3;
    CHECK(mser5(series_of(step))->values == 15);
    std::vector<std::uint64_t> series = series_of(step);
    series.insert(series.end(), {90, 90, 90, 90});  // no whole batch
    CHECK(mser5(series)->values == 15);
}

TEST_CASE("a series that moves to its end is not settled, and one of less than ten batches says nothing") {
    std::vector<std::uint64_t> rising;
    for (std::uint64_t i = 0; i < 40; ++i) rising.push_back(100 + i);
    // n left of a straight line have a squared error that grows with n: the fewest that may be left are.
    CHECK(mser5(series_of(rising))->values == 35 * 5);
    CHECK(!mser5(series_of(rising))->settled);
    std::vector<std::uint64_t> half(10, 1000);
    for (std::size_t i = 0; i < 5; ++i) half[i] = 1;
    CHECK(mser5(series_of(half))->values == 25);
    CHECK(mser5(series_of(half))->settled);  // the middle belongs to the first half
    CHECK(!mser5(series_of(std::vector<std::uint64_t>(9, 7))));
    CHECK(!mser5({}));
}

TEST_CASE("large counts are summed exactly") {
    std::vector<std::uint64_t> large(40, std::uint64_t{1} << 47);
    large[0] += 1;
    CHECK(mser5(series_of(large))->values == 5);
}

TEST_CASE("an exponential transient is cut after three of its time constants or more, and mostly before eight") {
    int late = 0;
    for (std::uint32_t seed = 0; seed < 50; ++seed) {
        CAPTURE(seed);
        std::mt19937 random(seed);
        std::normal_distribution<double> noise(0, 20);
        std::vector<std::uint64_t> series;
        for (int i = 0; i < 200; ++i)
            series.push_back(static_cast<std::uint64_t>(1000 * (1 - std::exp(-i / 10.0)) + 200 + noise(random)));
        const auto cut = mser5(series);
        CHECK(cut->values >= 30);
        late += cut->values > 80;  // the noise of a flat minimum
    }
    CHECK(late < 15);
}

}  // namespace forksim
