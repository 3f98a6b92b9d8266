// The critical path through locks: closed forms, and its length in random programs.
#include "sim/critical_path.hpp"

#include <doctest/doctest.h>

#include <random>
#include <string>
#include <vector>

#include "tests/support/build_program.hpp"

namespace forksim::test {
namespace {

std::int64_t part(const Record& record, std::uint16_t site, Part kind) {
    return record.critical_path_ps[CriticalPath::component(site, kind)];
}

/// `cpus` tasks that think for `think` and hold one lock for `hold`, again and again, beginning one after the other.
KernelRun loop(Cpu cpus, Time latency, Time think, Time hold, LockKind kind = LockKind::spinlock) {
    KernelBuilder b(uniform(cpus, latency));
    b.config.warmup = 200_us;
    b.config.duration = 1000_us;
    const auto lock = b.lock(kind, "lock");
    for (Cpu cpu = 0; cpu < cpus; ++cpu) {
        const Steps section = kind == LockKind::rwlock ? b.write(lock, hold) : b.hold(lock, hold);
        const Steps turn = b.steps().then(section).count().work(think);
        b.task(b.steps().work(static_cast<std::int64_t>(cpu) * (hold + 4 * latency)).repeat(1'000'000, turn), cpu);
    }
    return run_kernel(b);
}

TEST_CASE("a saturated lock without distances: the path is the section and nothing else") {
    for (const LockKind kind : {LockKind::spinlock, LockKind::rwlock}) {
        const Record record = loop(8, 0_ns, 1000_ns, 500_ns, kind).record;
        CHECK(part(record, 1, Part::hold) == record.critical_length_ps);
        CHECK(record.counts[0] == 2000);
    }
}

TEST_CASE("a saturated queue spinlock: hold against hand-off is as hold against two transfers") {
    // In a long queue the unlock moves the word to the owner (50), the head reads it again (50) and its section begins:
    // claim and promotion of the next one overlap with it. Tasks come back in the middle of a section, 225 ns behind
    // an unlock, so that their accesses delay nobody.
    const Record record = loop(8, 50_ns, 1225_ns, 400_ns).record;
    // The window opens somewhere in a cycle of 500 ns, and the last count lies at the end of one.
    CHECK(part(record, 1, Part::hold) == 2000 * (400_ns).ps);
    CHECK(part(record, 1, Part::handoff) > 1999 * (100_ns).ps - 1);
    CHECK(part(record, 1, Part::hold) + part(record, 1, Part::handoff) == record.critical_length_ps);
    CHECK(record.counts[0] == 2000);  // 1 ms / 500 ns
}

TEST_CASE("a saturated rwlock: the head's claim lies on the path as well, unless it is hidden") {
    const Record record = loop(8, 50_ns, 1500_ns, 850_ns, LockKind::rwlock).record;
    // unlock 50, re-read 50, claim 50; tasks come back 500 ns behind an unlock
    CHECK(part(record, 1, Part::hold) > 999 * (850_ns).ps);
    CHECK(part(record, 1, Part::handoff) > 999 * (150_ns).ps - 1);
    CHECK(part(record, 1, Part::hold) + part(record, 1, Part::handoff) == record.critical_length_ps);
    CHECK(record.counts[0] == 1000);
}

TEST_CASE("a task by itself: the section's share of the path is its share of the time") {
    const Record record = loop(1, 50_ns, 1500_ns, 500_ns).record;
    // Sections end at 500 ns + a multiple of 2 us; the first thing in the window is a whole section.
    CHECK(part(record, 1, Part::hold) == 500 * (500_ns).ps);
    CHECK(record.critical_length_ps == (1000_us - 1500_ns).ps);
}

TEST_CASE("two locks in series: the longer section is the path") {
    KernelBuilder b(uniform(6, 0_ns));
    b.config.warmup = 200_us;
    b.config.duration = 1000_us;
    const auto small = b.spinlock("small");
    const auto large = b.spinlock("large");
    for (Cpu cpu = 0; cpu < 6; ++cpu)
        b.task(b.at(300_ns).then(b.hold(small, 100_ns)).then(b.hold(large, 250_ns)).count().forever(), cpu);
    const Record record = run_kernel(b).record;
    CHECK(part(record, b.site_of(large), Part::hold) == record.critical_length_ps);
    CHECK(record.counts[0] == 4000);
}

/// A machine and a workload of everything: locks of all kinds, sleeping, children, signals, callbacks, slices,
/// siblings, idle states, stretched, stolen and preempted work.
KernelBuilder anything(std::uint64_t seed) {
    std::mt19937_64 random(seed);
    const auto below = [&](std::uint64_t n) { return random() % n; };
    const auto ns = [&](std::uint64_t most) { return Time::from_ns(static_cast<std::int64_t>(below(most))); };

    Topology topology = below(2) == 0 ? smt_pairs(static_cast<Cpu>(1 + below(3)), 50_ns, 12_ns, 600, 850)
                                      : two_sockets(static_cast<Cpu>(1 + below(3)), 45_ns, 130_ns);
    if (below(2) == 0) topology.idle_states = {{0_ns, 900_ns}, {5_us, 2_us}};
    KernelBuilder b(topology);
    const Cpu cpus = topology.cpu_count();
    b.config.tie_break = below(2) == 0 ? TieBreak::random : TieBreak::id;
    b.config.preempt = static_cast<PreemptModel>(below(4));
    b.config.context_switch = ns(600);
    b.config.wake_cost = ns(900);
    b.config.slice = 5_us + ns(20'000);
    b.config.tick = 20_us;
    b.config.warmup = ns(100'000);
    b.config.duration = 300_us;
    b.spec.handles = 1;
    b.spec.signals = {"exited"};
    b.spec.rcu.grace_period = b.program.tables.add(Exponential{30_us});
    b.spec.rcu.batch = static_cast<std::uint32_t>(1 + below(5));
    const auto plain = b.spinlock("plain");
    const auto nested = b.spinlock("nested");
    const auto irq = b.lock(LockKind::spinlock, "irq", true);
    const auto rw = b.rwlock("rw");
    const auto sem = b.lock(LockKind::rwsem, "sem");
    const auto data = b.line("data");
    const auto site = b.site("elsewhere/work");
    int drawn = 0;
    const auto some = [&](std::int64_t mean) {
        return b.steps().drawn(Exponential{Time::from_ns(mean)}, "step " + std::to_string(drawn++),
                               below(2) == 0 ? site : 0);
    };
    const auto callback = b.place(b.section(irq, some(300)).then(some(200)).end());
    const auto at_switch = b.place(b.section(irq, some(150)).then(b.call_rcu(callback)).end());
    const auto child = b.place(some(2000)
                                   .then(b.section(nested, some(200)))
                                   .user(ns(3000))
                                   .then(b.signal())
                                   .then(b.section(irq, some(100)))
                                   .exit_then(at_switch));
    std::vector<Cpu> all;
    for (Cpu cpu = 0; cpu < cpus; ++cpu) all.push_back(cpu);
    const auto tasks = 1 + below(2 * cpus);
    for (std::uint64_t i = 0; i < tasks; ++i) {
        Steps turn = some(500);
        for (std::uint64_t parts = 1 + below(6); parts > 0; --parts) {
            switch (below(11)) {
                case 0:
                    turn.then(b.section(plain, some(300).then(b.section(nested, some(100)))));
                    break;
                case 1:
                    turn.then(b.section(irq, some(200).then(b.atomic(data))));
                    break;
                case 2:
                    turn.then(b.section(rw, some(400), AcquireMode::read));
                    break;
                case 3:
                    turn.then(b.section(rw, some(300), AcquireMode::write));
                    break;
                case 4:
                    turn.then(b.section(sem, some(900).then(some(900)), AcquireMode::read));
                    break;
                case 5:
                    turn.sleep(ns(20'000));
                    break;
                case 6:
                    turn.spawn("clone", child).then(some(300)).then(b.await(0));
                    break;
                case 7:
                    turn.user(ns(9000));
                    break;
                case 8:
                    turn.then(b.call_rcu(callback)).then(b.touch(data, Access::write)).then(some(100));
                    break;
                case 9:
                    turn.busy(ns(4000), site).cond_resched();
                    break;
                case 10:
                    turn.yield().then(some(50)).might_sleep();
                    break;
                default:
                    break;
            }
        }
        const std::vector<Cpu> mask = below(3) == 0 ? std::vector<Cpu>{static_cast<Cpu>(below(cpus))} : all;
        b.task(turn.count().mark("counted").forever(), mask, 0, static_cast<std::int8_t>(below(3)));
    }
    return b;
}

TEST_CASE("random programs: the path to the last count is as long as the time from the window's opening to it") {
    int with_counts = 0;
    int with_preemption = 0;
    for (std::uint64_t seed = 1; seed <= 400; ++seed) {
        const KernelBuilder b = anything(seed);
        const KernelRun run = run_kernel(b, seed);
        Time last = b.config.warmup;
        std::uint64_t counts = 0;
        for (const Mark& mark : run.marks) {
            if (mark.at < b.config.warmup || mark.at >= b.config.warmup + b.config.duration) continue;
            last = mark.at;
            ++counts;
        }
        INFO("seed ", seed);
        CHECK(run.record.counts[0] == counts);
        CHECK(run.record.critical_length_ps == (last - b.config.warmup).ps);
        std::int64_t used = 0;
        for (const std::int64_t use : run.record.cpu_use_ps) used += use;
        CHECK(used == b.config.duration.ps * b.topology.cpu_count());
        with_counts += counts > 0 ? 1 : 0;
        with_preemption += b.program.roots.size() > b.topology.cpu_count() ? 1 : 0;
    }
    CHECK(with_counts > 350);
    CHECK(with_preemption > 100);
}

TEST_CASE("random programs: no part of the path is negative") {
    for (std::uint64_t seed = 1; seed <= 400; ++seed) {
        const Record record = run_kernel(anything(seed), seed).record;
        INFO("seed ", seed);
        for (std::size_t i = 0; i < record.critical_path_ps.size(); ++i) {
            INFO("component ", i);
            CHECK(record.critical_path_ps[i] >= 0);
        }
    }
}

TEST_CASE("random programs: the same stream gives the same run") {
    for (std::uint64_t seed = 1; seed <= 40; ++seed) {
        const KernelBuilder b = anything(seed);
        const KernelRun first = run_kernel(b, seed);
        const KernelRun second = run_kernel(b, seed);
        CHECK(first.marks == second.marks);
        CHECK(first.grants == second.grants);
        CHECK(first.record.critical_path_ps == second.record.critical_path_ps);
        CHECK(first.record.events == second.record.events);
    }
}

TEST_CASE("random programs: the window opens and closes without a trace in what happens") {
    std::size_t compared = 0;
    for (std::uint64_t seed = 1; seed <= 40; ++seed) {
        KernelBuilder b = anything(seed);
        const KernelRun run = run_kernel(b, seed);
        b.config.warmup = b.config.warmup + 12'345_ps;
        const KernelRun shifted = run_kernel(b, seed);
        const auto both = std::min(run.grants.size(), shifted.grants.size());
        compared += both;
        CHECK(std::equal(run.grants.begin(), run.grants.begin() + static_cast<std::ptrdiff_t>(both),
                         shifted.grants.begin()));
    }
    CHECK(compared > 10'000);
}

}  // namespace
}  // namespace forksim::test
