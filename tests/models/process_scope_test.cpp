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

TEST_CASE(
    "a dying process's four lines of statistics, counted apart: its child's, its parent's, then a new process's") {
    // __exit_signal() adds to sums on four lines of the child's signal_struct; the parent, on another CPU, reads them
    // in wait4(). They travel together: each stores (half a transfer) or is read (a transfer).
    KernelBuilder b(uniform(2, 50_ns));
    b.spec.handles = 1;
    b.spec.signals = {"done"};
    const auto stats = b.line("signal.stats", {Scope::process, 1});
    b.spec.lines[stats].lines = 4;
    Touch of_child{stats, Access::read, 1};
    of_child.whose = Whose::handle;
    const auto store = [&](const std::string& name) { return b.touch({Touch{stats, Access::store, 1}}, name); };
    const auto child = b.place(b.steps()
                                   .mark("begins")
                                   .then(store("a"))
                                   .mark("stored")
                                   .then(store("b"))
                                   .mark("again")
                                   .then(b.signal())
                                   .exit());
    b.task(b.steps().repeat(3, b.steps()
                                   .spawn("fork", child)
                                   .then(b.await(0))
                                   .mark("reaps")
                                   .then(b.touch({of_child}, "c"))
                                   .mark("read")
                                   .work(1_us)),
           std::vector<Cpu>{0});
    CpuMask other(2);
    other.set(1);
    b.program.masks.push_back(other);
    b.program.spawns.back().new_process = true;
    b.program.spawns.back().mask = static_cast<std::uint32_t>(b.program.masks.size() - 1);
    const KernelRun run = run_kernel(b);
    for (std::size_t life = 0; life < 3; ++life) {
        CAPTURE(life);
        CHECK(run.all("stored")[life] - run.all("begins")[life] == 4 * 25_ns);
        CHECK(run.all("again")[life] == run.all("stored")[life]);
        CHECK(run.all("read")[life] - run.all("reaps")[life] == 4 * 50_ns);
    }
}

/// How many transfers there are in a run in which a task on CPU 0 creates three processes one after the other, each
/// with the life of `child` on CPU 1.
std::uint64_t transfers_of_three(KernelBuilder& b, Steps child) {
    b.spec.handles = 1;
    b.spec.signals = {"done"};
    const auto life = b.place(child.then(b.signal()).exit());
    b.task(b.steps().repeat(3, b.steps().spawn("fork", life).then(b.await(0)).work(1_us)), std::vector<Cpu>{0});
    CpuMask other(2);
    other.set(1);
    b.program.masks.push_back(other);
    b.program.spawns.back().new_process = true;
    b.program.spawns.back().mask = static_cast<std::uint32_t>(b.program.masks.size() - 1);
    return run_kernel(b).record.transfers;
}

TEST_CASE("a new process's creator has filled in the heads of its lists and the counters of its percpu_rwsem, too") {
    {
        KernelBuilder b(uniform(2, 50_ns));
        ObjectSpec list;
        list.name = "children";
        list.per = {Scope::process, 1};
        b.spec.objects.push_back(list);
        Touch joins{0, Access::read, 1, true, ObjectOp::add_tail};
        Touch leaves{0, Access::read, 1, true, ObjectOp::del};
        CHECK(transfers_of_three(b, b.touch({joins}, "a").then(b.touch({leaves}, "b"))) == 3);  // of the head
    }
    {
        KernelBuilder b(uniform(2, 50_ns));
        const std::uint32_t rwsem = b.lock(LockKind::percpu_rwsem, "rwsem");
        b.spec.locks[rwsem].per = {Scope::process, 1};
        b.spec.locks[rwsem].line = own_line;
        const Steps reads = b.acquire(rwsem, AcquireMode::read).then(b.release(rwsem));
        CHECK(transfers_of_three(b, reads) == 3);  // of CPU 1's counter
    }
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
