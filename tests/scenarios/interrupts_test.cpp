// Locks that softirqs take, held with interrupts on: whoever holds one there may be interrupted by who waits for it.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "tests/scenarios/fault_table.hpp"
#include "tests/scenarios/scratch.hpp"

namespace forksim {

using test::Fault;

namespace {

/// Two functions, one in a task and one in a softirq, with locks on and off interrupts.
std::string scenario(const std::string& in_task, const std::string& in_softirq, const std::string& functions = "") {
    return "scenario: s\nplatform: uniform-4\n"
           "locks:\n"
           "  X: {kind: spinlock}\n"
           "  Off: {kind: spinlock, irq: off}\n"
           "  RW: {kind: rwlock}\n"
           "  Seq: {kind: seqcount, under: X}\n"
           "  SeqOff: {kind: seqcount, under: X, irq: off}\n"
           "  Box: {kind: mutex}\n"
           "functions:\n"
           "  later: [" +
           in_softirq + "]\n" + functions + "workload: [{tasks: t, forever: [{call_rcu: later}, " + in_task +
           ", {count: n}]}]\n";
}

const std::string from_x = "{section: X, name: in, body: [{seqwrite: Seq, name: write}]}";

std::vector<Fault> deadlocks() {
    const std::string reads = "{section: RW, mode: read, name: in}";
    const std::string writes = "{section: RW, mode: write, name: in}";
    const std::string hint = "`irq: off` keeps softirqs";
    return {
        {"a spinlock", scenario("{^section: X, name: out}", "{section: X, name: in}"),
         "deadlock: 'X' is taken in a softirq at later/in (line ", hint},
        {"its other place", scenario("{^section: X, name: out}", "{section: X, name: in}"),
         "), and with interrupts on at t/out", ""},
        {"inside a mutex", scenario("{section: Box, body: [{^section: X, name: out}]}", "{section: X}"),
         "with interrupts on at t/out", ""},
        {"taken and released apart", scenario("{^lock: X, name: out}, {unlock: X}", "{lock: X, name: in}, {unlock: X}"),
         "at later/in (line ", ""},
        {"held on when interrupts are back on",
         scenario("{lock: Off}, {^lock: X, name: out}, {unlock: Off}, {unlock: X}", "{section: X, name: in}"),
         "with interrupts on at t/out", ""},
        {"a writer against a softirq that reads", scenario("{^section: RW, mode: write, name: out}", reads),
         "'RW' is taken in a softirq at later/in", ""},
        {"a writer against a softirq that writes", scenario("{^section: RW, mode: write, name: out}", writes),
         "'RW' is taken in a softirq at later/in", ""},
        {"a reader against a softirq that writes", scenario("{^section: RW, mode: read, name: out}", writes),
         "'RW' is taken in a softirq at later/in", ""},
        {"a seqcount's writer against a softirq that reads",
         scenario("{section: X, body: [{^seqwrite: Seq, name: out}]}", "{seqread: Seq, name: in}"),
         "'Seq' is taken in a softirq at later/in", ""},
        {"a child",
         scenario("{spawn: {run: child}}", "{section: X, name: in}", "  child: [{^section: X, name: out}]\n"),
         "with interrupts on at child/out", ""},
        {"the work at the switch from a task that ends",
         scenario("{spawn: {run: child}}", "{section: X, name: in}",
                  "  child: [{exit: {next_runs: after}}]\n  after: [{^section: X, name: out}]\n"),
         "with interrupts on at after/out", ""},
    };
}

}  // namespace

TEST_CASE("a lock taken in a softirq and with interrupts on is a fault that names both places") {
    for (const Fault& fault : deadlocks()) test::check_fault(fault);
}

TEST_CASE("no fault is a lock that no softirq takes, or that is never held with interrupts on") {
    const auto is_good = [](const std::string& in_task, const std::string& in_softirq) {
        CAPTURE(in_task);
        CAPTURE(in_softirq);
        CHECK(test::faults_of(scenario(in_task, in_softirq)).empty());
    };
    is_good("{section: X}, {section: RW, mode: write}", "{section: Off}");
    is_good("{section: Off}", "{section: Off}");
    is_good("{section: Off, body: [{section: X}]}", "{section: X}");
    is_good("{lock: Off}, {lock: X}, {unlock: X}, {unlock: Off}", "{section: X}");
    is_good("{work: 1us}", "{section: X}, {section: RW, mode: write}");
    is_good("{section: RW, mode: read}", "{section: RW, mode: read}");
    is_good("{seqread: Seq}", from_x);
    is_good("{section: Off, body: [{section: X, body: [{seqwrite: Seq}]}]}", "{seqread: Seq}");
    is_good("{section: X, body: [{seqwrite: SeqOff}]}", "{seqread: SeqOff}");
}

TEST_CASE("a setting that turns interrupts on is refused where a shipped kernel's softirq takes the lock") {
    Request request;
    request.scenario = "threadspawn1-20c";
    CHECK_NOTHROW(compile(request));
    request.sets = {"vmap_area.irq=on"};
    try {
        compile(request);
        FAIL("no fault");
    } catch (const LanguageError& error) {
        REQUIRE(error.diagnostics.size() == 1);
        CHECK(error.diagnostics[0].message.find("'vmap_area' is taken in a softirq at free_stack/unlink_area") !=
              std::string::npos);
    }
}

}  // namespace forksim
