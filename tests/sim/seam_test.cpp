// The seam between core, policies and models: a second policy and a second model, neither known to the core.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "tests/sim/fixed_priority.hpp"
#include "tests/sim/tiny_model.hpp"

namespace forksim::test {
namespace {

using Labels = std::vector<std::string>;

TEST_CASE("another policy: the most urgent task runs first") {
    ProgramBuilder b(uniform(1, 50_ns));
    std::vector<int> urgency(1 + 4, 0);
    b.task(b.steps().work(1_us).mark("first come"), 0);  // the idle CPU wakes up for it, and sees the others then
    for (const int u : {1, 3, 2}) urgency[b.task(b.steps().work(1_us).mark(std::to_string(u)), 0)] = u;
    FixedPriority policy(1, urgency);
    b.config.preempt = PreemptModel::none;
    CHECK(run_tiny(b, policy).order() == Labels{"3", "2", "1", "first come"});
}

TEST_CASE("another policy: a more urgent task that wakes takes the CPU in the middle of the other's work") {
    ProgramBuilder b(uniform(1, 50_ns));
    b.config.context_switch = 500_ns;
    std::vector<int> urgency(1 + 2, 0);
    urgency[b.task(b.steps().sleep(5_us).mark("urgent").work(1_us), 0)] = 1;
    b.task(b.steps().work(10_us).mark("other done"), 0);
    FixedPriority policy(1, urgency);
    const TinyRun run = run_tiny(b, policy);
    // 0.5 asleep, 1.0 the other begins, 5.5 preempted, 6.0 urgent, 7.0 ends, 7.5 back with 5.5 us to go
    CHECK(run.at("urgent") == 6_us);
    CHECK(run.at("other done") == 13_us);
}

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

TEST_CASE("another policy: in a section without preemption the more urgent task waits for its end") {
    ProgramBuilder b(uniform(2, 50_ns));
    std::vector<int> urgency(2 + 3, 0);
    urgency[b.task(b.steps().sync(Tiny::block, 0).mark("urgent").work(1_us), 0)] = 1;
    b.task(b.steps().sync(Tiny::preempt_off).work(10_us).sync(Tiny::preempt_on).work(2_us).mark("other"), 0);
    b.task(b.steps().work(4_us).sync(Tiny::wake, 0), 1);
    FixedPriority policy(2, urgency);
    const TinyRun run = run_tiny(b, policy);
    CHECK(run.at("urgent") == 10_us);
    CHECK(run.at("other") == 13_us);
}

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

TEST_CASE("another policy: kernel code under none keeps the CPU until it returns to user mode") {
    ProgramBuilder b(uniform(1, 50_ns));
    b.config.preempt = PreemptModel::none;
    std::vector<int> urgency(1 + 2, 0);
    urgency[b.task(b.steps().sync(Tiny::block, 0).mark("urgent").work(1_us), 0)] = 1;
    b.task(b.steps().work(10_us).sync(Tiny::wake, 0).work(2_us).user(1_us).mark("waker"), 0);
    FixedPriority policy(1, urgency);
    const TinyRun run = run_tiny(b, policy);
    CHECK(run.at("urgent") == 12_us);
    CHECK(run.at("waker") == 14_us);
}

TEST_CASE("a model without locks: timers, blocking, spinning and callbacks all go through the core") {
    ProgramBuilder b(uniform(2, 50_ns));
    const auto callback = b.place(b.steps().mark("callback").end());
    b.task(b.steps().sync(Tiny::spin, 0).mark("spun").sync(Tiny::block, 1).mark("slept"), 0);
    Steps s = b.steps().sync(Tiny::timer, 7, 3_us).work(1_us).sync(Tiny::resume, 0, 250_ns);
    b.task(s.work(1_us).sync(Tiny::wake, 1, 250_ns).work(2_us).sync(Tiny::softirq, 0, callback), 1);
    const TinyRun run = run_tiny(b);
    CHECK(run.at("spun") == 1250_ns);
    CHECK(run.at("slept") == 2250_ns);
    CHECK(run.at("timer 7") == 3_us);
    CHECK(run.at("callback") == 4_us);
    CHECK(run.created == 2);
    CHECK(run.exited == 2);
}

}  // namespace
}  // namespace forksim::test
