// What the path to the last count is made of, by hand.
#include <doctest/doctest.h>

#include <string>

#include "tests/sim/tiny_model.hpp"

namespace forksim::test {
namespace {

Time part(const Record& record, PathTime kind) { return Time{record.critical_path_ps[CriticalPath::component(kind)]}; }
Time part(const Record& record, std::uint16_t site, Part kind) {
    return Time{record.critical_path_ps[CriticalPath::component(site, kind)]};
}

TEST_CASE("the path of a task by itself is what it did") {
    ProgramBuilder b(uniform(1, 50_ns));
    b.config.context_switch = 500_ns;
    const auto site = b.site("function/step");
    Steps s =
        b.steps().work(1_us).user(2_us).work(3_us, site).sync(static_cast<std::uint8_t>(Tiny::lines), 0, 250'000, site);
    b.task(s.sleep(10_us).busy(100_ns).count(), 0);
    const Record record = run_tiny(b).record;
    CHECK(part(record, PathTime::kernel) == 1100_ns);
    CHECK(part(record, PathTime::user) == 2_us);
    CHECK(part(record, site, Part::hold) == 3_us);
    CHECK(part(record, site, Part::lines) == 250_ns);
    CHECK(part(record, PathTime::asleep) == 10_us);
    CHECK(part(record, PathTime::context_switch) == 1_us);
    CHECK(record.critical_length_ps == (17350_ns).ps);
}

TEST_CASE("a task that waited takes over the path of who ended the wait") {
    ProgramBuilder b(uniform(2, 50_ns));
    b.config.context_switch = 500_ns;
    b.topology.idle_states = {{0_ns, 100_ns}};
    const auto site = b.site("holder/work");
    const auto wait = b.site("waiter/wait");
    Steps waiter = b.steps().work(1_us).sync(Tiny::spin, 0, 0, wait).sync(Tiny::block, 1, 0, wait);
    b.task(waiter.work(1_us).count(), 0);
    b.task(b.steps().user(4_us).work(2_us, site).sync(Tiny::resume, 0, 150_ns).work(3_us, site).sync(Tiny::wake, 1), 1);
    const Record record = run_tiny(b).record;
    CHECK(part(record, PathTime::user) == 4_us);
    CHECK(part(record, site, Part::hold) == 5_us);
    CHECK(part(record, wait, Part::handoff) == 0_ns);  // it was over before the wake-up, on another path
    CHECK(part(record, PathTime::kernel) == 1_us);     // its own, behind the wake-up
    CHECK(part(record, PathTime::context_switch) == 1_us);
    CHECK(part(record, PathTime::wake_up) == 200_ns);  // out of idle at the start, and at the wake-up
}

TEST_CASE("a hand-off lies on the path of who was resumed") {
    ProgramBuilder b(uniform(2, 50_ns));
    const auto site = b.site("holder/work");
    const auto wait = b.site("waiter/wait");
    b.task(b.steps().sync(Tiny::spin, 0, 0, wait).work(1_us).count(), 0);
    b.task(b.steps().work(2_us, site).sync(Tiny::resume, 0, 150_ns).work(3_us), 1);
    const Record record = run_tiny(b).record;
    CHECK(part(record, site, Part::hold) == 2_us);
    CHECK(part(record, wait, Part::handoff) == 150_ns);
    CHECK(part(record, PathTime::kernel) == 1_us);
}

TEST_CASE("who waits for a CPU takes over the path of who had it") {
    ProgramBuilder b(uniform(1, 50_ns));
    const auto site = b.site("first/work");
    b.task(b.steps().work(4_us, site), 0);
    b.task(b.steps().work(1_us).count(), 0);
    const Record record = run_tiny(b).record;
    CHECK(part(record, site, Part::hold) == 4_us);
    CHECK(part(record, PathTime::kernel) == 1_us);
}

TEST_CASE("a child begins with the path of its parent") {
    ProgramBuilder b(uniform(2, 50_ns));
    const auto child = b.place(b.steps().user(1_us).count().exit());
    b.task(b.steps().work(3_us).spawn("clone", child).work(50_us), {0, 1});
    const Record record = run_tiny(b).record;
    CHECK(part(record, PathTime::kernel) == 3_us);
    CHECK(part(record, PathTime::user) == 1_us);
}

TEST_CASE("stolen time and softirqs lie on the path of who they push back") {
    ProgramBuilder b(uniform(2, 50_ns));
    const auto callback = b.place(b.steps().work(2_us).end());
    const auto site = b.site("victim/work");
    b.task(b.steps().work(10_us, site).count(), 0);
    b.task(b.steps().work(4_us).sync(Tiny::softirq, 0, callback).work(4_us).sync(Tiny::steal, 0, 3_us), 1);
    const Record record = run_tiny(b).record;
    CHECK(part(record, site, Part::hold) == 10_us);
    CHECK(part(record, PathTime::interrupt) == 5_us);
    CHECK(record.critical_length_ps == (15_us).ps);
}

TEST_CASE("the path begins where the window does") {
    ProgramBuilder b(uniform(1, 50_ns));
    b.config.warmup = 100_us;
    b.config.duration = 50_us;
    b.task(b.steps().work(6_us).user(1_us).count().forever(), 0);
    const Record record = run_tiny(b).record;
    // Turns end at 105, 112 .. 147: the last count lies 47 us behind the opening; 5 us of the turn then under way.
    CHECK(record.critical_length_ps == (47_us).ps);
    CHECK(part(record, PathTime::user) == 7_us);
    CHECK(part(record, PathTime::kernel) == 40_us);
}

}  // namespace
}  // namespace forksim::test
