// Interrupt times that overlapped counted once, and a spinning task did not feel them.
#include <doctest/doctest.h>

#include "tests/sim/tiny_model.hpp"

namespace forksim::test {
namespace {

TEST_CASE("stolen times add up, also when one begins within another") {
    ProgramBuilder b(uniform(2, 50_ns));
    b.task(b.steps().work(10_us).mark("done"), 0);
    b.task(b.steps()
               .work(4_us)
               .sync(Tiny::steal, 0, 3_us)
               .sync(Tiny::steal, 0, 3_us)
               .work(1_us)
               .sync(Tiny::steal, 0, 3_us),
           1);
    CHECK(run_tiny(b).at("done") == 19_us);
}

TEST_CASE("a spinning task that is resumed while its CPU serves interrupts goes on behind them") {
    ProgramBuilder b(uniform(2, 50_ns));
    b.task(b.steps().sync(Tiny::spin, 0).mark("on"), 0);
    b.task(b.steps().work(4_us).sync(Tiny::steal, 0, 3_us).work(1_us).sync(Tiny::resume, 0), 1);
    CHECK(run_tiny(b).at("on") == 7_us);
}

}  // namespace
}  // namespace forksim::test
