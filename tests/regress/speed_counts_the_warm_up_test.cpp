// The speed of the host was of the events inside the window, but of the time for all of them.
#include <doctest/doctest.h>

#include "tests/sim/tiny_model.hpp"

namespace forksim::test {
namespace {

TEST_CASE("the effort is of all that was simulated, the counts of the window") {
    ProgramBuilder b(uniform(1, 50_ns));
    b.counter("turns");
    b.config.warmup = 4500_ns;
    b.config.duration = 8_us;
    b.task(b.steps().work(1_us).count().forever(), 0);
    const Record record = run_tiny(b).record;
    CHECK(record.counts[0] == 8);           // at 5 to 12 us
    CHECK(record.effort.operations >= 12);  // at 1 to 12 us, and what is left of the turn that the window's end cuts
    CHECK(record.effort.operations <= 13);
    CHECK(record.effort.events - record.events >= 4);
}

}  // namespace
}  // namespace forksim::test
