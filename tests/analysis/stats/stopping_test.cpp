#include "analysis/stats/stopping.hpp"

#include <doctest/doctest.h>

#include <initializer_list>

#include "sim/error.hpp"

using namespace forksim;

namespace {

/// Feeds 99 and 101 in turn, whose half-width over n of them is about 1 % * t / sqrt(n).
std::uint32_t stops_at(const ReplicationPlan& plan, StopReason& reason) {
    StoppingRule rule(plan);
    std::uint32_t n = 0;
    while (rule.reason() == StopReason::not_yet) rule.add(n++ % 2 == 0 ? 99 : 101);
    reason = rule.reason();
    return n;
}

}  // namespace

TEST_CASE("replications grow until the precision is reached and has held for the look-ahead") {
    // n = 18: stddev sqrt(18 / 17), t(17) = 2.1098, half-width 2.1098 / sqrt(17) = 0.5117 of a mean of 100.
    // n = 19: stddev sqrt((19 - 1 / 19) / 18) = 1.0260, t(18) = 2.1009, half-width 0.4945 of 99.947.
    // Wanted: 0.5 % / 1.005 = 0.49751 %.
    StopReason reason{};
    CHECK(stops_at({.precision = 0.005, .least = 10, .most = 100, .look_ahead = 0}, reason) == 19);
    CHECK(reason == StopReason::precise);
    CHECK(stops_at({.precision = 0.005, .least = 10, .most = 100, .look_ahead = 5}, reason) == 24);
    CHECK(reason == StopReason::precise);
}

TEST_CASE("the look-ahead outlives a lucky step") {
    StoppingRule rule({.precision = 0.01, .least = 2, .most = 50, .look_ahead = 2});
    for (const double value : {100.0, 100.0, 100.0}) rule.add(value);  // held at n = 2 and 3 only
    CHECK(rule.reason() == StopReason::not_yet);
    rule.add(140);  // breaks it
    for (int i = 0; i < 3; ++i) rule.add(100);
    CHECK(rule.reason() == StopReason::not_yet);
    CHECK(rule.estimate().n == 7);
}

TEST_CASE("equal values end at the least number of replications") {
    StoppingRule rule({.precision = 0.01, .least = 10, .most = 40, .look_ahead = 5});
    for (int i = 0; i < 9; ++i) rule.add(7);
    CHECK(rule.reason() == StopReason::not_yet);
    rule.add(7);
    CHECK(rule.reason() == StopReason::precise);
}

TEST_CASE("the cap ends what never gets precise, and says so") {
    StopReason reason{};
    CHECK(stops_at({.precision = 0.0001, .least = 10, .most = 25, .look_ahead = 5}, reason) == 25);
    CHECK(reason == StopReason::cap);
}

TEST_CASE("a plan without choice runs exactly that many") {
    StopReason reason{};
    CHECK(stops_at({.precision = 1, .least = 3, .most = 3, .look_ahead = 0}, reason) == 3);
    CHECK(reason == StopReason::fixed);
}

TEST_CASE("nothing is added after the end") {
    StoppingRule rule({.precision = 1, .least = 1, .most = 1, .look_ahead = 0});
    rule.add(1);
    CHECK_THROWS_AS(rule.add(1), InternalError);
}
