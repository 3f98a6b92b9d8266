// A more urgent task that woke during a context switch waited until the other one gave the CPU up.
#include <doctest/doctest.h>

#include "tests/sim/fixed_priority.hpp"
#include "tests/sim/tiny_model.hpp"

namespace forksim::test {
namespace {

TEST_CASE("another policy: a more urgent task that wakes during the switch to another takes over at its end") {
    ProgramBuilder b(uniform(2, 50_ns));
    b.config.context_switch = 2_us;
    std::vector<int> urgency(2 + 3, 0);
    urgency[b.task(b.steps().sync(Tiny::block, 0).mark("urgent").work(1_us), 0)] = 1;
    b.task(b.steps().work(10_us).mark("other"), 0);
    b.task(b.steps().work(1_us).sync(Tiny::wake, 0), 1);  // at 3 us, in the middle of 2 .. 4
    FixedPriority policy(2, urgency);
    const TinyRun run = run_tiny(b, policy);
    CHECK(run.at("urgent") == 6_us);
    CHECK(run.at("other") == 19_us);  // 7 urgent ends, 9 back
}

TEST_CASE(
    "another policy: a more urgent task that wakes during the switch back to a preempted one takes over at its end") {
    ProgramBuilder b(uniform(2, 50_ns));
    b.config.context_switch = 2_us;
    std::vector<int> urgency(2 + 4, 0);
    urgency[b.task(b.steps().sync(Tiny::block, 0).mark("most urgent").work(1_us), 0)] = 2;
    urgency[b.task(b.steps().sync(Tiny::block, 1).mark("urgent").work(1_us).sleep(100_us), 0)] = 1;
    b.task(b.steps().work(10_us).mark("other"), 0);
    b.task(b.steps().work(6_us).sync(Tiny::wake, 1).work(4_us).sync(Tiny::wake, 0), 1);  // at 8 us and at 12 us
    FixedPriority policy(2, urgency);
    const TinyRun run = run_tiny(b, policy);
    // 6 the other begins, 8 preempted with 8 us to go, 10 urgent, 11 asleep, 13 back and preempted at once
    CHECK(run.at("urgent") == 10_us);
    CHECK(run.at("most urgent") == 15_us);
    CHECK(run.at("other") == 26_us);
}

}  // namespace
}  // namespace forksim::test
