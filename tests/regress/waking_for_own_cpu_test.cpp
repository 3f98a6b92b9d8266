// A task that woke a more urgent one for its own CPU was preempted in the middle of waking it, and ran on.
#include <doctest/doctest.h>

#include "tests/sim/fixed_priority.hpp"
#include "tests/sim/tiny_model.hpp"

namespace forksim::test {
namespace {

TEST_CASE("another policy: who wakes a more urgent task for its own CPU first finishes waking it") {
    for (const Time cost : {0_ns, 1500_ns}) {
        ProgramBuilder b(uniform(1, 50_ns));
        b.config.wake_cost = cost;
        std::vector<int> urgency(1 + 2, 0);
        urgency[b.task(b.steps().sync(Tiny::block, 0).mark("urgent").work(1_us), 0)] = 1;
        b.task(b.steps().work(10_us).sync(Tiny::wake, 0).work(2_us).mark("waker"), 0);
        FixedPriority policy(1, urgency);
        const TinyRun run = run_tiny(b, policy);
        CHECK(run.at("urgent") == 10_us + cost);
        CHECK(run.at("waker") == 13_us + cost);
    }
}

TEST_CASE("another policy: a parent whose child is more urgent first finishes starting it") {
    ProgramBuilder b(uniform(1, 50_ns));
    b.config.wake_cost = 1500_ns;
    const auto child = b.place(b.steps().mark("child").work(1_us).exit());
    b.task(b.steps().work(10_us).spawn("clone", child).work(2_us).mark("parent"), 0);
    FixedPriority policy(1, {0, 0, 1});  // the context, the parent, the child
    const TinyRun run = run_tiny(b, policy);
    CHECK(run.at("child") == 11500_ns);
    CHECK(run.at("parent") == 14500_ns);
}

}  // namespace
}  // namespace forksim::test
