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
