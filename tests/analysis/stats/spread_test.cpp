// How far apart estimated quantities lie, without what their own noise adds.
#include "analysis/stats/spread.hpp"

#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <vector>

namespace forksim {

TEST_CASE("exact means lie as far apart as they do") {
    const std::array<Estimate, 3> exact = {{{4, 10, 0, 0}, {4, 14, 0, 0}, {4, 12, 0, 0}}};
    const Spread spread = spread_of(exact);
    CHECK(spread.n == 3);
    CHECK(spread.low == doctest::Approx(10));
    CHECK(spread.high == doctest::Approx(14));
}

TEST_CASE("the variance of the estimates is taken out of the spread") {
    // The means have variance 4, of which stddev^2 / n = 1 is noise: sqrt(3/4) of the distances is left.
    const std::array<Estimate, 3> noisy = {{{4, 10, 2, 0}, {4, 14, 2, 0}, {4, 12, 2, 0}}};
    CHECK(spread_of(noisy).low == doctest::Approx(12 - 2 * std::sqrt(0.75)));
    CHECK(spread_of(noisy).high == doctest::Approx(12 + 2 * std::sqrt(0.75)));
}

TEST_CASE("means that noise alone sets apart do not lie apart") {
    const std::array<Estimate, 3> same = {{{4, 10, 6, 0}, {4, 14, 6, 0}, {4, 12, 6, 0}}};
    CHECK(spread_of(same).low == doctest::Approx(12));
    CHECK(spread_of(same).high == doctest::Approx(12));
}

TEST_CASE("nothing has no spread") { CHECK(spread_of({}).n == 0); }

TEST_CASE("model_interval_that_noise_made_a_point: what hides the spread stays in the interval") {
    // Four worlds of two values each, mean -+1, stddev 4: the variance of a mean is 8, that of the means 4/3, so the
    // spread is a point. Left open of the mean of four: sqrt(8 / 4), and t(4) = 2.776445.
    std::vector<Estimate> noisy;
    for (const double mean : {-1.0, 1.0, -1.0, 1.0}) noisy.push_back({2, mean, 4, 0});
    CHECK(spread_of(noisy).low == spread_of(noisy).high);
    const Spread wide = spread_with_noise(noisy);
    CHECK(wide.high == doctest::Approx(2.776445105 * std::sqrt(2.0)));
    CHECK(wide.low == doctest::Approx(-wide.high));
    // Without noise both are the same.
    std::vector<Estimate> exact;
    for (const double mean : {-1.0, 1.0, 3.0}) exact.push_back({2, mean, 0, 0});
    CHECK(spread_with_noise(exact).low == -1);
    CHECK(spread_with_noise(exact).high == 3);
}

}  // namespace forksim
