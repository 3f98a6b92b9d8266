// A slice that ended in a section whose release takes time did not end behind it.
#include <doctest/doctest.h>

#include "tests/support/build_program.hpp"

namespace forksim::test {
namespace {

TEST_CASE("preemption behind a section whose release takes time comes at the end of that time") {
    KernelBuilder b(uniform(2, 50_ns));
    b.config.slice = 3_us;
    const auto lock = b.rwlock("lock");
    b.task(b.read(lock, 5_us).work(10_us), 0);
    b.task(b.steps().mark("other"), 0);
    b.task(b.at(1_us).then(b.read(lock, 100_ns)), 1);  // takes the word away: the release costs a transfer
    CHECK(run_kernel(b).at("other") == 5050_ns);
}

}  // namespace
}  // namespace forksim::test
