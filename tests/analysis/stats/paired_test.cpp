#include "analysis/stats/paired.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <vector>

#include "sim/random.hpp"

using namespace forksim;

namespace {

/// A value between -1 and 1, the same for the same numbers.
double noise(std::uint64_t seed, std::uint64_t index) {
    return static_cast<double>(draw(seed, index, 0, 0)[0] >> 11) / 4503599627370496.0 - 1;
}

}  // namespace

TEST_CASE("a paired difference is what differs, not what varies") {
    // Differences 10, 10, 10, 14 of a base whose mean is 100: in percent the same. Mean 11, stddev 2, t(3) = 3.182446.
    const std::vector<double> base = {80, 120, 90, 110};
    const std::vector<double> variant = {90, 130, 100, 124};
    const PairedDifference d = difference_of(base, variant, 1);
    CHECK(d.n == 4);
    CHECK(d.mean == doctest::Approx(11));
    CHECK(d.stddev == doctest::Approx(2));
    CHECK(d.half_width == doctest::Approx(3.182446305));
    CHECK_FALSE(d.identical);
    // Variances: base 1000/3, variant (21^2 + 19^2 + 11^2 + 13^2) / 3 = 1092/3; of the difference 4.
    CHECK(d.variance_ratio == doctest::Approx(2092.0 / 3 / 4));
}

TEST_CASE("intervals that are shown together are wider") {
    const std::vector<double> base = {80, 120, 90, 110};
    const std::vector<double> variant = {90, 130, 100, 124};
    // Two of them: 97.5 % each; t(3) at 98.75 % one-sided is 4.176535.
    CHECK(difference_of(base, variant, 2).half_width == doctest::Approx(4.176535).epsilon(1e-6));
}

TEST_CASE("no difference at all is identical and never not-a-number") {
    const std::vector<double> same = {80, 120, 90};
    const PairedDifference d = difference_of(same, same, 3);
    CHECK(d.identical);
    CHECK(d.mean == 0);
    CHECK(d.half_width == 0);
    const std::vector<double> still = {5, 5, 5};
    const PairedDifference constant = difference_of(still, still, 1);
    CHECK(constant.identical);
    CHECK(constant.half_width == 0);
    const std::vector<double> nothing = {0, 0};
    CHECK(difference_of(nothing, nothing, 1).mean == 0);
    CHECK(difference_of(nothing, nothing, 1).identical);
}

TEST_CASE("a shift that never varies has an interval without width, and is not identical") {
    const PairedDifference d = difference_of(std::vector<double>{100, 100}, std::vector<double>{110, 110}, 1);
    CHECK(d.mean == doctest::Approx(10));
    CHECK(d.half_width == 0);
    CHECK_FALSE(d.identical);
}

TEST_CASE("a lucky start does not end a comparison") {
    PairedRule rule({.precision = 0.5, .least = 2, .most = 50, .look_ahead = 2, .comparisons = 1}, 1);
    for (int i = 0; i < 3; ++i) rule.add(std::vector<double>{100, 101});  // held at n = 2 and 3 only
    CHECK(rule.reason() == StopReason::not_yet);
    rule.add(std::vector<double>{100, 150});  // breaks it
    for (int i = 0; i < 10; ++i) rule.add(std::vector<double>{100, 101});
    CHECK(rule.reason() == StopReason::not_yet);
    while (rule.reason() == StopReason::not_yet) rule.add(std::vector<double>{100, 101});
    CHECK(rule.reason() == StopReason::cap);
}

TEST_CASE("the widest of all variants decides how many replications there are") {
    PairedRule rule({.precision = 1, .least = 3, .most = 100, .look_ahead = 0, .comparisons = 2}, 2);
    std::uint64_t i = 0;
    for (; rule.reason() == StopReason::not_yet; ++i) rule.add(std::vector<double>{100, 105, 100 + 5 * noise(7, i)});
    CHECK(rule.reason() == StopReason::precise);
    CHECK(rule.difference(0).half_width == 0);
    CHECK(rule.difference(1).half_width <= 1);
    CHECK(rule.n() > 20);
}

TEST_CASE("A against A: the interval excludes zero in about one of twenty trials") {
    // 400 trials of 10 paired replications without any true difference: binomial(400, 0.05) lies within 7 .. 35 with a
    // probability of 0.9999.
    int excluded = 0;
    for (std::uint64_t trial = 0; trial < 400; ++trial) {
        std::vector<double> base;
        std::vector<double> variant;
        for (std::uint64_t i = 0; i < 10; ++i) {
            double both = 0;
            double own = 0;
            double other = 0;
            for (std::uint64_t j = 0; j < 12; ++j) {  // sums of twelve: nearly normal
                both += noise(trial, 100 * i + j);
                own += noise(1000 + trial, 100 * i + j);
                other += noise(2000 + trial, 100 * i + j);
            }
            base.push_back(1000 + 20 * both + 3 * own);
            variant.push_back(1000 + 20 * both + 3 * other);
        }
        const PairedDifference d = difference_of(base, variant, 1);
        if (d.low() > 0 || d.high() < 0) ++excluded;
    }
    CHECK(excluded >= 7);
    CHECK(excluded <= 35);
}
