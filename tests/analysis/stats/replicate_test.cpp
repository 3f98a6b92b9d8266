#include "analysis/stats/replicate.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <stdexcept>
#include <string>
#include <vector>

using namespace forksim;

namespace {

/// A value per replication, without order: 100 +- 3.
double value_of(std::uint32_t index) { return 97 + (index * 5 + 3) % 7; }

struct Seen {
    ReplicationOutcome outcome;
    std::vector<std::uint32_t> accepted;
    std::uint32_t run = 0;
};

Seen see(const ReplicationPlan& plan, unsigned jobs) {
    Seen seen;
    std::atomic<std::uint32_t> runs = 0;
    seen.outcome = replicate(plan, jobs,
                             {.run =
                                  [&](std::uint32_t index) {
                                      runs += 1;
                                      return value_of(index);
                                  },
                              .accept = [&](std::uint32_t index) { seen.accepted.push_back(index); },
                              .progress = {},
                              .stop = {}});
    seen.run = runs;
    return seen;
}

}  // namespace

TEST_CASE("any number of threads accepts the same replications in the same order") {
    const ReplicationPlan plan{.precision = 0.01, .least = 10, .most = 100, .look_ahead = 5};
    const Seen one = see(plan, 1);
    CHECK(one.outcome.reason == StopReason::precise);
    CHECK(one.run == one.accepted.size());  // a single thread runs no surplus
    for (const unsigned jobs : {2u, 3u, 8u}) {
        const Seen more = see(plan, jobs);
        CHECK(more.accepted == one.accepted);
        CHECK(more.outcome.estimate.mean == one.outcome.estimate.mean);
        CHECK(more.outcome.estimate.half_width == one.outcome.estimate.half_width);
        CHECK(more.run < one.run + jobs);
    }
}

TEST_CASE("an error is reported once the replications before it are accepted, and ends the run") {
    std::vector<std::uint32_t> accepted;
    const auto run = [](std::uint32_t index) -> double {
        if (index >= 3) throw std::runtime_error("replication " + std::to_string(index));
        return 1;
    };
    const ReplicationPlan plan{.precision = 0.01, .least = 10, .most = 40, .look_ahead = 5};
    CHECK_THROWS_WITH_AS(replicate(plan, 4, {run, [&](std::uint32_t index) { accepted.push_back(index); }, {}}),
                         "replication 3", std::runtime_error);
    CHECK(accepted == std::vector<std::uint32_t>{0, 1, 2});
}

TEST_CASE("an error in a surplus replication is no error") {
    const auto run = [](std::uint32_t index) -> double {
        if (index >= 10) throw std::runtime_error("surplus");
        return 1;
    };
    const ReplicationPlan plan{.precision = 0.01, .least = 10, .most = 40, .look_ahead = 5};
    const ReplicationOutcome outcome = replicate(plan, 4, {run, [](std::uint32_t) {}, {}});
    CHECK(outcome.estimate.n == 10);
}

TEST_CASE("who asks for an end gets what there is: replications up to that one, in order") {
    for (const unsigned jobs : {1u, 4u}) {
        for (const bool fails : {false, true}) {
            CAPTURE(jobs);
            CAPTURE(fails);
            std::vector<std::uint32_t> accepted;
            const ReplicationOutcome outcome =
                replicate({0.001, 10, 100, 5}, jobs,
                          {.run =
                               [&](std::uint32_t index) {
                                   if (fails && index == 3) throw std::runtime_error("interrupted as well");
                                   return value_of(index);
                               },
                           .accept = [&](std::uint32_t index) { accepted.push_back(index); },
                           .progress = {},
                           .stop = [&] { return accepted.size() == 3; }});
            CHECK(outcome.reason == StopReason::interrupted);
            CHECK(std::string(name_of(outcome.reason)) == "interrupted");
            CHECK(outcome.estimate.n == 3);
            CHECK(outcome.estimate.mean == doctest::Approx((value_of(0) + value_of(1) + value_of(2)) / 3));
            CHECK(accepted == std::vector<std::uint32_t>{0, 1, 2});
        }
    }
}

TEST_CASE("an error after which an end is asked for is that end, unless nothing came before it") {
    bool failed = false;
    const auto interrupted_at = [&](std::uint32_t bad) {
        failed = false;
        return replicate({0.001, 10, 100, 5}, 1,
                         {.run =
                              [&, bad](std::uint32_t index) {
                                  if (index == bad) {
                                      failed = true;
                                      throw std::runtime_error("killed");
                                  }
                                  return value_of(index);
                              },
                          .accept = [](std::uint32_t) {},
                          .progress = {},
                          .stop = [&] { return failed; }});
    };
    CHECK(interrupted_at(1).estimate.n == 1);
    CHECK_THROWS_AS(interrupted_at(0), std::runtime_error);
}

TEST_CASE("an end that is asked for when the plan is fulfilled changes nothing") {
    std::uint32_t accepted = 0;
    const ReplicationOutcome outcome = replicate({0.01, 5, 5, 5}, 2,
                                                 {.run = value_of,
                                                  .accept = [&](std::uint32_t) { ++accepted; },
                                                  .progress = {},
                                                  .stop = [&] { return accepted == 5; }});
    CHECK(outcome.reason == StopReason::fixed);
    CHECK(outcome.estimate.n == 5);
}
