// How far apart estimated quantities lie, without what their own noise adds.
#include "analysis/stats/spread.hpp"

#include <doctest/doctest.h>

#include <array>
#include <cmath>

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

}  // namespace forksim
