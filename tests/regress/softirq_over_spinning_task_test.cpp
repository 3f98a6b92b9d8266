// A softirq that spins on top of a task that spins: one CPU polls two lines, or one line twice.
#include <doctest/doctest.h>

#include <vector>

#include "tests/support/build_program.hpp"

namespace forksim::test {
namespace {

TEST_CASE("a softirq that waits for another lock does not make its CPU forget the lock that its task waits for") {
    KernelBuilder b(uniform(5, 50_ns));
    const auto a = b.spinlock("a");
    const auto other = b.spinlock("b");
    const auto callback = b.place(b.hold(other, 100_ns).mark("softirq done").end());
    const Task owner = b.task(b.hold(a, 3000_ns), 0);
    const Task waiter = b.task(b.at(100_ns).then(b.hold(a, 100_ns)), 1);
    const Task behind = b.task(b.at(300_ns).then(b.hold(a, 100_ns)), 2);  // polls behind CPU 1 in the list
    b.task(b.hold(other, 2000_ns), 3);
    b.task(b.at(500_ns).then(b.steps().raise(1, callback)), 4);
    const KernelRun run = run_kernel(b);
    CHECK(run.order(a) == std::vector<Task>{owner, waiter, behind});
    CHECK(run.at("softirq done") == 2200_ns);
    CHECK(run.granted(waiter, a) == 3100_ns);
}

TEST_CASE("both wait for a lock held elsewhere, and the task's comes first") {
    KernelBuilder b(uniform(4, 50_ns));
    const auto a = b.spinlock("a");
    const auto other = b.spinlock("b");
    const auto callback = b.place(b.hold(other, 100_ns).mark("softirq done").end());
    b.task(b.hold(a, 1000_ns), 0);
    const Task waiter = b.task(b.at(100_ns).then(b.hold(a, 100_ns)), 1);
    b.task(b.hold(other, 5000_ns), 2);
    b.task(b.at(500_ns).then(b.steps().raise(1, callback)), 3);
    const KernelRun run = run_kernel(b);
    // CPU 2 unlocks at 5000, CPU 1 has it at 5100 and works for 100; its task was granted at 1100 and goes on then.
    CHECK(run.at("softirq done") == 5200_ns);
    CHECK(run.granted(waiter, a) == 5200_ns);
}

TEST_CASE("a softirq reads an rwlock while its own task polls the same lock as a reader") {
    KernelBuilder b(uniform(4, 50_ns));
    const auto lock = b.rwlock("lock");
    const auto callback = b.place(b.read(lock, 100_ns).mark("softirq done").end());
    b.task(b.write(lock, 3000_ns), 0);
    const Task reader = b.task(b.at(100_ns).then(b.read(lock, 100_ns)), 1);
    b.task(b.at(500_ns).then(b.steps().raise(1, callback)), 3);
    const KernelRun run = run_kernel(b);
    CHECK(run.granted(1, lock) >= 3000_ns);  // the softirq context of CPU 1
    CHECK(run.granted(reader, lock) >= run.at("softirq done"));
    CHECK(run.releases.size() == 3);
}

TEST_CASE("a softirq reads an rwlock past its own task, which waits as a writer for another reader") {
    KernelBuilder b(uniform(4, 50_ns));
    const auto lock = b.rwlock("lock");
    const auto callback = b.place(b.read(lock, 100_ns).mark("softirq done").end());
    b.task(b.read(lock, 3000_ns), 0);
    const Task writer = b.task(b.at(100_ns).then(b.write(lock, 100_ns)), 1);
    b.task(b.at(500_ns).then(b.steps().raise(1, callback)), 3);
    const KernelRun run = run_kernel(b);
    CHECK(run.at("softirq done") < 1000_ns);  // WAITING does not stop an interrupt
    CHECK(run.granted(writer, lock) > 3000_ns);
    CHECK(run.granted(writer, lock) < 3300_ns);
}

TEST_CASE("a softirq that was the last reader lets its own task, which waits as a writer, go on") {
    KernelBuilder b(uniform(4, 50_ns));
    const auto lock = b.rwlock("lock");
    const auto callback = b.place(b.read(lock, 3000_ns).mark("softirq done").end());
    b.task(b.read(lock, 1000_ns), 0);
    const Task writer = b.task(b.at(100_ns).then(b.write(lock, 100_ns)), 1);
    b.task(b.at(500_ns).then(b.steps().raise(1, callback)), 3);
    const KernelRun run = run_kernel(b);
    CHECK(run.granted(writer, lock) >= run.at("softirq done"));
    CHECK(run.granted(writer, lock) < run.at("softirq done") + 300_ns);
}

}  // namespace
}  // namespace forksim::test
