// The percpu_rw_semaphore stepped by hand. Switching and waking are free unless a test says so; so are lines where
// times are to be exact.
#include <doctest/doctest.h>

#include "tests/models/lock_script.hpp"

namespace forksim::test {
namespace {

constexpr AcquireMode reading = AcquireMode::read;
constexpr AcquireMode writing = AcquireMode::write;

LockProgram program(Cpu cpus, Time line = {}, Time grace_period = 300_us) {
    LockProgram p(uniform(cpus, line), {LockKind::percpu_rwsem});
    p.spec.rcu.grace_period = {grace_period.ps, Sampler::constant};
    p.config.duration = 20'000_us;
    return p;
}
/// The same with a writer about at all times, so that nobody waits for a grace period.
LockProgram slow(Cpu cpus, Time line = {}) {
    LockProgram p = program(cpus, line);
    p.spec.locks[0].always_slow = true;
    return p;
}
Steps asleep(LockProgram& p, Time at, Time length, AcquireMode mode) {
    Steps body = p.steps();
    Steps s = p.steps();
    if (at > Time{}) s.work(at);
    return s.then(p.KernelBuilder::section(0, body.sleep(length), mode));
}
const SiteRecord& site(const LockProgram& p, const LockRun& run) { return run.record.sites[p.site_of(0)]; }

TEST_CASE("percpu_rwsem: reading without writers touches no shared line") {
    LockProgram p = program(16, 50_ns);
    for (Cpu cpu = 0; cpu < 16; ++cpu) p.task(p.section(100_ns, 200_ns, reading).count(0).forever(), cpu);
    const LockRun run = p.run();
    CHECK(run.record.counts[0] > 100'000);
    CHECK(run.record.transfers == 0);
    CHECK(site(p, run).contended == 0);
}

TEST_CASE("percpu_rwsem: a first writer waits for exactly one grace period, as drawn") {
    for (std::uint64_t stream = 1; stream <= 10; ++stream) {
        LockProgram p = program(2);
        p.spec.rcu.grace_period = p.program.tables.add(Exponential{300_us});
        LockProgram other = p;  // the same grace period, waited for by a task
        const Task writer = p.task(p.section(100_us, 1_us, writing), 0);
        other.task(other.at(100_us).then(other.steps().sync(SyncCode::synchronize_rcu)).mark("back"), 0);
        const LockRun run = p.run(stream);
        CHECK(run.at(writer) > 100_us);
        CHECK(run.at(writer) == run_kernel(other, stream).at("back"));
        CHECK(site(p, run).wait_part_ps[0] == (run.at(writer) - 100_us).ps);
        CHECK(site(p, run).wait_part_ps[1] + site(p, run).wait_part_ps[2] == 0);
    }
}

TEST_CASE("percpu_rwsem: readers walk in during the first writer's grace period, and it waits for them") {
    LockProgram p = program(3);
    const Task reader = p.task(p.section(200_us, 400_us, reading), 1);
    const Task writer = p.task(p.section(100_us, 1_us, writing), 0);
    const LockRun run = p.run();
    CHECK(run.at(reader) == 200_us);
    CHECK(run.at(writer) == 600_us);
    CHECK(site(p, run).wait_part_ps[0] == Time(300_us).ps);
    CHECK(site(p, run).wait_part_ps[2] == Time(200_us).ps);
}

TEST_CASE("percpu_rwsem: writers that come during the grace period wait for its end and no longer, in turn") {
    LockProgram p = program(3);
    p.config.wake_cost = 1_us;
    const Task first = p.task(p.section(100_us, 10_us, writing), 0);
    const Task second = p.task(p.section(200_us, 10_us, writing), 1);
    const Task third = p.task(p.section(300_us, 10_us, writing), 2);
    // The first is back at 400 us and wakes the others, 1 us each, before it takes the lock at 402 us; so the second,
    // awake at 400 us, is there before it.
    const LockRun run = p.run();
    CHECK(run.at(second) == 400_us);
    CHECK(run.order() == std::vector<Task>{second, third, first});
}

TEST_CASE("percpu_rwsem: back-to-back writers pay no grace period; readers are slow until one after the last") {
    LockProgram p = program(2, 50_ns);
    const Task writer = p.task(p.section(0_us, 10_us, writing).then(p.section(50_us, 10_us, writing)), 0);
    Steps reads = p.at(400_us);
    const Task reader = p.task(reads.then(p.section(0_us, 1_us, reading)).then(p.section(500_us, 1_us, reading)), 1);
    const LockRun run = p.run();
    CHECK(run.at(writer, 1) - run.of(writer)[0].released < 51_us);
    // The writer is out at about 370 us. The reader has to fetch its counter, which the writer has summed, and `block`;
    // after 670 us it is on the fast path again.
    CHECK(run.at(reader, 0) - run.of(reader)[0].since == 100_ns);
    CHECK(run.at(reader, 1) == run.of(reader)[1].since);
}

TEST_CASE("percpu_rwsem: an exit during the grace period of the one before takes another grace period (REPLAY)") {
    // In at 300 and out at 310 us: EXIT, until 610. In and out again at 400: REPLAY, so slow until 910.
    const auto slow_at = [](Time at) {
        LockProgram p = program(2, 50_ns);
        p.task(p.section(0_us, 10_us, writing).then(p.section(90_us, 10_us, writing)), 0);
        const Task reader = p.task(p.section(at, 1_us, reading), 1);
        const LockRun run = p.run();
        return run.at(reader) > run.of(reader)[0].since;
    };
    CHECK(slow_at(450_us));
    CHECK(slow_at(700_us));
    CHECK(slow_at(900_us));
    CHECK_FALSE(slow_at(920_us));
}

TEST_CASE(
    "percpu_rwsem: whoever unlocks hands it to the readers at the head and the first writer, one wake at a time") {
    LockProgram p = slow(6);
    p.config.wake_cost = 1_us;
    const Task owner = p.task(p.section(0_us, 100_us, writing).mark("out"), 0);
    const Task r1 = p.task(p.section(10_us, 50_us, reading), 1);
    const Task r2 = p.task(p.section(20_us, 50_us, reading), 2);
    const Task w1 = p.task(p.section(30_us, 10_us, writing), 3);
    const Task r3 = p.task(p.section(40_us, 10_us, reading), 4);
    const Task w2 = p.task(p.section(50_us, 10_us, writing), 5);
    const LockRun run = p.run();
    CHECK(run.order() == std::vector<Task>{owner, r1, r2, w1, r3, w2});
    CHECK(run.at(r1) == 100_us);
    CHECK(run.at(r2) == 101_us);
    CHECK(run_kernel(p).at("out") == 103_us);
    // r2 leaves at 151 us and wakes the writer, which sleeps until the last reader has gone.
    CHECK(run.at(w1) == 151_us);
    CHECK(run.at(r3) == 161_us);
    CHECK(run.at(w2) == 171_us);
    // The owner wakes r1, r2 and w1; each leaving reader wakes w1 again; w1 wakes r3 and w2, which r3's leaving wakes.
    CHECK(run.record.wakes == 3 + 2 + 2 + 1);
}

TEST_CASE("percpu_rwsem: a blocked reader wakes the waiting writer twice before it queues, a writer does not") {
    const auto wakes = [](AcquireMode newcomer) {
        LockProgram p = slow(3);
        p.config.wake_cost = 1_us;
        p.task(asleep(p, 0_us, 1000_us, reading), 0);
        p.task(p.section(5_us, 10_us, writing), 1);
        const Task comes = p.task(p.section(10_us, 10_us, newcomer), 2);
        const LockRun run = p.run();
        // In at 0; 5 us: the writer sleeps until the reader leaves. 10 us: the newcomer; a reader has paid for two
        // wake-ups when it queues. 1000 us: the reader leaves and wakes the writer, which runs until 1010 us.
        CHECK(run.at(comes) == 1010_us);
        return run.record.wakes;
    };
    CHECK(wakes(reading) == 2 + 1 + 1);  // the two prods, the leaving reader's, the hand-off
    CHECK(wakes(writing) == 0 + 1 + 1);
}

TEST_CASE("percpu_rwsem: while readers are being woken one by one a running reader comes in, and a writer too") {
    for (const AcquireMode newcomer : {reading, writing}) {
        LockProgram p = slow(8);
        p.config.wake_cost = 1_us;
        p.task(p.section(0_us, 100_us, writing), 0);
        std::vector<Task> readers;
        for (Cpu cpu = 1; cpu <= 4; ++cpu) readers.push_back(p.task(p.section(cpu * 10_us, 20_us, reading), cpu));
        const Task queued = p.task(p.section(50_us, 10_us, writing), 5);
        // Wake-ups at 100, 101, 102, 103 us; `block` is free until the queued writer gets it, at 104.
        const Task comes = p.task(p.section(101'500_ns, 10_us, newcomer), 6);
        const LockRun run = p.run();
        CHECK(run.at(readers[1]) == 101_us);
        if (newcomer == reading) {
            CHECK(run.at(comes) == 101'500_ns);
            CHECK(run.at(readers[3]) == 103_us);
            CHECK(run.at(queued) == 123_us);
        } else {
            // It waits for the two readers that are in, and the others wait for it.
            CHECK(run.at(comes) == 121_us);
            CHECK(run.at(readers[2]) == 131_us);
            CHECK(run.at(queued) > run.at(readers[3]));
        }
    }
}

TEST_CASE("percpu_rwsem: those who want to queue wait with interrupts off while sleepers are being woken") {
    LockProgram p = slow(5);
    p.config.wake_cost = 100_us;
    p.task(p.section(0_us, 100_us, writing), 0);
    p.task(p.section(10_us, 500_us, writing), 1);
    // The owner wakes it from 100 us on, which keeps waiters.lock until 200 us.
    Steps queues = p.steps();
    p.task(queues.sleep(110_us).then(p.section(0_us, 1_us, writing)), 2);
    Steps next = p.steps();
    p.task(next.sleep(115_us).mark("next on CPU 2"), 2);
    CHECK(run_kernel(p).at("next on CPU 2") == 200_us);
}

TEST_CASE("percpu_rwsem: with favordynmods no writer ever waits for a grace period and readers are always slow") {
    LockProgram p = slow(2, 50_ns);
    const Task writer = p.task(p.section(10_us, 10_us, writing), 0);
    const Task reader = p.task(p.section(5000_us, 1_us, reading), 1);
    const LockRun run = p.run();
    CHECK(run.at(writer) == 10_us);
    CHECK(run.at(reader) > 5000_us);
}

TEST_CASE("percpu_rwsem: in a crowd of readers and writers nobody is left out, and the parts make up the waits") {
    LockProgram p(uniform(12, 50_ns), {LockKind::percpu_rwsem});
    p.spec.rcu.grace_period = p.program.tables.add(Exponential{100_us});
    p.config.duration = 200'000_us;
    p.config.wake_cost = 1_us;
    p.config.context_switch = 500_ns;
    p.topology.idle_states = {{0_ns, 1_us}};
    for (Cpu cpu = 0; cpu < 12; ++cpu) {
        Steps nap = p.steps();
        Steps body = p.steps();
        body.drawn(Exponential{10_us}, "hold").maybe(0.1, "naps", nap.sleep(50_us));
        Steps s = p.steps();
        s.drawn(Exponential{200_us}, "think").then(p.KernelBuilder::section(0, body, cpu < 8 ? reading : writing));
        p.task(s.count(0).forever(), cpu);
    }
    const LockRun run = p.run();
    const SiteRecord& all = site(p, run);
    CHECK(all.acquisitions > 3'000);
    CHECK(run.fairness(12) > 0.9);
    std::int64_t parts = 0;
    for (const std::int64_t part : all.wait_part_ps) {
        CHECK(part > 0);
        parts += part;
    }
    CHECK(parts == all.wait.sum_ps());
}

}  // namespace
}  // namespace forksim::test
