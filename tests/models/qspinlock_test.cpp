// The queue spinlock through contended hand-offs. Every transfer takes 50 ns, CPU c's task is alone on it.
//
// The accesses in their order: a newcomer's cmpxchg (a transfer), its pending bit or tail swap, the owner's unlocking
// store, the waiter's re-read, its claim. Who polls a line has it again one transfer behind each write.
#include <doctest/doctest.h>

#include <vector>

#include "sim/error.hpp"
#include "tests/support/build_program.hpp"

namespace forksim::test {
namespace {

TEST_CASE("uncontended: the first acquisition is free, one by another CPU costs the transfer of the word") {
    KernelBuilder b(uniform(2, 50_ns));
    const auto lock = b.spinlock("lock");
    const Task first = b.task(b.hold(lock, 100_ns).then(b.hold(lock, 100_ns)), 0);
    const Task second = b.task(b.at(1000_ns).then(b.hold(lock, 100_ns)).mark("released"), 1);
    const KernelRun run = run_kernel(b);
    CHECK(run.grants == std::vector<Taken>{{first, lock, 0_ns, 0_ns},
                                           {first, lock, 100_ns, 100_ns},
                                           {second, lock, 1000_ns, 1050_ns}});
    CHECK(run.at("released") == 1150_ns);  // the unlocking store costs nothing
    CHECK(run.word_transfers[lock] == 1);
    const SiteRecord& site = run.record.sites[b.site_of(lock)];
    CHECK(site.acquisitions == 3);
    CHECK(site.contended == 0);
    CHECK(site.hold.sum_ps() == (300_ns).ps);
}

TEST_CASE("two CPUs: the second one waits by the pending bit and reads again when the owner has unlocked") {
    KernelBuilder b(uniform(2, 50_ns));
    const auto lock = b.spinlock("lock");
    b.task(b.hold(lock, 1000_ns), 0);
    const Task second = b.task(b.at(100_ns).then(b.hold(lock, 100_ns)).mark("released"), 1);
    const KernelRun run = run_kernel(b);
    // 100 cmpxchg, 150 pending bit (free: it owns the word), polls
    // 1000 unlock: the word goes to CPU 0, 1050; re-read 1100; claim: a store, the section begins
    CHECK(run.granted(second) == 1100_ns);
    CHECK(run.at("released") == 1200_ns);
    CHECK(run.word_transfers[lock] == 4);  // cmpxchg, unlock, re-read, claim
    const SiteRecord& site = run.record.sites[b.site_of(lock)];
    CHECK(site.contended == 1);
    CHECK(site.wait.sum_ps() == (1000_ns).ps);
    CHECK(site.handoff_ps == (100_ns).ps);
}

TEST_CASE("two CPUs: an unlock before the pending bit is set leaves nothing to wait for") {
    KernelBuilder b(uniform(2, 50_ns));
    const auto lock = b.spinlock("lock");
    b.task(b.hold(lock, 120_ns), 0);
    const Task second = b.task(b.at(100_ns).then(b.hold(lock, 100_ns)), 1);
    const KernelRun run = run_kernel(b);
    // 100 cmpxchg fails, has the word at 150; 120 unlock waits for it: 200; pending bit asked for at 150: 250
    CHECK(run.granted(second) == 250_ns);
    CHECK(run.word_transfers[lock] == 3);  // cmpxchg, unlock, pending bit; the claim finds the word at hand
}

TEST_CASE("two CPUs: the claim of the pending waiter drains behind its section; its unlock waits for that") {
    KernelBuilder b(uniform(3, 50_ns));
    const auto lock = b.spinlock("lock");
    b.task(b.hold(lock, 1000_ns), 0);
    b.task(b.at(100_ns).then(b.hold(lock, 0_ns)).mark("released"), 1);
    const Task third = b.task(b.at(1110_ns).then(b.hold(lock, 0_ns)), 2);
    const KernelRun run = run_kernel(b);
    // CPU 1: claim at 1100, in the store buffer till 1150, unlock right behind it.
    CHECK(run.at("released") == 1100_ns);
    CHECK(run.granted(third) == 1200_ns);  // asked at 1110, served from 1150 on
}

TEST_CASE("a locked read-modify-write inside the section waits until the lock's own store has drained") {
    KernelBuilder b(uniform(2, 50_ns));
    const auto lock = b.spinlock("lock");
    const auto counter = b.line("counter");
    b.task(b.hold(lock, 1000_ns), 0);
    b.task(b.at(100_ns).then(b.section(lock, b.atomic(counter).mark("counted"))), 1);
    // Granted at 1100, the claim's store is out at 1150; the counter's line is new and free.
    CHECK(run_kernel(b).at("counted") == 1150_ns);

    KernelBuilder plain(uniform(2, 50_ns));
    const auto plain_lock = plain.spinlock("lock");
    const auto data = plain.line("data");
    plain.task(plain.hold(plain_lock, 1000_ns), 0);
    plain.task(plain.at(100_ns).then(plain.section(plain_lock, plain.touch(data, Access::write).mark("written"))), 1);
    CHECK(run_kernel(plain).at("written") == 1100_ns);  // a plain store goes into the buffer
}

TEST_CASE("three CPUs: behind the pending waiter the third queues with a node and is head at once") {
    KernelBuilder b(uniform(3, 50_ns));
    const auto lock = b.spinlock("lock");
    b.task(b.hold(lock, 1000_ns), 0);
    const Task pending = b.task(b.at(100_ns).then(b.hold(lock, 200_ns)), 1);
    const Task head = b.task(b.at(300_ns).then(b.hold(lock, 100_ns)), 2);
    const KernelRun run = run_kernel(b);
    // CPU 2: 300 cmpxchg 350, CPU 1 polls: 400; 350 tail swap, served 400-450, CPU 1 reads again: 500; CPU 2 polls too
    // 1000 unlock 1050; CPUs 1 and 2 read 1100; CPU 1 claims
    CHECK(run.granted(pending) == 1100_ns);
    // CPU 1's claim 1100-1150, CPU 2 reads 1200; 1300 unlock 1350, CPU 2 reads 1400, cmpxchg (nobody behind) 1450
    CHECK(run.granted(head) == 1450_ns);
    // cmpxchg; cmpxchg, re-read; swap, re-read; unlock, two re-reads; claim, re-read; unlock, re-read; claim
    CHECK(run.word_transfers[lock] == 13);
    CHECK(run.record.resources[lock].longest_queue == 2);
}

/// Four CPUs: owner to 1000, pending, head, and one behind the head; `hold` is the head's section.
KernelBuilder four(Time hold) {
    KernelBuilder b(uniform(4, 50_ns));
    const auto lock = b.spinlock("lock");
    b.task(b.hold(lock, 1000_ns), 0);
    b.task(b.at(100_ns).then(b.hold(lock, 200_ns)), 1);
    b.task(b.at(300_ns).then(b.hold(lock, hold)), 2);
    b.task(b.at(600_ns).then(b.hold(lock, 100_ns)), 3);
    return b;
}

TEST_CASE("four CPUs: the head promotes the next one through its node while it has the lock") {
    const KernelRun run = run_kernel(four(500_ns));
    // CPU 3: 600 cmpxchg 650 (700), tail swap 700-750 (800), link into CPU 2's node 750-800; spins on its own node
    // CPU 2 sees the unlock of 1300 at 1400; somebody is behind: a store, the section begins at 1400, drained 1450;
    // behind it in the buffer the store into CPU 3's node, 1500; CPU 3 sees that 1550, reads the word 1600
    CHECK(run.granted(4 + 1) == 1100_ns);
    CHECK(run.granted(4 + 2) == 1400_ns);
    // 1900 unlock 1950, CPU 3 reads 2000, cmpxchg 2050
    CHECK(run.granted(4 + 3) == 2050_ns);
}

TEST_CASE("four CPUs: a head whose section is empty unlocks behind the store that promotes the next one") {
    const KernelRun run = run_kernel(four(0_ns));
    CHECK(run.granted(4 + 2) == 1400_ns);
    // CPU 2's stores: claim 1450, node 1500, unlock 1500 (the word is still its own). CPU 3: promoted 1550, reads the
    // word 1600: free; cmpxchg 1650
    CHECK(run.granted(4 + 3) == 1650_ns);
}

/// What an empty section takes among 8 CPUs 48 ns apart that pause between two looks, in ns.
double empty_section(Time pause) {
    Topology topology = uniform(8, 48_ns);
    topology.pause = pause;
    KernelBuilder b(std::move(topology));
    b.config.warmup = 100_us;
    b.config.duration = 1000_us;
    const auto lock = b.spinlock("lock");
    for (Cpu cpu = 0; cpu < 8; ++cpu) {
        Steps turn = b.acquire(lock).then(b.release(lock)).count();
        b.task(turn.work(Time{1'000 + 10 * static_cast<std::int64_t>(cpu)}).forever(), cpu);
    }
    const Record record = run_kernel(b).record;
    CHECK(record.sites[b.site_of(lock)].acquisitions == record.counts[0]);
    return static_cast<double>((1000_us).ps) / static_cast<double>(record.counts[0]) / 1000;
}

TEST_CASE("an empty section among 8 CPUs 48 ns apart costs 170 to 240 ns per operation, whatever the pause") {
    for (const Time pause : {0_ns, 5_ns, 15_ns, 45_ns}) {
        CAPTURE(pause.ps);
        const double per_operation = empty_section(pause);
        MESSAGE("ns per operation: ", per_operation);
        CHECK(per_operation >= 170);
        CHECK(per_operation <= 240);
    }
}

TEST_CASE("first in, first out: those who queue are granted in the order of their arrival") {
    for (std::uint64_t stream = 1; stream <= 20; ++stream) {
        KernelBuilder b(uniform(8, 50_ns));
        const auto lock = b.spinlock("lock");
        b.task(b.hold(lock, 5000_ns), 0);
        std::vector<Task> expected{8};
        for (Cpu i = 1; i < 8; ++i) {
            const Cpu cpu = 1 + (i * 3 + static_cast<Cpu>(stream)) % 7;
            expected.push_back(b.task(b.at(i * 400_ns).then(b.hold(lock, 100_ns)), cpu));
        }
        CHECK(run_kernel(b, stream).order(lock) == expected);
    }
}

TEST_CASE("who finds the lock free of owner and queue but taken by the pending waiter waits for it, then queues") {
    KernelBuilder b(uniform(3, 50_ns));
    const auto lock = b.spinlock("lock");
    b.task(b.hold(lock, 1000_ns), 0);
    const Task pending = b.task(b.at(100_ns).then(b.hold(lock, 500_ns)), 1);
    // Its cmpxchg is asked for at 1010, after the unlock and before the claim.
    const Task late = b.task(b.at(1010_ns).then(b.hold(lock, 100_ns)), 2);
    const KernelRun run = run_kernel(b);
    CHECK(run.order(lock) == std::vector<Task>{3, pending, late});
    CHECK(run.granted(pending) == 1100_ns);
    // CPU 2's cmpxchg is served 1100-1150 (CPU 1 is told first); CPU 1's claim 1150-1200, which CPU 2 polls for: 1250;
    // it finds the lock owned, nobody else: pending bit 1300 ...; 1600 unlock 1650 ...
    CHECK(run.granted(late) >= 1700_ns);
    CHECK(run.granted(late) <= 1750_ns);
}

TEST_CASE("releasing a spinlock of somebody else, or none, breaks the run") {
    KernelBuilder b(uniform(1, 50_ns));
    const auto lock = b.spinlock("lock");
    b.task(b.release(lock), 0);
    CHECK_THROWS_AS(run_kernel(b), InternalError);
}

TEST_CASE("a task that ends with a lock held, or sleeps with it, breaks the run") {
    KernelBuilder b(uniform(1, 50_ns));
    const auto lock = b.spinlock("lock");
    b.task(b.acquire(lock), 0);
    CHECK_THROWS_AS(run_kernel(b), InternalError);

    KernelBuilder c(uniform(1, 50_ns));
    const auto held = c.spinlock("lock");
    c.task(c.section(held, c.steps().sleep(1_us)), 0);
    CHECK_THROWS_AS(run_kernel(c), InternalError);
}

}  // namespace
}  // namespace forksim::test
