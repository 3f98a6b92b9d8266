// Numbers of processes, and who created whom.
#include "sim/processes.hpp"

#include <doctest/doctest.h>

#include "tests/sim/tiny_model.hpp"

namespace forksim::test {
namespace {

TEST_CASE("roots have the first numbers, init the next, and new processes those that follow") {
    Processes processes(3);
    CHECK(processes.init() == 3);
    CHECK(processes.create(0) == 4);
    CHECK(processes.create(1) == 5);
}

TEST_CASE("a number is given again once all tasks have ended and nobody keeps it, the last one freed first") {
    Processes processes(1);
    const auto a = processes.create(0);
    const auto b = processes.create(0);
    for (const auto p : {a, b}) processes.join(p);
    processes.join(a);  // a thread
    processes.keep(a);  // its parent waits for it
    processes.leave(a);
    processes.leave(a);
    const auto c = processes.create(0);
    CHECK(c != a);  // a zombie
    processes.let_go(a);
    processes.leave(b);
    CHECK(processes.create(0) == b);
    CHECK(processes.create(0) == a);
    CHECK(processes.create(0) == c + 1);
}

TEST_CASE("the parent is the creator as long as it has a task, then init, also when another has its number") {
    Processes processes(1);
    processes.join(0);
    const auto parent = processes.create(0);
    processes.join(parent);
    const auto child = processes.create(parent);
    processes.join(child);
    CHECK(processes.parent_of(child) == parent);
    CHECK(processes.parent_of(parent) == 0);
    CHECK(processes.parent_of(0) == processes.init());
    processes.keep(parent);
    processes.leave(parent);  // a zombie is no parent any more
    CHECK(processes.parent_of(child) == processes.init());
    processes.let_go(parent);
    const auto other = processes.create(0);
    processes.join(other);
    CHECK(other == parent);
    CHECK(processes.parent_of(child) == processes.init());
}

TEST_CASE("children may run elsewhere than their parents if the spawn says so, and their own children too") {
    ProgramBuilder b(uniform(4, 0_ns));
    const auto grandchild = b.place(b.steps().work(1_us).mark("grandchild").exit());
    const auto child = b.place(b.steps().mark("child").spawn("again", grandchild).work(9_us).exit());
    b.task(b.steps().spawn("moved", child).mark("parent").work(9_us), 0);
    CpuMask others(4);
    others.set(2);
    others.set(3);
    b.program.masks.push_back(others);
    for (Spawn& spawn : b.program.spawns)
        if (spawn.entry == child) spawn.mask = static_cast<std::uint32_t>(b.program.masks.size() - 1);
    const TinyRun run = run_tiny(b);
    CHECK(run.cpu("parent") == 0);
    CHECK(run.cpu("child") >= 2);
    CHECK(run.cpu("grandchild") >= 2);
    CHECK(run.cpu("grandchild") != run.cpu("child"));
}

}  // namespace
}  // namespace forksim::test
