// A LineSpec of several lines that travel together: each is a transfer, but one waits for another CPU's only once.
#include <doctest/doctest.h>

#include "tests/support/build_program.hpp"

namespace forksim::test {
namespace {

TEST_CASE("a CPU that finds four lines on their way to another one waits for that, then moves the four") {
    KernelBuilder b(uniform(3, 50_ns));
    const auto lines = b.line("statistics");
    b.spec.lines[lines].lines = 4;
    b.task(b.touch(lines, Access::write), 0);
    b.task(b.at(1000_ns).then(b.touch(lines, Access::write)).mark("first"), 1);
    b.task(b.at(1010_ns).then(b.touch(lines, Access::write)).mark("second"), 2);
    const KernelRun run = run_kernel(b);
    CHECK(run.at("first") == 1200_ns);   // 4 transfers
    CHECK(run.at("second") == 1250_ns);  // each behind the first one's: 40 of waiting, 4 transfers
}

}  // namespace
}  // namespace forksim::test
