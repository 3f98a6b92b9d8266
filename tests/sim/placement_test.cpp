// Where a new task and a woken one go: two different choices.
#include "sim/placement.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "sim/error.hpp"
#include "tests/sim/tiny_model.hpp"

namespace forksim::test {
namespace {

CpuMask mask_of(Cpu count, const std::vector<Cpu>& cpus) {
    CpuMask mask(count);
    for (const Cpu cpu : cpus) mask.set(cpu);
    return mask;
}

/// Two sockets of two cores with two threads each: CPUs 0-3 are the first threads, 4-7 their siblings.
Topology cores_then_siblings() {
    Topology topology = two_sockets(4, 50_ns, 100_ns);
    topology.cores = 4;
    for (Cpu cpu = 0; cpu < 8; ++cpu) topology.cpus[cpu] = {cpu % 4, cpu % 4 / 2, cpu % 4 / 2};
    return topology;
}

struct Cpus {
    std::vector<CpuRecord> cpus = std::vector<CpuRecord>(8);
    Cpus& loads(std::vector<std::uint32_t> loads) {
        for (std::size_t i = 0; i < loads.size(); ++i) cpus[i].load = loads[i];
        return *this;
    }
};

TEST_CASE("fork placement takes the least loaded CPU of the whole mask") {
    const Topology topology = cores_then_siblings();
    const Placement placement(topology, {mask_of(8, {0, 1, 2, 3, 4, 5, 6, 7}), mask_of(8, {0, 1, 4})});
    CHECK(placement.for_fork(0, 0, Cpus{}.loads({2, 2, 2, 1, 2, 2, 2, 2}).cpus) == 3);
    CHECK(placement.for_fork(0, 0, Cpus{}.loads({1, 1, 1, 1, 1, 1, 0, 1}).cpus) == 6);
    CHECK(placement.for_fork(1, 0, Cpus{}.loads({1, 2, 0, 0, 3, 0, 0, 0}).cpus) == 0);
}

TEST_CASE("fork placement takes, of idle CPUs, the one that fell idle last, then the nearest behind the parent") {
    const Topology topology = cores_then_siblings();
    const Placement placement(topology, {mask_of(8, {0, 1, 2, 3, 4, 5, 6, 7})});
    Cpus c;
    c.loads({1, 0, 0, 0, 0, 0, 0, 1});
    CHECK(placement.for_fork(0, 4, c.cpus) == 4);
    CHECK(placement.for_fork(0, 7, c.cpus) == 1);
    c.cpus[5].idle_since = 3_us;
    c.cpus[2].idle_since = 2_us;
    CHECK(placement.for_fork(0, 7, c.cpus) == 5);
}

TEST_CASE("wake-up placement stays near: previous CPU, idle sibling, idle CPU of the last-level cache, previous CPU") {
    const Topology topology = cores_then_siblings();
    const Placement placement(topology, {mask_of(8, {0, 1, 2, 3, 4, 5, 6, 7})});
    CHECK(placement.for_wake(0, 0, Cpus{}.loads({0, 0, 0, 0, 0, 0, 0, 0}).cpus) == 0);
    CHECK(placement.for_wake(0, 0, Cpus{}.loads({1, 0, 0, 0, 0, 0, 0, 0}).cpus) == 4);
    CHECK(placement.for_wake(0, 0, Cpus{}.loads({1, 0, 0, 0, 1, 0, 0, 0}).cpus) == 1);
    CHECK(placement.for_wake(0, 0, Cpus{}.loads({1, 1, 0, 0, 1, 0, 0, 0}).cpus) == 5);
    CHECK(placement.for_wake(0, 0, Cpus{}.loads({3, 1, 0, 0, 1, 1, 0, 0}).cpus) == 0);  // the other socket is far
}

TEST_CASE("wake-up placement keeps to the mask") {
    const Topology topology = cores_then_siblings();
    const Placement placement(topology, {mask_of(8, {0, 1}), mask_of(8, {6, 7}), mask_of(8, {3})});
    CHECK(placement.for_wake(0, 0, Cpus{}.loads({1, 0, 0, 0, 0, 0, 0, 0}).cpus) == 1);
    CHECK(placement.for_wake(1, 0, Cpus{}.cpus) == 6);
    CHECK(placement.for_wake(2, 0, Cpus{}.loads({0, 0, 0, 9, 0, 0, 0, 0}).cpus) == 3);
    CHECK(placement.for_fork(2, 0, Cpus{}.loads({0, 0, 0, 9, 0, 0, 0, 0}).cpus) == 3);
}

TEST_CASE("root tasks are dealt to the CPUs of their mask in turn") {
    const Topology topology = cores_then_siblings();
    const Placement placement(topology, {mask_of(8, {1, 4, 6})});
    CHECK(placement.spread(0, 0) == 1);
    CHECK(placement.spread(0, 1) == 4);
    CHECK(placement.spread(0, 2) == 6);
    CHECK(placement.spread(0, 3) == 1);
}

TEST_CASE("a mask without a CPU of the machine is refused") {
    const Topology topology = cores_then_siblings();
    CHECK_THROWS_AS(Placement(topology, {mask_of(8, {})}), InternalError);
}

TEST_CASE("with a mask of one CPU parent and child alternate on it, and the parent follows the dead child") {
    ProgramBuilder b(uniform(2, 50_ns));
    const auto at_switch = b.place(b.steps().mark("finish_task_switch").work(1_us).end());
    const auto child = b.place(b.steps().mark("child").work(2_us).sync(Tiny::wake, 0).exit_then(at_switch));
    b.task(b.steps().spawn("clone", child).work(1_us).sync(Tiny::block, 0).mark("parent"), 0);
    const TinyRun run = run_tiny(b);
    CHECK(run.at("child") == 1_us);
    CHECK(run.cpu("child") == 0);
    CHECK(run.at("finish_task_switch") == 3_us);
    CHECK(run.at("parent") == 4_us);
}

TEST_CASE("a child goes to an idle CPU far away, a woken task stays on its busy CPU") {
    ProgramBuilder b(two_sockets(1, 50_ns, 100_ns));
    const auto child = b.place(b.steps().mark("child").exit());
    b.task(b.steps().work(1_us).spawn("clone", child).work(9_us), {0, 1});
    CHECK(run_tiny(b).cpu("child") == 1);

    ProgramBuilder c(two_sockets(1, 50_ns, 100_ns));
    c.task(c.steps().sync(Tiny::block, 0).mark("woken"), {0, 1});  // falls asleep on CPU 0
    c.task(c.steps().work(1_us).sync(Tiny::wake, 0).work(9_us), 0);
    const TinyRun run = run_tiny(c);
    CHECK(run.cpu("woken") == 0);
    CHECK(run.at("woken") == 10_us);
}

}  // namespace
}  // namespace forksim::test
