// The rw_semaphore stepped by hand. A line takes 50 ns between any two CPUs; switching and waking are free unless a
// test says so.
#include <doctest/doctest.h>

#include "tests/models/lock_script.hpp"

namespace forksim::test {
namespace {

constexpr AcquireMode reading = AcquireMode::read;
constexpr AcquireMode writing = AcquireMode::write;

LockProgram program(Cpu cpus) { return {uniform(cpus, 50_ns), {LockKind::rwsem}}; }

/// Holds it asleep from `at` on, for `length`.
Steps asleep(LockProgram& p, Time at, Time length, AcquireMode mode) {
    Steps body = p.steps();
    Steps s = p.steps();
    if (at > Time{}) s.work(at);
    return s.then(p.KernelBuilder::section(0, body.sleep(length), mode));
}

const SiteRecord& site(const LockProgram& p, const LockRun& run) { return run.record.sites[p.site_of(0)]; }

TEST_CASE("rwsem: readers share it; each way costs the transfer of its line") {
    LockProgram p = program(2);
    p.task(p.section(0_ns, 1000_ns, reading), 0);
    const Task second = p.task(p.section(100_ns, 300_ns, reading).mark("out"), 1);
    const LockRun run = p.run();
    CHECK(run.at(second) == 150_ns);
    CHECK(run.of(second)[0].released == 450_ns);
    CHECK(run.record.transfers == 2);  // to the second reader, and back for the first one's release
    CHECK(site(p, run).contended == 0);
}

TEST_CASE("rwsem: a writer spins while a writer runs, and takes it with a re-read and an upgrade") {
    LockProgram p = program(2);
    p.task(p.section(0_ns, 1000_ns, writing), 0);
    const Task second = p.task(p.section(200_ns, 100_ns, writing), 1);
    // 200 fails 250, head of the OSQ at once. 1000 unlock 1050; re-read 1100; cmpxchg 1150.
    const LockRun run = p.run();
    CHECK(run.at(second) == 1150_ns);
    CHECK(run.record.wakes == 0);
    CHECK(site(p, run).wait_part_ps[0] == Time(950_ns).ps);
}

TEST_CASE("rwsem: readers never spin") {
    LockProgram p = program(2);
    p.task(p.section(0_ns, 1000_ns, writing), 0);
    const Task second = p.task(p.section(200_ns, 100_ns, reading), 1);
    // 200 fails 250, joins the list on its own line. 1000 unlock 1050, wakes it: it is granted already.
    const LockRun run = p.run();
    CHECK(run.at(second) == 1050_ns);
    CHECK(run.record.wakes == 1);
    CHECK(site(p, run).wait_part_ps[0] == Time(50_ns).ps);
    CHECK(site(p, run).wait_part_ps[1] == Time(800_ns).ps);
}

TEST_CASE("rwsem: a wake-up that finds a reader first grants all queued readers, past the writers between them") {
    LockProgram p = program(6);
    p.config.wake_cost = 1_us;
    const Task first = p.task(asleep(p, 0_ns, 20_us, writing).mark("out"), 0);
    const Task r1 = p.task(p.section(1_us, 10_us, reading), 1);
    const Task r2 = p.task(p.section(2_us, 10_us, reading), 2);
    const Task w1 = p.task(p.section(3_us, 10_us, writing), 3);
    const Task r3 = p.task(p.section(4_us, 10_us, reading), 4);
    const Task w2 = p.task(p.section(5_us, 1_us, writing), 5);
    const LockRun run = p.run();
    CHECK(run.order() == std::vector<Task>{first, r1, r2, r3, w1, w2});
    // 20 us: unlock, 50 ns for the line; then one reader per microsecond.
    CHECK(run.at(r1) == 20'050_ns);
    CHECK(run.at(r2) == 21'050_ns);
    CHECK(run.at(r3) == 22'050_ns);
    CHECK(run_kernel(p).at("out") == 23'050_ns);
    // The last of them leaves at 32.05 us and, 50 ns later, wakes the writer, which takes it with one more transfer.
    CHECK(run.at(w1) == 32'150_ns);
}

TEST_CASE("rwsem: a writer that spins overtakes the list, until the first in it has waited 4 ms") {
    LockProgram p = program(4);
    p.config.duration = 20'000_us;
    p.topology.idle_states = {{0_ns, 2_us}};
    // Two writers hand it to each other spinning; a third one, which came while the owner slept, is robbed each time it
    // wakes up, 2 us late.
    p.task(asleep(p, 0_ns, 10_us, writing), 0);
    const Task robbed = p.task(p.section(1_us, 1_us, writing), 1);
    for (Cpu cpu = 2; cpu < 4; ++cpu) {
        const Steps s = p.section(0_ns, 30_us, writing);
        p.task(p.at(11_us + cpu * 1_us).then(p.steps().repeat(1000, s)), cpu);
    }
    const LockRun run = p.run();
    REQUIRE(run.of(robbed).size() == 1);
    const Time waited = run.at(robbed) - run.of(robbed)[0].since;
    CHECK(waited > 4000_us);
    CHECK(waited < 4000_us + 2 * 30_us + 5_us);
}

TEST_CASE("rwsem: a writer spins on one reader for 10.5 us, and on thirty for 25 us, then sleeps") {
    for (const auto& [readers, limit] :
         {std::pair{1U, 10'500_ns}, std::pair{30U, 25'000_ns}, std::pair{40U, 25'000_ns}}) {
        LockProgram p = program(readers + 1);
        for (Cpu cpu = 0; cpu < readers; ++cpu) p.task(p.section(0_ns, 100_us, reading), cpu);
        p.task(p.section(50_us, 1_us, writing), readers);
        const LockRun run = p.run();
        const SiteRecord& s = site(p, run);
        CHECK(run.record.wakes == 1);
        // Spinning begins with the failed try, one transfer, and ends with the wait_lock.
        CHECK(s.wait_part_ps[0] >= limit.ps);
        CHECK(s.wait_part_ps[0] <= (limit + 150_ns).ps);
    }
}

TEST_CASE("rwsem: a reader overtakes waiting writers only while nobody is inside") {
    LockProgram p = program(4);
    p.topology.idle_states = {{0_ns, 5_us}};
    p.task(asleep(p, 0_ns, 20_us, writing), 0);
    const Task writer = p.task(p.section(1_us, 1_us, writing), 1);
    // The owner unlocks at 30 us; the writer needs 5 us to wake up. Meanwhile one reader finds it free; the next finds
    // that reader inside and queues behind the writer.
    const Task steals = p.task(p.section(26_us, 20_us, reading), 2);
    const Task queues = p.task(p.section(27_us, 20_us, reading), 3);
    const LockRun run = p.run();
    CHECK(run.at(steals) > 31_us);
    CHECK(run.at(steals) < 31'200_ns);
    CHECK(run.at(writer) > 51_us);
    CHECK(run.at(queues) > run.at(writer));
}

TEST_CASE("rwsem: readers and writers that nap inside never hold it together, and the waits are told apart") {
    LockProgram p(uniform(12, 50_ns), {LockKind::rwsem});
    p.config.duration = 50'000_us;
    p.config.wake_cost = 1_us;
    p.config.context_switch = 500_ns;
    p.topology.idle_states = {{0_ns, 1_us}};
    for (Cpu cpu = 0; cpu < 12; ++cpu) {
        Steps nap = p.steps();
        Steps body = p.steps();
        body.drawn(Exponential{3_us}, "hold").maybe(0.1, "naps", nap.sleep(20_us));
        Steps s = p.steps();
        s.drawn(Exponential{20_us}, "think").then(p.KernelBuilder::section(0, body, cpu < 8 ? reading : writing));
        p.task(s.count(0).forever(), cpu);
    }
    const LockRun run = p.run();
    const SiteRecord& all = site(p, run);
    CHECK(all.acquisitions > 5'000);
    CHECK(run.fairness(12) > 0.9);
    CHECK(all.wait_part_ps[0] + all.wait_part_ps[1] == all.wait.sum_ps());
}

}  // namespace
}  // namespace forksim::test
