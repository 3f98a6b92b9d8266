// The priority-inheriting futex stepped by hand. A line takes 50 ns between any two CPUs; switching is free.
#include <doctest/doctest.h>

#include "tests/models/lock_script.hpp"

namespace forksim::test {
namespace {

LockProgram program(Cpu cpus) { return {uniform(cpus, 50_ns), {LockKind::futex_pi}}; }

TEST_CASE("futex_pi: uncontended it is one locked instruction each way, and nobody sleeps") {
    LockProgram p = program(2);
    p.task(p.section(0_ns, 100_ns), 0);
    const Task second = p.task(p.section(1000_ns, 100_ns), 1);
    const LockRun run = p.run();
    CHECK(run.at(second) == 1050_ns);
    CHECK(run.record.wakes == 0);
    CHECK(run.record.sites[p.site_of(0)].contended == 0);
}

TEST_CASE("futex_pi: the first waiter spins while the owner runs, the others sleep") {
    LockProgram p = program(3);
    p.task(p.section(0_ns, 1000_ns), 0);
    const Task first = p.task(p.section(200_ns, 100_ns), 1);
    const Task second = p.task(p.section(400_ns, 100_ns), 2);
    // The first has the line again 50 ns behind each write to it. 1000 unlock in vain 1050, the first reads until 1100;
    // the unlock in the kernel 1100-1150; the first sees at 1200 that it is the owner.
    const LockRun run = p.run();
    CHECK(run.at(first) == 1200_ns);
    CHECK(run.record.wakes == 1);
    CHECK(run.at(second) > run.of(first)[0].released);
}

TEST_CASE("futex_pi: an owner that sleeps hands over to a sleeper, at the cost of a wake-up") {
    LockProgram p = program(2);
    p.config.wake_cost = 1_us;
    Steps nap = p.steps();
    p.task(p.KernelBuilder::section(0, nap.sleep(10_us)).mark("out"), 0);
    const Task second = p.task(p.section(200_ns, 100_ns), 1);
    // 200 fails 250, queues, sleeps. 10 us: unlock in vain 10050, in the kernel on its own line; it wakes the new
    // owner.
    CHECK(p.run().at(second) == 10050_ns);
    CHECK(run_kernel(p).at("out") == 11050_ns);
}

TEST_CASE("futex_pi: strictly first come, first served, whoever is awake and however slowly the sleeper wakes up") {
    LockProgram p(uniform(8, 50_ns), {LockKind::futex_pi});
    p.config.duration = 50'000_us;
    p.config.wake_cost = 1_us;
    p.topology.idle_states = {{0_ns, 2_us}};
    for (Cpu cpu = 0; cpu < 8; ++cpu) {
        Steps nap = p.steps();
        Steps body = p.steps();
        body.drawn(Exponential{3_us}, "hold").maybe(0.1, "naps", nap.sleep(20_us));
        Steps s = p.steps();
        p.task(s.drawn(Exponential{10_us}, "think").then(p.KernelBuilder::section(0, body)).count(0).forever(), cpu);
    }
    const LockRun run = p.run();
    REQUIRE(run.grants.size() > 3000);
    int overtaken = 0;
    for (std::size_t i = 1; i < run.grants.size(); ++i)
        overtaken += run.grants[i].since + 200_ns < run.grants[i - 1].since;
    CHECK(overtaken == 0);
    const SiteRecord& all = run.record.sites[p.site_of(0)];
    CHECK(all.wait_part_ps[0] + all.wait_part_ps[1] == all.wait.sum_ps());
}

TEST_CASE(
    "futex_pi: a batch of threads that queue behind their creator get it one by one, each woken by the one before") {
    LockProgram p(uniform(4, 50_ns), {LockKind::futex_pi});
    p.config.duration = 50'000_us;
    p.task(p.section(0_us, 1000_us), 0);
    for (Cpu i = 0; i < 30; ++i) p.task(p.section(10_us, 5_us), 1 + i % 3);
    const LockRun run = p.run();
    REQUIRE(run.grants.size() == 31);
    for (std::size_t i = 2; i < run.grants.size(); ++i) {
        CHECK(run.grants[i].since >= run.grants[i - 1].since);
        CHECK(run.grants[i].at >= run.grants[i - 1].released);
    }
    CHECK(run.record.wakes == 29);  // the first of the queue spins
}

}  // namespace
}  // namespace forksim::test
