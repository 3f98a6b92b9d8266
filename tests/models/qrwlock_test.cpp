// The queued reader-writer lock through contended hand-offs. Every transfer takes 50 ns, CPU c's task is alone on it.
// cnts and wait_lock stand on one line.
#include <doctest/doctest.h>

#include <vector>

#include "sim/error.hpp"
#include "tests/support/build_program.hpp"

namespace forksim::test {
namespace {

TEST_CASE("readers share: each pays the transfer of the word, in and out") {
    KernelBuilder b(uniform(3, 50_ns));
    const auto lock = b.rwlock("lock");
    const Task first = b.task(b.read(lock, 1000_ns).mark("first out"), 0);
    const Task second = b.task(b.at(100_ns).then(b.read(lock, 1000_ns)).mark("second out"), 1);
    const KernelRun run = run_kernel(b);
    CHECK(run.granted(first) == 0_ns);
    CHECK(run.granted(second) == 150_ns);
    CHECK(run.at("first out") == 1050_ns);   // the subtraction fetches the word back
    CHECK(run.at("second out") == 1200_ns);  // and so does the other's
    CHECK(run.word_transfers[lock] == 3);
    CHECK(run.record.sites[b.site_of(lock)].contended == 0);
    CHECK(run.record.resources[lock].hold_integral == 2 * (1000_ns).ps);
    CHECK(run.record.resources[lock].busy_integral == (1150_ns).ps);
}

TEST_CASE("uncontended writer: a cmpxchg, and an unlocking store that nobody waits for") {
    KernelBuilder b(uniform(2, 50_ns));
    const auto lock = b.rwlock("lock");
    b.task(b.write(lock, 100_ns), 0);
    const Task second = b.task(b.at(1000_ns).then(b.write(lock, 100_ns)).mark("out"), 1);
    const KernelRun run = run_kernel(b);
    CHECK(run.granted(second) == 1050_ns);
    CHECK(run.at("out") == 1150_ns);
    CHECK(run.word_transfers[lock] == 1);
}

/// CPU 1 wants to write from 100 on while CPU 0 reads or writes until 1000.
KernelRun writer_behind(bool reader, std::uint32_t claim) {
    KernelBuilder b(uniform(2, 50_ns));
    const auto lock = b.rwlock("lock");
    b.spec.locks[lock].claim = claim;
    b.task(reader ? b.read(lock, 1000_ns) : b.write(lock, 1000_ns), 0);
    b.task(b.at(100_ns).then(b.write(lock, 100_ns)).mark("out"), 1);
    return run_kernel(b);
}

TEST_CASE("a writer waits by WAITING for the owner, reads again and claims") {
    for (const bool reader : {false, true}) {
        const KernelRun run = writer_behind(reader, 1024);
        // 100 cmpxchg 150; wait_lock and WAITING are at hand; 1000 the owner goes 1050, re-read 1100, cmpxchg 1150
        CHECK(run.granted(2 + 1) == 1150_ns);
        CHECK(run.at("out") == 1250_ns);
        CHECK(run.word_transfers[0] == 4);
    }
}

TEST_CASE("`claim` hides the head's last access, in part or whole") {
    CHECK(writer_behind(false, 1024).granted(3) == 1150_ns);
    CHECK(writer_behind(false, 512).granted(3) == 1125_ns);
    CHECK(writer_behind(false, 0).granted(3) == 1100_ns);
}

/// CPU 0 reads until 1000, CPU 1 writes from 100 on, CPU 2 reads from 300 on, CPU 3 from 800 on.
KernelBuilder reader_writer_readers() {
    KernelBuilder b(uniform(4, 50_ns));
    const auto lock = b.rwlock("lock");
    b.task(b.read(lock, 1000_ns), 0);
    b.task(b.at(100_ns).then(b.write(lock, 200_ns)), 1);
    b.task(b.at(300_ns).then(b.read(lock, 500_ns)), 2);
    b.task(b.at(800_ns).then(b.read(lock, 500_ns)), 3);
    return b;
}

TEST_CASE("WAITING stops new readers, who queue behind the writer") {
    const KernelRun run = run_kernel(reader_writer_readers());
    CHECK(run.order() == std::vector<Task>{4, 5, 6, 7});
    // CPU 1: 150 WAITING, polls
    // CPU 2: 300 add 350 (CPU 1 reads 400), undo 400-450 (500), wait_lock 500-550 (600), its pending bit 600-650 (700)
    // CPU 3: 800 add 850 (900), undo 900-950 (1000), wait_lock 1000-1050 (1100)
    // CPU 0: 1000 subtracts, served 1100-1150, CPUs 1 and 2 read again: 1200
    // CPU 3: 1050 tail swap, served 1200-1250 (CPU 2: 1300)
    // CPU 1: 1200 cmpxchg, served 1300-1350
    CHECK(run.granted(5) == 1350_ns);
}

TEST_CASE("readers cascade: each lets the next one through wait_lock and they hold the lock together") {
    const KernelRun run = run_kernel(reader_writer_readers());
    // CPU 1: unlocks wait_lock 1400-1450; CPUs 2 and 3 read again: 1500; unlocks at 1550
    // CPU 2: claims wait_lock 1500-1550 (CPU 3: 1600), adds: 1600-1650 (1700), LOCKED still set, polls
    // CPU 1's unlock is served 1700-1750, read by CPUs 2 and 3 at 1800
    CHECK(run.granted(6) == 1800_ns);
    // CPU 2: unlocks wait_lock 1800-1850; CPU 3 reads 1900, takes it with a cmpxchg 1950, adds, not locked: in
    CHECK(run.granted(7) == 1950_ns);
    CHECK(run.record.resources[0].longest_queue == 3);
}

TEST_CASE("first in, first out between queued readers and writers") {
    for (std::uint64_t pattern = 0; pattern < 64; ++pattern) {
        KernelBuilder b(uniform(7, 50_ns));
        const auto lock = b.rwlock("lock");
        b.task(b.write(lock, 10'000_ns), 0);
        std::vector<Task> expected{7};
        for (Cpu cpu = 1; cpu < 7; ++cpu) {
            const bool reads = (pattern >> (cpu - 1) & 1) != 0;
            const Steps section = reads ? b.read(lock, 300_ns) : b.write(lock, 300_ns);
            expected.push_back(b.task(b.at(cpu * 1000_ns).then(section), cpu));
        }
        CHECK(run_kernel(b).order() == expected);
    }
}

TEST_CASE("an interrupt reader walks past a waiting writer") {
    KernelBuilder b(uniform(4, 50_ns));
    const auto lock = b.rwlock("lock");
    const auto callback = b.place(b.read(lock, 100_ns).mark("softirq done").end());
    b.task(b.read(lock, 3000_ns), 0);
    b.task(b.at(100_ns).then(b.write(lock, 100_ns)), 1);
    b.task(b.at(500_ns).then(b.steps().raise(2, callback)), 3);
    const KernelRun run = run_kernel(b);
    CHECK(run.granted(2) == 550_ns);  // the softirq context of CPU 2
    // CPU 1 has read the word again at 600; subtracted 650-700
    CHECK(run.at("softirq done") == 700_ns);
    CHECK(run.record.sites[b.site_of(lock)].contended == 2);  // it was not granted at the first look, nor the writer
}

TEST_CASE("an interrupt reader spins until the owner unlocks, without queueing") {
    KernelBuilder b(uniform(4, 50_ns));
    const auto lock = b.rwlock("lock");
    const auto callback = b.place(b.read(lock, 100_ns).mark("softirq done").end());
    b.task(b.write(lock, 1000_ns), 0);
    const Task writer = b.task(b.at(200_ns).then(b.write(lock, 100_ns)), 1);
    b.task(b.at(500_ns).then(b.steps().raise(2, callback)), 3);
    const KernelRun run = run_kernel(b);
    // 500 add 550 (CPU 1 reads 600), polls; 1000 unlock 1050, both read 1100
    CHECK(run.granted(2) == 1100_ns);
    CHECK(run.granted(writer) > run.at("softirq done"));  // the reader count it left behind keeps the writer out
}

TEST_CASE("a reader's passing try that delays a writer's claim does not lose it") {
    // Readers come and go all the time; every writer gets its turn, and nothing is granted twice.
    for (std::uint64_t stream = 1; stream <= 10; ++stream) {
        KernelBuilder b(uniform(6, 50_ns));
        b.config.duration = 200_us;
        const auto lock = b.rwlock("lock");
        for (Cpu cpu = 0; cpu < 3; ++cpu) {
            Steps turn = b.read(lock, 90_ns);
            b.task(turn.drawn(Exponential{300_ns}, "pause").forever(), cpu);
        }
        for (Cpu cpu = 3; cpu < 6; ++cpu) {
            Steps turn = b.write(lock, 70_ns).count();
            b.task(turn.drawn(Exponential{500_ns}, "pause").forever(), cpu);
        }
        const KernelRun run = run_kernel(b, stream);
        CHECK(run.record.counts[0] > 200);
        CHECK(run.record.resources[lock].queue_integral == run.record.resources[lock].wait_sum);
    }
}

TEST_CASE("an rwlock released by who does not own it breaks the run") {
    KernelBuilder b(uniform(1, 50_ns));
    const auto lock = b.rwlock("lock");
    b.task(b.release(lock), 0);
    CHECK_THROWS_AS(run_kernel(b), InternalError);
}

}  // namespace
}  // namespace forksim::test
