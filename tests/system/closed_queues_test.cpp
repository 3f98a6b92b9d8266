// The yardsticks themselves, held to what can be worked out by hand.
#include "tests/system/closed_queues.hpp"

#include <doctest/doctest.h>

#include <cmath>

namespace forksim::test {
namespace {

doctest::Approx about(double value) { return doctest::Approx(value).epsilon(1e-9); }

}  // namespace

TEST_CASE("closed queues: one customer never waits") {
    for (const Repairman& r : {exponential_repairman(1, 10, 2), constant_repairman(1, 10, 2)}) {
        CHECK(r.throughput == about(1.0 / 12));
        CHECK(std::abs(r.waiting) < 1e-12);
    }
    CHECK(mean_value_analysis(1, 10, {2, 3}).throughput == about(1.0 / 15));
}

TEST_CASE("closed queues: two customers, worked out by hand") {
    // exponential: 1 / p0 = 1 + 2 r + 2 r^2 with r = 1/2, so p0 = 0.4
    CHECK(exponential_repairman(2, 2, 1).throughput == about(0.6));
    // constant: a departure leaves nobody behind with probability exp(-S/Z), whatever came before
    CHECK(constant_repairman(2, 2, 1).throughput == about(1 / (1 + std::exp(-0.5) * 2 / 2)));
}

TEST_CASE("closed queues: the embedded chain gives the closed form where services are exponential") {
    for (const std::uint32_t customers : {1u, 2u, 3u, 10u, 64u}) {
        for (const double service : {0.05, 0.3, 2.0}) {
            const Repairman chain = embedded_repairman(customers, 10, service, arrivals_in_exponential);
            const Repairman closed = exponential_repairman(customers, 10, service);
            CHECK(chain.throughput == about(closed.throughput));
            CHECK(chain.waiting == doctest::Approx(closed.waiting).epsilon(1e-6));
        }
    }
}

TEST_CASE("closed queues: mean value analysis gives the closed forms") {
    for (const std::uint32_t customers : {1u, 5u, 64u}) {
        const Repairman one = exponential_repairman(customers, 10, 1);
        const Network network = mean_value_analysis(customers, 10, {1});
        CHECK(network.throughput == about(one.throughput));
        CHECK(network.waiting[0] == doctest::Approx(one.waiting).epsilon(1e-6));
        // m equal stations and nobody who thinks: N / (N + m - 1) of a station's capacity
        CHECK(mean_value_analysis(customers, 0, {2, 2, 2}).throughput == about(customers / (customers + 2.0) / 2));
    }
}

}  // namespace forksim::test
