// A reader that is let in while it is awake may be gone before whoever let it in comes to wake those behind it.
#include <doctest/doctest.h>

#include "tests/support/build_program.hpp"

namespace forksim::test {
namespace {

TEST_CASE("rwsem: readers are woken behind one that was let in on its way to sleep") {
    for (Time wake_cost = 1500_ns; wake_cost < 1800_ns; wake_cost += 10_ns) {
        CAPTURE(wake_cost.ps);
        KernelBuilder b(uniform(5, 50_ns));
        b.config.context_switch = 500_ns;
        b.config.wake_cost = wake_cost;
        const auto lock = b.lock(LockKind::rwsem, "semaphore");
        b.task(b.read(lock, 20_us), 0);                               // until 20 500 ns
        b.task(b.at(100_ns).then(b.write(lock, 1000_ns)), 1);         // spins for 10.5 us, then sleeps
        b.task(b.at(Time{19'970'000}).then(b.read(lock, 10_ns)), 2);  // joins the list at 20 620, wakes the writer
        b.task(b.at(Time{21'200'000}).then(b.read(lock, 10_ns)), 3);  // sleeps behind that one while the writer writes
        b.task(b.at(Time{21'690'000}).then(b.read(lock, 1000_ns)), 4);  // takes the line from the writer that leaves
        // The writer lets two in at 22 220 and has waiters.lock at 22 320: in between the first goes on, and leaves.
        CHECK(run_kernel(b).grants.size() == 5);
    }
}

}  // namespace
}  // namespace forksim::test
