// A slice that ended while a softirq ran was forgotten until the next op.
#include <doctest/doctest.h>

#include "tests/sim/tiny_model.hpp"

namespace forksim::test {
namespace {

TEST_CASE("a slice that ends under a softirq takes the CPU when the softirq has ended") {
    ProgramBuilder b(uniform(2, 50_ns));
    b.config.slice = 3_us;
    const auto callback = b.place(b.steps().work(2_us).end());
    b.task(b.steps().user(20_us).mark("long one"), 0);
    b.task(b.steps().mark("other"), 0);
    b.task(b.steps().work(2_us).sync(Tiny::softirq, 0, callback), 1);
    const TinyRun run = run_tiny(b);
    CHECK(run.at("other") == 4_us);
    CHECK(run.at("long one") == 22_us);
}

}  // namespace
}  // namespace forksim::test
