// What is per process or task comes with it, and is used again after it.
#include <doctest/doctest.h>

#include "models/model.hpp"
#include "sim/probe.hpp"
#include "sim/round_robin.hpp"
#include "sim/simulator.hpp"
#include "tests/support/build_program.hpp"

namespace forksim::test {
namespace {

/// How many lines there are at the end of a run in which one task creates `children` processes and awaits each.
std::size_t lines_after(std::uint32_t children, bool awaits) {
    KernelBuilder b(uniform(8, 50_ns));
    b.spec.handles = 1;
    b.spec.signals = {"done"};
    const auto line = b.line("signal", {Scope::process, 1});
    const auto note = b.line("note", {Scope::task, 1});
    const auto child = b.place(b.steps()
                                   .then(b.touch(line, Access::write))
                                   .then(b.touch(note, Access::write))
                                   .work(1_us)
                                   .then(b.signal())
                                   .exit());
    Steps turn = b.steps().spawn("fork", child);
    if (awaits) turn.then(b.await(0)).work(1_us);
    b.task(b.steps().repeat(children, turn), std::vector<Cpu>{0, 1, 2, 3, 4, 5, 6, 7});
    b.program.spawns.back().new_process = true;
    KernelModel model(b.spec, b.topology);
    RoundRobin policy(b.topology.cpu_count(), b.config.slice);
    Probes<> none;
    Simulator<KernelModel, RoundRobin, Probes<>> simulator(b.program, b.topology, b.config, 1, 0, model, policy, none);
    simulator.run();
    return model.lines().size();
}

TEST_CASE("instances of processes and tasks that are gone are used again") {
    const std::size_t two = lines_after(2, true);
    CHECK(lines_after(100, true) == two);  // the next one is created while a variable still names the one before
    CHECK(lines_after(40, false) > two);   // as many as there are at once
    CHECK(lines_after(1, true) + 2 == two);
}

TEST_CASE("a new process finds its lines filled in by its creator, whoever had them before") {
    KernelBuilder b(uniform(2, 50_ns));
    b.spec.handles = 1;
    b.spec.signals = {"done"};
    const auto line = b.line("signal", {Scope::process, 1});
    const auto child =
        b.place(b.steps().then(b.touch(line, Access::write)).mark("touched").work(1_us).then(b.signal()).exit());
    const Steps turn = b.steps().spawn("fork", child).then(b.await(0)).work(1_us);
    b.task(b.steps().repeat(4, turn), std::vector<Cpu>{0});
    CpuMask other(2);
    other.set(1);
    b.program.masks.push_back(other);
    b.program.spawns.back().new_process = true;
    b.program.spawns.back().mask = static_cast<std::uint32_t>(b.program.masks.size() - 1);
    const KernelRun run = run_kernel(b);
    // Turns of 2.05 us: the child's first write takes the line from its creator's CPU.
    CHECK(run.all("touched") == std::vector<Time>{50_ns, 2100_ns, 4150_ns, 6200_ns});
}

TEST_CASE("somebody else's line is touched where it is: the parent's, the child's") {
    KernelBuilder b(uniform(2, 50_ns));
    b.spec.handles = 1;
    b.spec.signals = {"done"};
    const auto line = b.line("signal", {Scope::process, 1});
    Touch of_parent{line, Access::write, 1};
    of_parent.whose = Whose::parent;
    Touch of_child{line, Access::write, 1};
    of_child.whose = Whose::handle;
    const auto child = b.place(b.steps()
                                   .then(b.touch({of_parent}, "a"))
                                   .mark("parent's")
                                   .then(b.touch(line, Access::write))
                                   .mark("own")
                                   .then(b.signal())
                                   .exit());
    b.task(b.steps()
               .then(b.touch(line, Access::write))
               .spawn("fork", child)
               .work(1_us)
               .then(b.await(0))
               .then(b.touch({of_child}, "b"))
               .mark("child's")
               .then(b.touch(line, Access::write))
               .mark("back"),
           std::vector<Cpu>{0, 1});
    b.program.spawns.back().new_process = true;
    const KernelRun run = run_kernel(b);
    CHECK(run.at("parent's") == 50_ns);
    CHECK(run.at("own") == 100_ns);
    CHECK(run.at("child's") == 1050_ns);
    CHECK(run.at("back") == 1100_ns);
}

}  // namespace
}  // namespace forksim::test
