// What the reference engine does not do, and how it ends when it does not.
#include <doctest/doctest.h>

#include <string>

#include "tests/simgrid/reference_process.hpp"
#include "tests/support/build_program.hpp"

namespace forksim::test {
namespace {

ReferenceRun run(const KernelBuilder& b) { return run_reference({b.program, b.spec, b.topology, b.config}, 1); }

void check_refused(const ReferenceRun& run, const std::string& what) {
    CHECK(run.status == 2);
    CHECK(run.output == "the reference engine does not model " + what);
}

TEST_CASE("siblings that slow each other down are refused by name; siblings that do not are none") {
    for (const bool slow : {true, false}) {
        KernelBuilder b(smt_pairs(2, 50_ns, 10_ns, slow ? 700 : 1024, 1024));
        b.task(b.hold(b.spinlock("lock"), 100_ns), 0);
        if (slow) {
            check_refused(run(b), "SMT siblings that slow each other down");
        } else {
            CHECK(run(b).status == 0);
        }
    }
}

TEST_CASE("time slices are refused by name once one would end, and not before") {
    for (const bool needed : {true, false}) {
        KernelBuilder b(uniform(1, 50_ns));
        b.config.slice = 100_us;
        b.task(b.steps().work(needed ? 101_us : 99_us), 0);
        b.task(b.steps().work(10_us), 0);
        if (needed) {
            check_refused(run(b), "time slices (several tasks want one CPU for longer)");
        } else {
            CHECK(run(b).status == 0);
        }
    }
}

TEST_CASE("the spinlocks of guests are refused by name") {
    KernelBuilder guest(uniform(2, 50_ns));
    guest.topology.virt = Virt::pv;
    guest.task(guest.hold(guest.spinlock("lock"), 100_ns), 0);
    check_refused(run(guest), "the spinlocks of guests");
}

TEST_CASE("tasks that sleep for each other in a circle end the run with status 3") {
    for (const LockKind kind : {LockKind::mutex, LockKind::futex_pi, LockKind::rwsem, LockKind::percpu_rwsem}) {
        CAPTURE(static_cast<int>(kind));
        KernelBuilder b(uniform(3, 50_ns));
        const auto one = b.lock(kind, "one");
        const auto two = b.lock(kind, "two");
        b.task(b.section(one, b.at(1000_us).then(b.write(two, 100_ns)), AcquireMode::write), 0);
        b.task(b.section(two, b.at(1000_us).then(b.write(one, 100_ns)), AcquireMode::write), 1);
        const ReferenceRun stuck = run(b);
        CHECK(stuck.status == 3);
        CHECK(stuck.output.find("waits for two at") != std::string::npos);
        CHECK(stuck.output.find("waits for one at") != std::string::npos);
    }
}

TEST_CASE("tasks that wait for each other in a circle end the run with status 3") {
    KernelBuilder b(uniform(3, 50_ns));
    const auto one = b.spinlock("one");
    const auto two = b.spinlock("two");
    b.task(b.section(one, b.at(1000_ns).then(b.hold(two, 100_ns))), 0);
    b.task(b.section(two, b.at(1000_ns).then(b.hold(one, 100_ns))), 1);
    b.task(b.steps().work(100_ns).forever(), 2);  // goes on
    const ReferenceRun stuck = run(b);
    CHECK(stuck.status == 3);
    CHECK(stuck.output.find("waits for two at take two") != std::string::npos);
    CHECK(stuck.output.find("waits for one at take one") != std::string::npos);
}

TEST_CASE("a child that never gives the signal that its parent awaits ends the run with status 3") {
    KernelBuilder b(uniform(1, 50_ns));
    b.spec.handles = 1;
    b.spec.signals = {"done"};
    const auto child = b.place(b.at(100_ns).exit());
    b.task(b.steps().spawn("child", child).then(b.await(0)), 0);
    CHECK(run(b).status == 3);
}

TEST_CASE("faults of the command line end with status 2 and say what was expected") {
    CHECK(run_helper({"run"}).status == 2);
    CHECK(run_helper({"run", "one-lock", "--cpus"}).output == "forksim-simgrid run: --cpus takes a value\n");
    CHECK(run_helper({"run", "one-lock", "--cpus", "two"}).output ==
          "forksim-simgrid run: --cpus takes a whole number up to 4294967295, not 'two'\n");
    CHECK(run_helper({"run", "one-lock", "--jobs", "2"})
              .output.starts_with("forksim-simgrid run: unknown option --jobs"));
    CHECK(run_helper({"run", "no-such-scenario"}).status == 2);
    CHECK(run_helper({"run", "threadspawn1-512t"}).output ==
          "the reference engine does not model SMT siblings that slow each other down\n");
}

}  // namespace
}  // namespace forksim::test
