// What a short run says of edges.
#include "analysis/order/weights.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <string>

#include "tests/scenarios/scratch.hpp"

namespace forksim {
namespace {

/// The weight of the one edge, A > B, of two tasks on two CPUs.
EdgeWeight weight(const std::string& inner_twice) {
    const Compiled compiled = test::compile_text(
        "scenario: s\nplatform: {uniform: 2, distance: 0ns}\nlocks: {A: {kind: spinlock}, B: {kind: spinlock}}\n"
        "functions: {f: [{section: B, name: b, body: [{work: 1us}]}]}\n"
        "workload: [{tasks: t, count: 2, affinity: pu, forever: [{section: A, name: a, body: [{call: f}, {call: "
        "f}]}, " +
        inner_twice + "{count: n}]}]\n");
    const LockOrder order = lock_order_of(compiled.program, compiled.model);
    REQUIRE(order.edges.size() == 1);
    const std::uint32_t edge = 0;
    return EdgeWeights(compiled, order, brief_run(compiled)).of({&edge, 1});
}

}  // namespace

TEST_CASE("a lock that is taken twice per operation, always inside another, is never waited for") {
    const EdgeWeight w = weight("");
    CHECK(std::abs(w.per_op - 2) < 0.01);  // the window cuts an operation at either end
    CHECK_FALSE(w.at_most);
    CHECK(w.contended_share == 0);
    CHECK(w.wait_ps == 0);
}

TEST_CASE("where the site is also reached without the outer lock its numbers are an upper bound") {
    const EdgeWeight w = weight("{call: f}, ");
    CHECK(std::abs(w.per_op - 3) < 0.01);
    CHECK(w.at_most);
    CHECK(w.contended_share > 0);
    CHECK(w.contended_share <= 1);
    CHECK(w.wait_ps > 0);
    CHECK(w.wait_ps <= 1'000'000);  // one holder of 1 us is ahead at most
}

}  // namespace forksim
