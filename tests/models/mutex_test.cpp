// The mutex stepped by hand. A line takes 50 ns between any two CPUs; switching and waking are free unless a test says
// so.
#include <doctest/doctest.h>

#include "tests/models/lock_script.hpp"

namespace forksim::test {
namespace {

LockProgram program(Cpu cpus) { return {uniform(cpus, 50_ns), {LockKind::mutex}}; }

/// Holds the mutex from `at`: `before` running, `asleep`, `behind` running.
Steps sleeper(LockProgram& p, Time at, Time before, Time asleep, Time behind = {}) {
    Steps body = p.steps();
    if (before > Time{}) body.work(before);
    body.sleep(asleep);
    if (behind > Time{}) body.work(behind);
    Steps s = p.steps();
    if (at > Time{}) s.work(at);
    return s.then(p.KernelBuilder::section(0, body));
}

const SiteRecord& site(const LockProgram& p, const LockRun& run) { return run.record.sites[p.site_of(0)]; }

TEST_CASE("mutex: uncontended it costs the transfer of its line") {
    LockProgram p = program(2);
    p.task(p.section(0_ns, 100_ns), 0);
    const Task second = p.task(p.section(1000_ns, 100_ns), 1);
    const LockRun run = p.run();
    CHECK(run.at(second) == 1050_ns);
    CHECK(site(p, run).contended == 0);
    CHECK(run.record.wakes == 0);
}

TEST_CASE("mutex: while the owner runs the next one spins, and takes it with a re-read and an upgrade") {
    LockProgram p = program(2);
    p.task(p.section(0_ns, 1000_ns), 0);
    const Task second = p.task(p.section(200_ns, 100_ns), 1);
    // 200 fails 250, head of the OSQ at once. 1000 unlock (a cmpxchg) 1050; re-read 1100; cmpxchg 1150.
    const LockRun run = p.run();
    CHECK(run.at(second) == 1150_ns);
    CHECK(run.record.wakes == 0);
    CHECK(site(p, run).wait_part_ps[0] == Time(950_ns).ps);
    CHECK(site(p, run).wait_part_ps[1] == 0);
}

TEST_CASE("mutex: spinners queue: the first to come is the next to have it") {
    LockProgram p = program(5);
    p.task(p.section(0_ns, 5000_ns), 0);
    std::vector<Task> expected;
    for (Cpu cpu = 1; cpu < 5; ++cpu) expected.push_back(p.task(p.section(cpu * 200_ns, 100_ns), cpu));
    const LockRun run = p.run();
    const std::vector<Task> order = run.order();
    CHECK(std::vector<Task>(order.begin() + 1, order.end()) == expected);
    CHECK(run.record.wakes == 0);
}

TEST_CASE("mutex: an owner that sleeps is waited for asleep, and wakes the waiter at its own cost") {
    LockProgram p = program(2);
    p.config.wake_cost = 1_us;
    const Task owner = p.task(sleeper(p, 0_ns, 0_ns, 10_us).mark("released"), 0);
    const Task second = p.task(p.section(200_ns, 100_ns), 1);
    // 200 fails 250, joins the list on its own line. 10000 unlock 10050; wakes it, which costs 1000. It runs at once:
    // cmpxchg 10050-10100.
    const LockRun run = p.run();
    CHECK(run.of(owner)[0].released == 10_us);
    CHECK(run.at(second) == 10100_ns);
    CHECK(run.record.wakes == 1);
    CHECK(site(p, run).wait_part_ps[0] == Time(50_ns).ps);
    CHECK(site(p, run).wait_part_ps[1] == Time(9850_ns).ps);
}

TEST_CASE("mutex: spinning ends when the owner goes to sleep") {
    LockProgram p = program(2);
    p.task(sleeper(p, 0_ns, 500_ns, 10_us), 0);
    const Task second = p.task(p.section(200_ns, 100_ns), 1);
    // Spins from 250; the owner leaves its CPU at 500, seen 550; sleeps. 10500 unlock 10550, woken, cmpxchg 10600.
    const LockRun run = p.run();
    CHECK(run.at(second) == 10600_ns);
    CHECK(site(p, run).wait_part_ps[0] == Time(350_ns).ps);
    CHECK(site(p, run).wait_part_ps[1] == Time(10050_ns).ps);
}

TEST_CASE("mutex: spinning ends when somebody else is due on the CPU, in whichever place of the queue") {
    for (const Cpu crowded : {1U, 2U}) {
        LockProgram p = program(3);
        p.config.slice = 100_us;
        p.task(p.section(0_ns, 500_us), 0);
        for (Cpu cpu = 1; cpu < 3; ++cpu) p.task(p.section(cpu * 1_us, 1_us), cpu);
        p.task(p.at(300_us).mark("other"), crowded);
        const LockRun run = p.run();
        CHECK(run.grants.size() == 3);
        CHECK(site(p, run).wait_part_ps[1] > 0);
        CHECK(run.record.wakes == 1);
        // It has the CPU from the end of the spinner's slice, when the spinner has queued on the lock's line.
        CHECK(run_kernel(p).at("other") == 400'050_ns);
    }
}

TEST_CASE("mutex: a first sleeper that wakes up in vain gets it next, past those that spin") {
    LockProgram p = program(4);
    p.topology.idle_states = {{0_ns, 2_us}};
    // Every CPU takes 2 us to wake up. The owner has slept from 2 to 14 us and unlocks at 15.
    p.task(sleeper(p, 0_ns, 0_ns, 10_us, 1_us), 0);
    const Task sleeps = p.task(p.section(200_ns, 100_ns), 3);
    // Spins from 14.5 us on and takes it before the sleeper is awake, at 17 us, in vain.
    const Task thief = p.task(p.section(12'500_ns, 20_us), 2);
    const Task spins = p.task(p.section(20'000_ns, 100_ns), 1);
    const LockRun run = p.run();
    const std::vector<Task> order = run.order();
    CHECK(std::vector<Task>(order.begin() + 1, order.end()) == std::vector<Task>{thief, sleeps, spins});
}

TEST_CASE("mutex: 20 CPUs that hold it asleep now and then get it in about equal shares") {
    LockProgram p(uniform(20, 50_ns), {LockKind::mutex});
    p.config.duration = 100'000_us;
    p.config.wake_cost = 1_us;
    p.config.context_switch = 500_ns;
    p.topology.idle_states = {{0_ns, 1_us}};
    for (Cpu cpu = 0; cpu < 20; ++cpu) {
        Steps nap = p.steps();
        Steps body = p.steps();
        body.drawn(Exponential{3_us}, "hold").maybe(0.1, "naps", nap.sleep(20_us));
        Steps s = p.steps();
        p.task(s.drawn(Exponential{10_us}, "think").then(p.KernelBuilder::section(0, body)).count(0).forever(), cpu);
    }
    const LockRun run = p.run();
    const SiteRecord& all = site(p, run);
    CHECK(run.fairness(20) > 0.97);
    CHECK(all.acquisitions > 5'000);
    // The parts make up the waits, but for those that the window's end cuts off.
    CHECK(all.wait_part_ps[0] + all.wait_part_ps[1] == all.wait.sum_ps());
    CHECK(all.wait_part_ps[0] > 0);
    CHECK(all.wait_part_ps[1] > 0);
}

}  // namespace
}  // namespace forksim::test
