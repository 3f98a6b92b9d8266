#include "analysis/stats/estimate.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <initializer_list>

using namespace forksim;

TEST_CASE("an estimate of five values is the one computed by hand") {
    Sample sample;
    for (const double value : {10.0, 12.0, 11.0, 9.0, 13.0}) sample.add(value);
    const Estimate e = sample.estimate();
    CHECK(e.n == 5);
    CHECK(e.mean == 11);
    CHECK(e.stddev == doctest::Approx(1.58113883008));                     // sqrt(10 / 4)
    CHECK(e.half_width == doctest::Approx(2.776445105 * std::sqrt(0.5)));  // t(4) * sqrt(2.5 / 5)
}

TEST_CASE("one value has no interval, and no value has no mean") {
    Sample sample;
    CHECK(sample.estimate().n == 0);
    CHECK_FALSE(sample.estimate().within(1));
    sample.add(3);
    CHECK(sample.estimate().mean == 3);
    CHECK(std::isinf(sample.estimate().half_width));
    CHECK_FALSE(sample.estimate().within(1000));
}

TEST_CASE("equal values have an interval of no width") {
    Sample sample;
    for (int i = 0; i < 3; ++i) sample.add(0.1);
    CHECK(sample.estimate().half_width == 0);
    CHECK(sample.estimate().within(1e-9));
}

TEST_CASE("95 % of the intervals over ten uniform values hold the true mean") {
    // 4 000 intervals: the share lies within 0.95 +- 0.0138 (four standard errors of a binomial).
    std::uint64_t state = 1;
    const auto uniform = [&state] {  // splitmix64, Vigna 2015
        std::uint64_t z = state += 0x9E3779B97F4A7C15u;
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
        z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
        return static_cast<double>((z ^ (z >> 31)) >> 11) * 0x1p-53;
    };
    int hits = 0;
    for (int i = 0; i < 4000; ++i) {
        Sample sample;
        for (int k = 0; k < 10; ++k) sample.add(uniform());
        const Estimate e = sample.estimate();
        if (std::abs(e.mean - 0.5) <= e.half_width) ++hits;
    }
    CHECK(hits >= 3745);
    CHECK(hits <= 3855);
}
