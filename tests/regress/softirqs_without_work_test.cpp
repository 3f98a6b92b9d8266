// Each callback that took no time was run by the one before it, on its stack.
#include <doctest/doctest.h>

#include "tests/sim/tiny_model.hpp"

namespace forksim::test {
namespace {

TEST_CASE("many softirqs without work are served without growing the stack") {
    ProgramBuilder b(uniform(2, 50_ns));
    const auto callback = b.place(b.steps().end());
    b.task(b.steps().sync(Tiny::irq_off).work(10_us).sync(Tiny::irq_on).mark("done"), 0);
    b.task(b.steps().repeat(200'000, b.steps().sync(Tiny::softirq, 0, callback)), 1);
    CHECK(run_tiny(b).at("done") == 10_us);
}

}  // namespace
}  // namespace forksim::test
