// Work of softirqs on idle CPUs kept its speed when the sibling began to work.
#include <doctest/doctest.h>

#include "tests/sim/tiny_model.hpp"

namespace forksim::test {
namespace {

TEST_CASE("work of a softirq on an idle CPU is re-timed like any other") {
    ProgramBuilder b(smt_pairs(2, 50_ns, 10_ns, 512, 768));
    const auto callback = b.place(b.steps().work(6_us).mark("done").end());
    b.task(b.steps().sleep(4_us).busy(4_us), 1);
    b.task(b.steps().work(2_us).sync(Tiny::softirq, 0, callback), 2);
    // from 2 us; 2 us done at 4; 2 more at 8; 2 to go
    CHECK(run_tiny(b).at("done") == 10_us);
}

}  // namespace
}  // namespace forksim::test
