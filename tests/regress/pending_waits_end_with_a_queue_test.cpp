// Who sees the pending bit alone waits until the word changes, not until the pending waiter has taken the lock.
#include <doctest/doctest.h>

#include <vector>

#include "tests/support/build_program.hpp"

namespace forksim::test {
namespace {

TEST_CASE("a CPU that waits for a hand-over to end queues as soon as somebody else has") {
    KernelBuilder b(uniform(6, 50_ns));
    const auto lock = b.spinlock("lock");
    b.task(b.hold(lock, 120_ns), 0);
    b.task(b.at(100_ns).then(b.hold(lock, 30_ns)), 1);
    b.task(b.at(160_ns).then(b.hold(lock, 100_ns)), 2);
    b.task(b.at(170_ns).then(b.hold(lock, 100_ns)), 3);
    b.task(b.at(110_ns).then(b.hold(lock, 100_ns)), 4);
    b.task(b.at(460_ns).then(b.hold(lock, 100_ns)), 5);
    const KernelRun run = run_kernel(b);
    // cmpxchg of CPU 1 100-150, of CPU 4 150-200, unlock 120: 200-250, pending bit of CPU 1 150: 250-300
    // cmpxchg of CPU 2 160: 300-350, of CPU 3 170: 350-400: both see the pending bit alone; CPU 4's bit 200: 400-450,
    // in vain CPU 1 claims at 300 and unlocks at 330: 450-500; CPU 2 finds the word free at 350: pending bit 500-550
    // CPU 3 sees the pending bit alone again at 400 and polls; CPU 4 swaps the tail, asked at 450: 550-600
    // CPU 3 sees that at 650 and swaps the tail. CPU 5's cmpxchg, asked at 460, 650-700: it swaps the tail at 700.
    std::vector<Task> order;
    for (const Taken& taken : run.grants) order.push_back(taken.who - 6);
    CHECK(order == std::vector<Task>{0, 1, 2, 4, 3, 5});
}

}  // namespace
}  // namespace forksim::test
