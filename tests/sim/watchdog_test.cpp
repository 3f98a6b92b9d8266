// A model in which nobody can move, or in which time stands still, ends with a message that names who and where.
#include <doctest/doctest.h>

#include <string>

#include "sim/error.hpp"
#include "tests/sim/tiny_model.hpp"

namespace forksim::test {
namespace {

std::string message_of(const ProgramBuilder& b) {
    try {
        run_tiny(b);
    } catch (const ModelStuck& stuck) {
        return stuck.what();
    }
    return "not stuck";
}

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST_CASE("deadlock: all tasks sleep for each other") {
    ProgramBuilder b(uniform(2, 50_ns));
    const auto readers = b.group("reader");
    b.task(b.steps().work(1_us).sync(Tiny::block, 3), std::vector<Cpu>{0}, readers);
    b.task(b.steps().work(2_us).sync(Tiny::block, 4), std::vector<Cpu>{1}, readers);
    const std::string message = message_of(b);
    CHECK(message ==
          "deadlock: nothing is left to happen at 2000 ns: reader#0 waits in slot 3; reader#1 waits in slot 4");
}

TEST_CASE("deadlock: a task spins for something that never comes") {
    ProgramBuilder b(uniform(2, 50_ns));
    b.task(b.steps().work(1_us).sync(Tiny::spin, 3), 0);
    b.task(b.steps().work(2_us), 1);
    CHECK(contains(message_of(b), "task#0 waits in slot 3"));
}

TEST_CASE("no deadlock: tasks that have all ended leave nothing to happen") {
    ProgramBuilder b(uniform(2, 50_ns));
    b.task(b.steps().work(1_us), 0);
    CHECK(message_of(b) == "not stuck");
}

TEST_CASE("livelock: a loop that takes no time names the task and the place") {
    ProgramBuilder b(uniform(1, 50_ns));
    const auto spinners = b.group("spinner");
    const auto site = b.site("poll/look");
    Steps s = b.steps().work(5_us, site);
    b.task(s.sync(Tiny::preempt_off, 0, 0, site).spin_without_time(), std::vector<Cpu>{0}, spinners);
    const std::string message = message_of(b);
    CHECK(contains(message, "a loop without time at 5000 ns"));
    CHECK(contains(message, "spinner#0"));
}

TEST_CASE("livelock: events without end on the same picosecond name the tasks") {
    ProgramBuilder b(uniform(1, 50_ns));
    const auto twins = b.group("twin");
    for (int i = 0; i < 2; ++i) b.task(b.steps().yield().forever(), std::vector<Cpu>{0}, twins);
    const std::string message = message_of(b);
    CHECK(contains(message, "livelock: simulated time stands still at 0 ns"));
    CHECK(contains(message, "twin#"));
}

}  // namespace
}  // namespace forksim::test
