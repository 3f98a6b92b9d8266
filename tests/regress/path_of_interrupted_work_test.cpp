// What a task had still to do when it was preempted or interrupted lay on the path of who came next.
#include <doctest/doctest.h>

#include "tests/sim/tiny_model.hpp"

namespace forksim::test {
namespace {

Time part(const Record& record, PathTime kind) { return Time{record.critical_path_ps[CriticalPath::component(kind)]}; }
Time part(const Record& record, std::uint16_t site, Part kind) {
    return Time{record.critical_path_ps[CriticalPath::component(site, kind)]};
}

TEST_CASE("who takes the CPU of a preempted task takes over what that task had done, not what it was about to do") {
    ProgramBuilder b(uniform(1, 50_ns));
    b.config.slice = 3_us;
    const auto first = b.site("first/one");
    const auto second = b.site("first/two");
    b.task(b.steps().work(2_us, first).work(9_us, second).work(5_us), 0);
    b.task(b.steps().work(1_us).count(), 0);
    const Record record = run_tiny(b).record;
    CHECK(part(record, first, Part::hold) == 2_us);
    CHECK(part(record, second, Part::hold) == 1_us);
    CHECK(part(record, PathTime::kernel) == 1_us);
}

TEST_CASE("work interrupted by a softirq lies on its path as far as it had come") {
    ProgramBuilder b(uniform(3, 50_ns));
    const auto site = b.site("interrupted/work");
    const auto callback = b.place(b.steps().work(2_us).sync(Tiny::wake, 0).end());
    b.task(b.steps().sync(Tiny::block, 0).work(1_us).count(), 2);
    b.task(b.steps().work(10_us, site), 0);
    b.task(b.steps().work(4_us).sync(Tiny::softirq, 0, callback), 1);
    const Record record = run_tiny(b).record;
    CHECK(part(record, site, Part::hold) == 4_us);
    CHECK(part(record, PathTime::kernel) == 3_us);
    CHECK(part(record, PathTime::interrupt) == 0_us);
}

}  // namespace
}  // namespace forksim::test
