// Who runs where and when, and what switching costs. All times computed by hand.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "sim/error.hpp"
#include "tests/sim/tiny_model.hpp"

namespace forksim::test {
namespace {

using Labels = std::vector<std::string>;

TEST_CASE("a task on an idle CPU pays one context switch, then works") {
    ProgramBuilder b(uniform(1, 50_ns));
    b.config.context_switch = 700_ns;
    b.task(b.steps().mark("begins").work(1_us).mark("ends"), 0);
    const TinyRun run = run_tiny(b);
    CHECK(run.at("begins") == 700_ns);
    CHECK(run.at("ends") == 1700_ns);
    CHECK(run.created == 1);
    CHECK(run.exited == 1);
}

TEST_CASE("each switch between two tasks costs the CPU a context switch") {
    ProgramBuilder b(uniform(1, 50_ns));
    b.config.context_switch = 700_ns;
    b.task(b.steps().work(1_us).sleep(10_us).mark("first again"), 0);
    b.task(b.steps().mark("second").work(1_us), 0);
    const TinyRun run = run_tiny(b);
    // 0.7 switch, 1.7 asleep, switch to the second until 2.4
    CHECK(run.at("second") == 2400_ns);
    // 3.4 the second has ended: the CPU switches until 4.1 and idles; 11.7 the first wakes, and is switched to.
    CHECK(run.at("first again") == 12400_ns);
}

TEST_CASE("CPU time is accounted by use, and sums to the window on every CPU") {
    ProgramBuilder b(uniform(2, 50_ns));
    b.config.context_switch = 700_ns;
    b.config.duration = 100_us;
    b.task(b.steps().work(1_us).user(2_us).sync(Tiny::spin, 0), 0);
    b.task(b.steps().work(10_us).sync(Tiny::resume, 0), 1);
    const Record record = run_tiny(b).record;
    const auto use = [&](CpuUse u) { return Time{record.cpu_use_ps[static_cast<std::size_t>(u)]}; };
    CHECK(use(CpuUse::user) == 2_us);
    CHECK(use(CpuUse::kernel) == 11_us);
    CHECK(use(CpuUse::spin) == 7_us);               // from 3.7 to 10.7
    CHECK(use(CpuUse::context_switch) == 2800_ns);  // to the task and away from it, on both
    CHECK(use(CpuUse::idle) == 200_us - 2_us - 11_us - 7_us - 2800_ns);
}

TEST_CASE("a wake-up waits for the exit from the idle state that the CPU has reached") {
    const auto woken_at = [](Time asleep) {
        ProgramBuilder b(uniform(1, 50_ns));
        b.topology.idle_states = {{0_ns, 1_us}, {20_us, 2_us}, {500_us, 60_us}};
        b.task(b.steps().sleep(asleep).mark("awake"), 0);
        return run_tiny(b).at("awake") - 1_us - asleep;  // the start costs the exit from the shallowest state
    };
    CHECK(woken_at(10_us) == 1_us);
    CHECK(woken_at(20_us) == 2_us);
    CHECK(woken_at(499_us) == 2_us);
    CHECK(woken_at(500_us) == 60_us);
}

TEST_CASE("a wake-up costs the waker, and the woken task does not wait for that") {
    ProgramBuilder b(uniform(2, 50_ns));
    b.config.wake_cost = 1500_ns;
    b.task(b.steps().sync(Tiny::block, 0).mark("woken"), 0);
    b.task(b.steps().work(10_us).sync(Tiny::wake, 0).mark("waker goes on"), 1);
    const TinyRun run = run_tiny(b);
    CHECK(run.at("woken") == 10_us);
    CHECK(run.at("waker goes on") == 11500_ns);
    CHECK(run.record.wakes == 1);
}

TEST_CASE("starting a child costs the parent as much as a wake-up") {
    ProgramBuilder b(uniform(2, 50_ns));
    b.config.wake_cost = 1500_ns;
    const auto child = b.place(b.steps().mark("child").exit());
    b.task(b.steps().work(10_us).spawn("clone", child).mark("parent goes on"), {0, 1});
    const TinyRun run = run_tiny(b);
    CHECK(run.at("child") == 10_us);
    CHECK(run.cpu("child") == 1);
    CHECK(run.at("parent goes on") == 11500_ns);
}

TEST_CASE("a wake-up that takes time makes the task runnable only then") {
    ProgramBuilder b(uniform(2, 50_ns));
    b.task(b.steps().sync(Tiny::block, 0).mark("woken"), 0);
    b.task(b.steps().work(10_us).sync(Tiny::wake, 0, 3_us).mark("waker"), 1);
    const TinyRun run = run_tiny(b);
    CHECK(run.at("woken") == 13_us);
    CHECK(run.at("waker") == 10_us);
}

TEST_CASE("the at-switch work of a dead task runs on its CPU before the next task") {
    ProgramBuilder b(uniform(2, 50_ns));
    b.config.context_switch = 700_ns;
    const auto at_switch = b.place(b.steps().mark("at switch").work(2_us).end());
    b.task(b.steps().work(1_us).mark("dies").exit_then(at_switch), 0);
    b.task(b.steps().mark("next"), 0);
    const TinyRun run = run_tiny(b);
    CHECK(run.at("dies") == 1700_ns);
    CHECK(run.at("at switch") == 2400_ns);
    CHECK(run.cpu("at switch") == 0);
    CHECK(run.at("next") == 4400_ns);  // the one switch between the two is paid for once
}

TEST_CASE("the at-switch work of a dead task runs on its CPU when nobody follows") {
    ProgramBuilder b(uniform(2, 50_ns));
    b.config.context_switch = 700_ns;
    const auto at_switch = b.place(b.steps().mark("at switch").work(2_us).end());
    b.task(b.steps().work(1_us).exit_then(at_switch), 1);
    const TinyRun run = run_tiny(b);
    CHECK(run.at("at switch") == 2400_ns);
    CHECK(run.cpu("at switch") == 1);
    CHECK(Time{run.record.cpu_use_ps[static_cast<std::size_t>(CpuUse::idle)]} == 2000_us - 1_us - 2_us - 1400_ns);
}

TEST_CASE("a task that arrives during at-switch work waits for its end, without another switch") {
    ProgramBuilder b(uniform(2, 50_ns));
    b.config.context_switch = 700_ns;
    const auto at_switch = b.place(b.steps().work(5_us).mark("at switch ends").end());
    b.task(b.steps().sleep(3_us).mark("arrived"), 0);
    b.task(b.steps().work(100_ns).exit_then(at_switch), 0);
    const TinyRun run = run_tiny(b);
    // 0.7 sleeps; 1.4 second; 1.5 dies; 2.2 at-switch work; 3.7 the first wakes up; 7.2 the work is done
    CHECK(run.at("at switch ends") == 7200_ns);
    CHECK(run.at("arrived") == 7200_ns);
}

TEST_CASE("slices are only given out when somebody waits, and the rest of the work is kept to the picosecond") {
    ProgramBuilder b(uniform(1, 50_ns));
    b.config.slice = 3_us;
    b.config.context_switch = 100_ns;
    b.task(b.steps().work(5_us).mark("first done"), 0);
    b.task(b.steps().work(4_us).mark("second done"), 0);
    const TinyRun run = run_tiny(b);
    // first 0.1-3.1, second 3.2-6.2, first 6.3-8.3, second 8.4-9.4 (a switch when the first has ended)
    CHECK(run.at("first done") == 8300_ns);
    CHECK(run.at("second done") == 9400_ns);

    ProgramBuilder alone(uniform(1, 50_ns));
    alone.config.slice = 3_us;
    alone.config.context_switch = 100_ns;
    alone.task(alone.steps().work(50_us).mark("done"), 0);
    CHECK(run_tiny(alone).at("done") == 50100_ns);
}

TEST_CASE("a slice that was over before anybody waited ends when somebody comes") {
    ProgramBuilder b(uniform(1, 50_ns));
    b.config.slice = 3_us;
    b.task(b.steps().sleep(5_us).mark("came").work(1_us), 0);
    b.task(b.steps().work(20_us).mark("long one"), 0);
    const TinyRun run = run_tiny(b);
    CHECK(run.at("came") == 5_us);
    CHECK(run.at("long one") == 21_us);
}

/// What a slice of 3 us does to 5 us of kernel work, 1 us in user mode, and a point where the kernel may yield.
Labels order_under(PreemptModel model, bool cond_resched) {
    ProgramBuilder b(uniform(1, 50_ns));
    b.config.slice = 3_us;
    b.config.preempt = model;
    Steps first = b.steps().work(5_us).mark("kernel");
    (cond_resched ? first.cond_resched() : first.might_sleep()).mark("point").work(2_us).mark("more kernel");
    b.task(first.user(1_us).mark("user"), 0);
    b.task(b.steps().mark("other"), 0);
    return run_tiny(b).order();
}

TEST_CASE("none: kernel code loses the CPU at cond_resched and on return to user mode only") {
    CHECK(order_under(PreemptModel::none, false) == Labels{"kernel", "point", "more kernel", "other", "user"});
    CHECK(order_under(PreemptModel::none, true) == Labels{"kernel", "other", "point", "more kernel", "user"});
}
TEST_CASE("voluntary: kernel code loses the CPU at might_sleep too") {
    CHECK(order_under(PreemptModel::voluntary, false) == Labels{"kernel", "other", "point", "more kernel", "user"});
    CHECK(order_under(PreemptModel::voluntary, true) == Labels{"kernel", "other", "point", "more kernel", "user"});
}
TEST_CASE("lazy and full: kernel code loses the CPU anywhere") {
    CHECK(order_under(PreemptModel::lazy, false) == Labels{"other", "kernel", "point", "more kernel", "user"});
    CHECK(order_under(PreemptModel::full, false) == Labels{"other", "kernel", "point", "more kernel", "user"});
}

TEST_CASE("user code loses the CPU in the middle under every model") {
    for (const PreemptModel model :
         {PreemptModel::none, PreemptModel::voluntary, PreemptModel::lazy, PreemptModel::full}) {
        ProgramBuilder b(uniform(1, 50_ns));
        b.config.slice = 3_us;
        b.config.preempt = model;
        b.task(b.steps().user(5_us).mark("user"), 0);
        b.task(b.steps().mark("other"), 0);
        const TinyRun run = run_tiny(b);
        CHECK(run.at("other") == 3_us);
        CHECK(run.at("user") == 5_us);
    }
}

TEST_CASE("a slice that ends in a section without preemption ends with the section") {
    ProgramBuilder b(uniform(1, 50_ns));
    b.config.slice = 3_us;
    b.task(b.steps().work(1_us).sync(Tiny::preempt_off).work(5_us).sync(Tiny::preempt_on).mark("out").work(1_us), 0);
    b.task(b.steps().mark("other"), 0);
    const TinyRun run = run_tiny(b);
    CHECK(run.at("other") == 6_us);
    CHECK(run.order() == Labels{"other", "out"});
}

TEST_CASE("sections nest: the slice ends with the outermost") {
    ProgramBuilder b(uniform(1, 50_ns));
    b.config.slice = 3_us;
    Steps s = b.steps().sync(Tiny::preempt_off).sync(Tiny::irq_off).sync(Tiny::preempt_off).work(5_us);
    b.task(s.sync(Tiny::preempt_on).work(1_us).sync(Tiny::preempt_on).work(1_us).sync(Tiny::irq_on).work(1_us), 0);
    b.task(b.steps().mark("other"), 0);
    CHECK(run_tiny(b).at("other") == 7_us);  // interrupts are off until then
}

TEST_CASE("a spinning task is not preempted, and loses the CPU once it has what it waited for") {
    ProgramBuilder b(uniform(2, 50_ns));
    b.config.slice = 3_us;
    b.task(b.steps().sync(Tiny::spin, 0).mark("spun").work(1_us), 0);
    b.task(b.steps().mark("other"), 0);
    b.task(b.steps().work(10_us).sync(Tiny::resume, 0), 1);
    const TinyRun run = run_tiny(b);
    CHECK(run.at("other") == 10_us);
    CHECK(run.at("spun") == 10_us);
    CHECK(run.order() == Labels{"other", "spun"});
}

TEST_CASE("wall-clock work goes on while preempted, CPU work does not") {
    ProgramBuilder b(uniform(1, 50_ns));
    b.config.slice = 3_us;
    b.task(b.steps().busy(4_us).mark("delay over"), 0);
    b.task(b.steps().work(2_us).mark("other"), 0);
    const TinyRun run = run_tiny(b);
    CHECK(run.at("other") == 5_us);
    CHECK(run.at("delay over") == 5_us);  // it was over at 4 us
}

TEST_CASE("yield lets those who wait go first, and is free when nobody does") {
    ProgramBuilder b(uniform(1, 50_ns));
    b.config.context_switch = 100_ns;
    b.task(b.steps().yield().mark("first"), 0);
    b.task(b.steps().mark("second").work(1_us), 0);
    const TinyRun run = run_tiny(b);
    CHECK(run.at("second") == 200_ns);
    CHECK(run.at("first") == 1300_ns);

    ProgramBuilder alone(uniform(1, 50_ns));
    alone.config.context_switch = 100_ns;
    alone.task(alone.steps().yield().mark("first"), 0);
    CHECK(run_tiny(alone).at("first") == 100_ns);
}

TEST_CASE("of events on the same picosecond the smaller CPU goes first with --tie-break id") {
    ProgramBuilder b(uniform(4, 50_ns));
    for (Cpu cpu = 4; cpu-- > 0;) b.task(b.steps().work(1_us).mark(std::to_string(cpu)), cpu);
    for (std::uint64_t stream = 1; stream <= 5; ++stream)
        CHECK(run_tiny(b, stream).order() == Labels{"0", "1", "2", "3"});
    CHECK(run_tiny(b).record.ties > 0);
}

TEST_CASE("random tie break: the order is drawn from the seed, and every CPU is first equally often") {
    ProgramBuilder b(uniform(4, 50_ns));
    b.config.tie_break = TieBreak::random;
    for (Cpu cpu = 0; cpu < 4; ++cpu) b.task(b.steps().work(1_us).mark(std::to_string(cpu)), cpu);
    int first[4] = {};
    for (std::uint64_t stream = 1; stream <= 800; ++stream) {
        const Labels order = run_tiny(b, stream).order();
        CHECK(order == run_tiny(b, stream).order());
        ++first[std::stoi(order[0])];
    }
    // Binomial(800, 1/4): 200 +- 12.2; five standard deviations.
    for (const int n : first) {
        CHECK(n > 139);
        CHECK(n < 261);
    }
}

TEST_CASE("sleepers that wake on the same picosecond do so in an order drawn from the seed") {
    ProgramBuilder b(uniform(4, 50_ns));
    b.config.tie_break = TieBreak::random;
    // All on CPU 0, so that the order of the timers is the order of the queue.
    for (int i = 0; i < 4; ++i) b.task(b.steps().sleep(5_us).mark(std::to_string(i)), 0);
    int first[4] = {};
    for (std::uint64_t stream = 1; stream <= 800; ++stream) ++first[std::stoi(run_tiny(b, stream).order()[0])];
    for (const int n : first) {
        CHECK(n > 139);
        CHECK(n < 261);
    }
}

}  // namespace
}  // namespace forksim::test
