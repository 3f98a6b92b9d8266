// Interrupt time and softirqs: what they push back, and what they do not.
#include <doctest/doctest.h>

#include "tests/sim/tiny_model.hpp"

namespace forksim::test {
namespace {

TEST_CASE("stolen time pushes back work by its length") {
    ProgramBuilder b(uniform(2, 50_ns));
    b.task(b.steps().work(10_us).mark("done"), 0);
    b.task(b.steps().work(4_us).sync(Tiny::steal, 0, 3_us), 1);
    CHECK(run_tiny(b).at("done") == 13_us);
}

TEST_CASE("stolen time does not delay lines on their way") {
    ProgramBuilder b(uniform(2, 50_ns));
    b.task(b.steps().sync(Tiny::lines, 0, 10_us).work(1_us).mark("done"), 0);
    b.task(b.steps().work(4_us).sync(Tiny::steal, 0, 3_us), 1);
    CHECK(run_tiny(b).at("done") == 11_us);

    ProgramBuilder late(uniform(2, 50_ns));  // the interrupt outlasts the lines by 2 us
    late.task(late.steps().sync(Tiny::lines, 0, 10_us).work(1_us).mark("done"), 0);
    late.task(late.steps().work(9_us).sync(Tiny::steal, 0, 3_us), 1);
    CHECK(run_tiny(late).at("done") == 13_us);
}

TEST_CASE("stolen time does not delay a wall-clock delay, but what comes behind it") {
    ProgramBuilder b(uniform(2, 50_ns));
    b.task(b.steps().busy(10_us).mark("delay").work(1_us), 0);
    b.task(b.steps().work(4_us).sync(Tiny::steal, 0, 3_us).work(5_us).sync(Tiny::steal, 0, 3_us), 1);
    CHECK(run_tiny(b).at("delay") == 12_us);
}

TEST_CASE("stealing nothing, and stealing from an idle CPU, changes nothing") {
    ProgramBuilder b(uniform(2, 50_ns));
    b.task(b.steps().sleep(5_us).work(10_us).mark("done"), 0);
    b.task(b.steps().sync(Tiny::steal, 0, 3_us).work(6_us).sync(Tiny::steal, 0, 0_us), 1);
    CHECK(run_tiny(b).at("done") == 15_us);
}

TEST_CASE("a softirq runs on top of the task and pushes back its work") {
    ProgramBuilder b(uniform(2, 50_ns));
    const auto callback = b.place(b.steps().mark("begins").work(2_us).mark("ends").end());
    b.task(b.steps().work(10_us).mark("done"), 0);
    b.task(b.steps().work(4_us).sync(Tiny::softirq, 0, callback), 1);
    const TinyRun run = run_tiny(b);
    CHECK(run.at("begins") == 4_us);
    CHECK(run.cpu("begins") == 0);
    CHECK(run.at("ends") == 6_us);
    CHECK(run.at("done") == 12_us);
}

TEST_CASE("a softirq does not delay lines on their way, nor a wall-clock delay") {
    for (const bool wall_clock : {false, true}) {
        ProgramBuilder b(uniform(2, 50_ns));
        const auto callback = b.place(b.steps().work(2_us).end());
        const Steps first = wall_clock ? b.steps().busy(10_us) : b.steps().sync(Tiny::lines, 0, 10_us);
        b.task(b.steps().then(first).work(1_us).mark("done"), 0);
        b.task(b.steps().work(4_us).sync(Tiny::softirq, 0, callback), 1);
        CHECK(run_tiny(b).at("done") == 11_us);
    }
}

TEST_CASE("softirqs of one CPU run one after the other") {
    ProgramBuilder b(uniform(2, 50_ns));
    const auto first = b.place(b.steps().work(2_us).mark("first").end());
    const auto second = b.place(b.steps().work(2_us).mark("second").end());
    b.task(b.steps().work(10_us).mark("done"), 0);
    b.task(b.steps().work(4_us).sync(Tiny::softirq, 0, first).work(1_us).sync(Tiny::softirq, 0, second), 1);
    const TinyRun run = run_tiny(b);
    CHECK(run.at("first") == 6_us);
    CHECK(run.at("second") == 8_us);
    CHECK(run.at("done") == 14_us);
}

TEST_CASE("a softirq on an idle CPU runs at once, and a task that wakes meanwhile waits for its end") {
    ProgramBuilder b(uniform(2, 50_ns));
    const auto callback = b.place(b.steps().work(4_us).mark("softirq").end());
    b.task(b.steps().sleep(6_us).mark("awake"), 0);
    b.task(b.steps().work(4_us).sync(Tiny::softirq, 0, callback), 1);
    const TinyRun run = run_tiny(b);
    CHECK(run.at("softirq") == 8_us);
    CHECK(run.at("awake") == 8_us);
}

TEST_CASE("a softirq waits until its CPU turns interrupts on") {
    ProgramBuilder b(uniform(2, 50_ns));
    const auto callback = b.place(b.steps().mark("softirq").work(2_us).end());
    b.task(b.steps().sync(Tiny::irq_off).work(10_us).sync(Tiny::irq_on).work(1_us).mark("done"), 0);
    b.task(b.steps().work(4_us).sync(Tiny::softirq, 0, callback), 1);
    const TinyRun run = run_tiny(b);
    CHECK(run.at("softirq") == 10_us);
    CHECK(run.at("done") == 13_us);
}

TEST_CASE("a softirq that comes during a context switch runs at its end, before the next task") {
    ProgramBuilder b(uniform(2, 50_ns));
    b.config.context_switch = 2_us;
    const auto callback = b.place(b.steps().mark("softirq").work(1_us).end());
    b.task(b.steps().mark("task"), 0);
    b.task(b.steps().mark("other"), 1);
    b.task(b.steps().sync(Tiny::softirq, 0, callback), 1);  // at 4 us: CPU 0 idles
    b.task(b.steps().sleep(1_us).sync(Tiny::softirq, 0, callback), 1);
    const TinyRun run = run_tiny(b);
    CHECK(run.at("task") == 2_us);

    ProgramBuilder c(uniform(2, 50_ns));
    const auto at_switch = c.place(c.steps().mark("softirq").work(1_us).end());
    c.config.context_switch = 2_us;
    c.task(c.steps().mark("task"), 0);
    // CPU 1's task begins at 2 us; its second one, begun at 4 us, strikes CPU 0 in the middle of its second switch.
    c.task(c.steps().work(1_us).sync(Tiny::softirq, 0, at_switch), 1);
    c.task(c.steps().mark("next"), 0);
    const TinyRun second = run_tiny(c);
    CHECK(second.at("softirq") == 4_us);
    CHECK(second.at("next") == 5_us);
}

TEST_CASE("a spinning task that is resumed under a softirq goes on when the softirq has ended") {
    ProgramBuilder b(uniform(2, 50_ns));
    const auto callback = b.place(b.steps().work(5_us).end());
    b.task(b.steps().sync(Tiny::spin, 0).mark("on"), 0);
    b.task(b.steps().work(4_us).sync(Tiny::softirq, 0, callback).work(1_us).sync(Tiny::resume, 0, 1_us), 1);
    CHECK(run_tiny(b).at("on") == 9_us);
}

TEST_CASE("a spinning task that is resumed under a softirq by a line that takes longer waits for the line") {
    ProgramBuilder b(uniform(2, 50_ns));
    const auto callback = b.place(b.steps().work(5_us).end());
    b.task(b.steps().sync(Tiny::spin, 0).mark("on"), 0);
    b.task(b.steps().work(4_us).sync(Tiny::softirq, 0, callback).work(1_us).sync(Tiny::resume, 0, 7_us), 1);
    CHECK(run_tiny(b).at("on") == 12_us);
}

TEST_CASE("a spinning task that nobody resumes spins on behind a softirq") {
    ProgramBuilder b(uniform(2, 50_ns));
    const auto callback = b.place(b.steps().work(2_us).end());
    b.task(b.steps().sync(Tiny::spin, 0).mark("on"), 0);
    b.task(b.steps().work(4_us).sync(Tiny::softirq, 0, callback).work(10_us).sync(Tiny::resume, 0), 1);
    const TinyRun run = run_tiny(b);
    CHECK(run.at("on") == 14_us);
    CHECK(Time{run.record.cpu_use_ps[static_cast<std::size_t>(CpuUse::spin)]} == 12_us);
}

TEST_CASE("a callback draws with the lineage and iteration of the task that queued it") {
    const auto length = [](bool extra) {
        ProgramBuilder b(uniform(2, 50_ns));
        const auto callback = b.place(b.steps().mark("begins").drawn(Exponential{5_us}, "free").mark("ends").end());
        Steps s = b.steps();
        if (extra) s.drawn(Exponential{1_us}, "extra");
        b.task(s.work(4_us).sync(Tiny::softirq, 0, callback), 1);
        const TinyRun run = run_tiny(b);
        return run.at("ends") - run.at("begins");
    };
    CHECK(length(false) == length(true));
    CHECK(length(false) > 0_ps);
}

}  // namespace
}  // namespace forksim::test
