// Callbacks: after the first grace period that begins after they were queued, where they were queued, at a tick there.
#include "models/rcu.hpp"

#include <doctest/doctest.h>

#include <vector>

#include "tests/support/build_program.hpp"

namespace forksim::test {
namespace {

constexpr Time grace_period = 300_us;

KernelBuilder with_rcu(std::uint32_t batch = 128) {
    KernelBuilder b(uniform(4, 50_ns));
    b.config.tick = 100_us;
    b.config.duration = Time::from_ms(20);
    b.spec.rcu.grace_period = b.program.tables.add(Constant{grace_period});
    b.spec.rcu.batch = batch;
    return b;
}

TEST_CASE("a callback runs at the first tick behind its grace period, on the CPU that queued it") {
    for (const Cpu cpu : {0u, 3u}) {
        KernelBuilder b = with_rcu();
        const auto callback = b.place(b.steps().mark("callback").end());
        b.task(b.at(40_us).then(b.call_rcu(callback)), cpu);
        const KernelRun run = run_kernel(b);
        CHECK(run.marks.at(0).cpu == cpu);
        CHECK(run.at("callback") > 40_us + grace_period);
        CHECK(run.at("callback") <= 40_us + grace_period + 100_us);
    }
}

TEST_CASE("ticks of different CPUs are out of step") {
    KernelBuilder b = with_rcu();
    const auto callback = b.place(b.steps().mark("callback").end());
    const auto first = b.place(b.steps().end());
    b.task(b.call_rcu(first), 0);  // a grace period is under way: the others all wait for the next one
    for (Cpu cpu = 0; cpu < 4; ++cpu) b.task(b.at(1_us).then(b.call_rcu(callback)), cpu);
    const KernelRun run = run_kernel(b);
    std::vector<Time> ran(4);
    for (const Mark& mark : run.marks) ran[mark.cpu] = mark.at;
    CHECK(ran[0] != ran[1]);
    CHECK(ran[1] != ran[2]);
}

TEST_CASE("a callback queued during a grace period waits for the next one") {
    KernelBuilder b = with_rcu();
    const auto early = b.place(b.steps().mark("early").end());
    const auto late = b.place(b.steps().mark("late").end());
    b.task(b.at(10_us).then(b.call_rcu(early)), 0);
    b.task(b.at(20_us).then(b.call_rcu(late)), 1);
    b.task(b.at(309_us).then(b.call_rcu(late)), 2);
    const KernelRun run = run_kernel(b);
    CHECK(run.at("early") > 310_us);
    CHECK(run.at("early") <= 410_us);
    REQUIRE(run.all("late").size() == 2);
    for (const Time at : run.all("late")) {  // the second one: 310 .. 610
        CHECK(at > 610_us);
        CHECK(at <= 710_us);
    }
}

TEST_CASE("a callback queued when all grace periods are over begins one") {
    KernelBuilder b = with_rcu();
    const auto callback = b.place(b.steps().mark("callback").end());
    b.task(b.at(10_us).then(b.call_rcu(callback)), 0);
    b.task(b.at(5000_us).then(b.call_rcu(callback)), 1);
    const KernelRun run = run_kernel(b);
    REQUIRE(run.all("callback").size() == 2);
    CHECK(run.all("callback")[1] > 5300_us);
    CHECK(run.all("callback")[1] <= 5400_us);
}

TEST_CASE("at most `batch` callbacks run on top of a task, and the rest when its CPU changes tasks") {
    for (const PreemptModel preempt : {PreemptModel::none, PreemptModel::lazy}) {
        KernelBuilder b = with_rcu(4);
        b.config.preempt = preempt;
        const auto callback = b.place(b.steps().mark("callback").work(1_us).end());
        const auto first = b.place(b.steps().end());
        b.task(b.call_rcu(first), 1);  // a grace period is under way: the others all wait for the next one
        b.task(b.at(1_us).repeat(10, b.call_rcu(callback)).work(5000_us).mark("task"), 0);
        const KernelRun run = run_kernel(b);
        const std::vector<Time> times = run.all("callback");
        REQUIRE(times.size() == 10);
        CHECK(times[0] > 600_us);
        CHECK(times[0] <= 800_us);
        // The rest in ksoftirqd: kernel code gives the CPU up at its end, or where its slice of 3 ms ends.
        const Time rest = preempt == PreemptModel::none ? run.at("task") : 3000_us;
        for (std::size_t i = 0; i < 10; ++i) {
            const auto one_us_each = static_cast<std::int64_t>(i % 4) * 1_us;
            if (i < 4) CHECK(times[i] == times[0] + one_us_each);
            if (i >= 4) CHECK(times[i] == rest + static_cast<std::int64_t>(i - 4) * 1_us);
        }
    }
}

TEST_CASE("a callback that queues another one waits for one more grace period") {
    KernelBuilder b = with_rcu();
    const auto second = b.place(b.steps().mark("second").end());
    const auto first = b.place(b.steps().mark("first").then(b.call_rcu(second)).end());
    b.task(b.at(10_us).then(b.call_rcu(first)), 2);
    const KernelRun run = run_kernel(b);
    CHECK(run.at("second") > run.at("first") + 300_us);
    CHECK(run.at("second") <= run.at("first") + 400_us);
    for (const Mark& mark : run.marks) CHECK(mark.cpu == 2);
}

TEST_CASE("callbacks run on top of a busy task and push back its work") {
    KernelBuilder b = with_rcu();
    const auto callback = b.place(b.steps().work(7_us).end());
    b.task(b.call_rcu(callback).work(1000_us).mark("done"), 0);
    CHECK(run_kernel(b).at("done") == 1007_us);
}

TEST_CASE("the length of each grace period is drawn anew, and by nothing else than its number") {
    const auto lengths = [](bool more_tasks) {
        KernelBuilder b = with_rcu();
        b.config.tick = 1_ps;  // so that callbacks run when the grace period is over
        b.spec.rcu.grace_period = b.program.tables.add(Exponential{grace_period});
        const auto next = b.place(b.steps().mark("over").end());
        b.task(b.steps().repeat(8, b.steps().work(2000_us).then(b.call_rcu(next))), 0);
        if (more_tasks) b.task(b.steps().drawn(Exponential{1_us}, "else").work(1_us).forever(), 1);
        return run_kernel(b).all("over");
    };
    CHECK(lengths(false).size() == 8);
    CHECK(lengths(false) == lengths(true));
}

}  // namespace
}  // namespace forksim::test
