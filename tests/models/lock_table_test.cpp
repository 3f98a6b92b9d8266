// What all kinds of lock have in common: preemption and interrupts off, scopes, deadlocks, broken kinds.
#include "models/lock_table.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "sim/error.hpp"
#include "tests/support/build_program.hpp"

namespace forksim::test {
namespace {

std::string message_of(const KernelBuilder& b) {
    try {
        run_kernel(b);
    } catch (const ModelStuck& stuck) {
        return stuck.what();
    }
    return "not stuck";
}

TEST_CASE("a task that holds a spinlock or an rwlock is preempted behind the section, a sleeping lock's in it") {
    const auto other_runs_at = [](LockKind kind, AcquireMode mode) {
        KernelBuilder b(uniform(1, 50_ns));
        b.config.slice = 3_us;
        const auto lock = b.lock(kind, "lock");
        b.task(b.section(lock, b.steps().work(5_us), mode).work(1_us), 0);
        b.task(b.steps().mark("other"), 0);
        return run_kernel(b).at("other");
    };
    CHECK(other_runs_at(LockKind::spinlock, AcquireMode::exclusive) == 5_us);
    CHECK(other_runs_at(LockKind::rwlock, AcquireMode::write) == 5_us);
    CHECK(other_runs_at(LockKind::rwlock, AcquireMode::read) == 5_us);
    CHECK(other_runs_at(LockKind::rwsem, AcquireMode::read) == 3_us);
    CHECK(other_runs_at(LockKind::percpu_rwsem, AcquireMode::read) == 3_us);
}

TEST_CASE("with interrupts off, from the first try on, softirqs wait for the release") {
    const auto softirq_at = [](bool irq_off) {
        KernelBuilder b(uniform(3, 50_ns));
        const auto lock = b.lock(LockKind::spinlock, "lock", irq_off);
        const auto callback = b.place(b.steps().mark("softirq").end());
        b.task(b.hold(lock, 2_us), 0);
        b.task(b.at(500_ns).then(b.hold(lock, 1_us)), 1);
        b.task(b.at(1_us).then(b.steps().raise(1, callback)), 2);  // CPU 1 spins
        return run_kernel(b).at("softirq");
    };
    CHECK(softirq_at(false) == 1_us);
    CHECK(softirq_at(true) == 3100_ns);
}

TEST_CASE("a lock per CPU, per node, per 2 CPUs, per process: who shares an instance waits for it") {
    const auto waits = [](ScopeSpec per, bool other_process, Cpu other_cpu) {
        KernelBuilder b(two_sockets(4, 50_ns, 100_ns));
        const auto lock = b.spinlock("lock");
        b.spec.locks[lock].per = per;
        b.spec.locks[lock].line = own_line;
        b.spec.process_count = 2;
        b.task(b.hold(lock, 10_us), 1);
        b.process_of_next_task = other_process ? 1 : 0;
        const Task other = b.task(b.at(1_us).then(b.hold(lock, 1_us)), other_cpu);
        return run_kernel(b).granted(other) >= 10_us;
    };
    CHECK(waits({Scope::global}, true, 6));
    CHECK_FALSE(waits({Scope::cpu}, false, 0));
    CHECK(waits({Scope::node}, true, 3));
    CHECK_FALSE(waits({Scope::node}, false, 4));
    CHECK(waits({Scope::cpus, 2}, true, 0));
    CHECK_FALSE(waits({Scope::cpus, 2}, false, 2));
    CHECK(waits({Scope::process}, false, 6));
    CHECK_FALSE(waits({Scope::process}, true, 0));
}

TEST_CASE("a lock held twice by readers is given back in any order") {
    KernelBuilder b(uniform(1, 50_ns));
    const auto a = b.lock(LockKind::percpu_rwsem, "a");
    const auto c = b.lock(LockKind::rwsem, "c");
    const Steps both = b.acquire(a, AcquireMode::read).then(b.acquire(c, AcquireMode::read)).work(1_us);
    b.task(b.steps().then(both).then(b.release(a)).work(1_us).then(b.release(c)), 0);
    const KernelRun run = run_kernel(b);
    CHECK(run.record.sites[b.site_of(a)].hold.max() == 1_us);
    CHECK(run.record.sites[b.site_of(c)].hold.max() == 2_us);
}

TEST_CASE("rwsem readers share one word: a locked add each way; percpu_rwsem readers share nothing") {
    for (const LockKind kind : {LockKind::rwsem, LockKind::percpu_rwsem}) {
        KernelBuilder b(uniform(2, 50_ns));
        const auto lock = b.lock(kind, "lock");
        const bool shared_word = kind == LockKind::rwsem;
        b.task(b.read(lock, 1000_ns).mark("first out"), 0);
        const Task second = b.task(b.at(100_ns).then(b.read(lock, 1000_ns)).mark("second out"), 1);
        const KernelRun run = run_kernel(b);
        CHECK(run.granted(second) == (shared_word ? 150_ns : 100_ns));
        CHECK(run.at("first out") == (shared_word ? 1050_ns : 1000_ns));
        CHECK(run.at("second out") == (shared_word ? 1200_ns : 1100_ns));
        CHECK(run.word_transfers[lock] == (shared_word ? 3 : 0));
    }
}

TEST_CASE("ABBA: two tasks that take two locks in opposite order deadlock, and the message names all") {
    KernelBuilder b(uniform(3, 50_ns));
    const auto a = b.spinlock("lock_a");
    const auto c = b.spinlock("lock_b");
    const auto first = b.group("first");
    const auto second = b.group("second");
    b.task(b.at(100_ns).then(b.section(a, b.steps().work(1_us).then(b.hold(c, 1_us)))), std::vector<Cpu>{0}, first);
    b.task(b.section(c, b.steps().work(1_us).then(b.hold(a, 1_us))), std::vector<Cpu>{1}, second);
    b.task(b.steps().work(1_us).forever(), 2);  // others go on: nothing is left for the two alone
    const std::string message = message_of(b);
    CHECK(
        message ==
        "deadlock at 1100 ns: first#0 waits for lock_b at take lock_b, held by second#1; second#1 waits for lock_a at "
        "take lock_a, held by first#0");
}

TEST_CASE("a spinlock taken twice by one task deadlocks") {
    KernelBuilder b(uniform(2, 50_ns));
    const auto lock = b.spinlock("lock");
    b.task(b.section(lock, b.hold(lock, 1_us)), 0);
    b.task(b.steps().work(1_us).forever(), 1);
    CHECK(message_of(b) == "deadlock at 0 ns: task#0 waits for lock at take lock, held by task#0");
}

TEST_CASE("a softirq that wants the spinlock of the task under it deadlocks") {
    KernelBuilder b(uniform(2, 50_ns));
    const auto lock = b.spinlock("lock");
    const auto callback = b.place(b.hold(lock, 1_us).end());
    b.task(b.hold(lock, 10_us), 0);
    b.task(b.steps().work(1_us).raise(0, callback).work(1_us).forever(), 1);
    const std::string message = message_of(b);
    CHECK(message ==
          "deadlock at 1000 ns: softirq/0 waits for lock at take lock, held by task#0; task#0 is interrupted by "
          "softirq/0");
}

TEST_CASE("a softirq that writes deadlocks over a reader, one that reads does over a writer and not over a reader") {
    const auto ends = [](bool task_writes, bool softirq_writes) {
        KernelBuilder b(uniform(2, 50_ns));
        const auto lock = b.rwlock("lock");
        const auto section = [&](bool writes, Time length) {
            return writes ? b.write(lock, length) : b.read(lock, length);
        };
        const auto callback = b.place(section(softirq_writes, 1_us).end());
        b.task(section(task_writes, 10_us), 0);
        b.task(b.steps().work(1_us).raise(0, callback), 1);
        return message_of(b) == "not stuck";
    };
    CHECK(ends(false, false));
    CHECK_FALSE(ends(false, true));
    CHECK_FALSE(ends(true, false));
    CHECK_FALSE(ends(true, true));
}

TEST_CASE("a lock that waits for a signal which never comes: the message names the sleeper, too") {
    KernelBuilder b(uniform(2, 50_ns));
    b.spec.handles = 1;
    b.spec.signals = {"exited"};
    const auto sem = b.lock(LockKind::rwsem, "sem");
    const auto child = b.place(b.steps().work(1_us).exit());
    b.task(b.section(sem, b.steps().spawn("clone", child).then(b.await(0)), AcquireMode::read), {0, 1});
    const std::string message = message_of(b);
    CHECK(message.find("deadlock: nothing is left to happen") != std::string::npos);
    CHECK(message.find("task#0 awaits exited") != std::string::npos);
}

TEST_CASE("queue integrals: what the locks' queues sum to is what the waits do, in every window") {
    for (const Time warmup : {0_ns, 7777_ns, 31'234_ns}) {
        KernelBuilder b(uniform(6, 50_ns));
        b.config.warmup = warmup;
        b.config.duration = 100_us;
        const auto a = b.spinlock("a");
        const auto c = b.rwlock("c");
        for (Cpu cpu = 0; cpu < 6; ++cpu) {
            Steps turn = b.hold(a, 300_ns);
            turn.then(cpu % 2 == 0 ? b.read(c, 500_ns) : b.write(c, 200_ns)).drawn(Exponential{700_ns}, "think");
            b.task(turn.count().forever(), cpu);
        }
        const Record record = run_kernel(b).record;
        for (const auto lock : {a, c}) {
            CHECK(record.resources[lock].queue_integral == record.resources[lock].wait_sum);
            CHECK(record.resources[lock].hold_integral == record.resources[lock].hold_sum);
            CHECK(record.resources[lock].queue_integral > 0);
            CHECK(record.resources[lock].busy_integral <= (100_us).ps);
        }
        // One holder at a time: the two integrals of the spinlock are one.
        CHECK(record.resources[a].busy_integral == record.resources[a].hold_integral);
    }
}

}  // namespace
}  // namespace forksim::test
