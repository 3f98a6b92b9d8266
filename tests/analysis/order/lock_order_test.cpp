// Which locks may be waited for while others are held, and which of the cycles among them lockdep would report.
#include "analysis/order/lock_order.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "analysis/order/order_output.hpp"
#include "tests/scenarios/scratch.hpp"

namespace forksim {
namespace {

/// Tasks `one`, and `two`, `three` if they are not empty, with locks A B C (spinlock), Off and Quiet (with interrupts
/// off), RW, S (rwsem), Sig per process, Seq under A; `functions` besides.
Compiled scenario(const std::vector<std::string>& tasks, const std::string& functions = "") {
    std::string text =
        "scenario: s\nplatform: uniform-4\n"
        "locks:\n"
        "  A: {kind: spinlock}\n"
        "  B: {kind: spinlock}\n"
        "  C: {kind: spinlock}\n"
        "  Off: {kind: spinlock, irq: off}\n"
        "  Quiet: {kind: spinlock, irq: off}\n"
        "  RW: {kind: rwlock}\n"
        "  S: {kind: rwsem}\n"
        "  Sig: {kind: spinlock, per: process}\n"
        "  Seq: {kind: seqcount, under: A}\n";
    if (!functions.empty()) text += "functions:\n" + functions;
    text += "workload:\n";
    const char* const names[] = {"one", "two", "three"};
    for (std::size_t i = 0; i < tasks.size(); ++i)
        text += std::string("  - {tasks: ") + names[i] + ", forever: [" + tasks[i] + ", {count: n}]}\n";
    return test::compile_text(text);
}

/// A section called NAME of `lock`, "A" or "RW, mode: read", around `body`.
std::string in(const std::string& lock, const std::string& name, const std::string& body = "{work: 1us}") {
    return "{section: " + lock + ", name: " + name + ", body: [" + body + "]}";
}

/// "A excl > B read off softirq nested".
std::set<std::string> edges(const Compiled& compiled) {
    std::set<std::string> texts;
    for (const LockEdge& edge : lock_order_of(compiled.program, compiled.model).edges) {
        const std::string note = note_of(edge);
        texts.insert(compiled.model.locks[edge.outer].name + ' ' + mode_text(edge.held) + " > " +
                     compiled.model.locks[edge.inner].name + ' ' + mode_text(edge.taken) +
                     (edge.irq_off ? " off " : " on ") + where_text(edge.where) + (note.empty() ? "" : ' ' + note));
    }
    return texts;
}

/// "A B C".
std::vector<std::string> cycles(const Compiled& compiled) {
    std::vector<std::string> texts;
    for (const LockCycle& cycle : lock_order_of(compiled.program, compiled.model).cycles) {
        std::string& text = texts.emplace_back();
        for (const std::uint32_t lock : cycle.locks)
            text += (text.empty() ? "" : " ") + compiled.model.locks[lock].name;
    }
    return texts;
}

using Texts = std::vector<std::string>;

}  // namespace

TEST_CASE("two tasks that take two locks in both orders make a cycle, and both ways are named") {
    const Compiled abba = scenario({in("A", "outer", in("B", "inner")), in("B", "outer", in("A", "inner"))});
    CHECK(cycles(abba) == Texts{"A B"});
    CHECK(edges(abba) == std::set<std::string>{"A excl > B excl on task cycle", "B excl > A excl on task cycle"});
    const LockOrder order = lock_order_of(abba.program, abba.model);
    const std::string text = order_text({abba, order});
    for (const char* part : {"A -> B -> A", "one/outer", "one/inner", "two/outer", "two/inner"}) {
        CAPTURE(part);
        CHECK(text.find(part) != std::string::npos);
    }
    CHECK(cycles(scenario({in("A", "outer", in("B", "inner")), in("A", "outer", in("B", "inner"))})).empty());
}

TEST_CASE("an acquisition in a function bears the name of who called it") {
    const Compiled abba =
        scenario({in("A", "outer", "{call: f}"), in("B", "outer", "{call: g}")},
                 "  f: [{call: h}]\n  h: [" + in("B", "inner") + "]\n  g: [" + in("A", "inner") + "]\n");
    const LockOrder order = lock_order_of(abba.program, abba.model);
    REQUIRE(order.cycles.size() == 1);
    const std::string text = order_text({abba, order});
    CHECK(text.find("h/inner (called by f)") != std::string::npos);
    CHECK(text.find("g/inner\n") != std::string::npos);
}

TEST_CASE("three locks make a cycle of three, and with a shortcut also one of two") {
    const std::string ab = in("A", "a", in("B", "b"));
    const std::string bc = in("B", "b", in("C", "c"));
    const std::string ca = in("C", "c", in("A", "a"));
    CHECK(cycles(scenario({ab, bc})).empty());
    CHECK(cycles(scenario({ab, bc, ca})) == Texts{"A B C"});
    CHECK(cycles(scenario({ab + ", " + in("B", "d", in("A", "e")), bc, ca})) == Texts{"A B", "A B C"});
}

TEST_CASE("locks that are released apart are held until then") {
    const std::string hand_over_hand = "{lock: A}, {lock: B}, {unlock: A}, {lock: C}, {unlock: B}, {unlock: C}";
    CHECK(edges(scenario({hand_over_hand})) ==
          std::set<std::string>{"A excl > B excl on task", "B excl > C excl on task"});
}

TEST_CASE("a lock held with interrupts off on one way keeps them off for those within") {
    CHECK(edges(scenario({in("Off", "out", in("A", "in", in("B", "in2"))) + ", " + in("A", "alone", in("Off", "off"))}))
              .count("A excl > Off excl off task cycle") == 1);
    CHECK(edges(scenario({in("Off", "out", in("A", "in"))})) == std::set<std::string>{"Off excl > A excl off task"});
}

TEST_CASE("a recursive read is not held up by readers (lockdep: no -(xR)-> and then -(Sx)->)") {
    // Off > RW here, RW > Off there, and somebody who writes RW.
    const auto with = [](const std::string& reads_under_off, const std::string& mode) {
        const bool in_softirq = reads_under_off == "softirq";
        const std::string reads = in("Off", "off", in("RW, mode: read", "r"));
        return scenario({(in_softirq ? "{call_rcu: later}" : reads), in("Quiet", "q", in("RW, mode: write", "w")),
                         in("Quiet", "q", in("RW, mode: " + mode, "rw", in("Off", "o")))},
                        in_softirq ? "  later: [" + reads + "]\n" : "");
    };
    CHECK(edges(with("softirq", "read")).count("Off excl > RW read off softirq recursive") == 1);
    CHECK(cycles(with("softirq", "read")).empty());
    CHECK(cycles(with("softirq", "write")) == Texts{"Off RW"});
    CHECK(cycles(with("task", "read")) == Texts{"Off RW"});  // the writer waits between the readers
    CHECK(cycles(with("task", "write")) == Texts{"Off RW"});
}

TEST_CASE("a read within a read is legal unless a writer can come in between") {
    const std::string twice = in("RW, mode: read", "r1", in("RW, mode: read", "r2"));
    CHECK(edges(scenario({twice})) == std::set<std::string>{"RW read > RW read on task no writer"});
    CHECK(cycles(scenario({twice})).empty());
    CHECK(cycles(scenario({twice, in("RW, mode: write", "w")})) == Texts{"RW"});
    const std::string slept = in("S, mode: read", "r1", in("S, mode: read", "r2"));
    CHECK(cycles(scenario({slept})).empty());
    CHECK(cycles(scenario({slept, in("S, mode: write", "w")})) == Texts{"S"});
}

TEST_CASE("a softirq's read on top of a reader is legal, also where writers come") {
    const Compiled reads =
        scenario({"{call_rcu: later}, " + in("RW, mode: read", "r"), in("Off", "off", in("RW, mode: write", "w"))},
                 "  later: [" + in("RW, mode: read", "again") + "]\n");
    CHECK(edges(reads) ==
          std::set<std::string>{"RW read > RW read on over task recursive", "Off excl > RW write off task"});
    CHECK(cycles(reads).empty());
}

TEST_CASE("a softirq that waits on top of a holder for who waits for that holder is a cycle (lockdep: irq inversion)") {
    const std::string later = "  later: [" + in("Off", "off") + "]\n";
    const std::string calls = "{call_rcu: later}, ";
    const Compiled inverted = scenario({calls + in("A", "on"), in("Off", "out", in("A", "in"))}, later);
    CHECK(edges(inverted).count("A excl > Off excl off over task cycle") == 1);
    CHECK(cycles(inverted) == Texts{"A Off"});
    CHECK(cycles(scenario({calls + in("C", "on"), in("Off", "out", in("A", "in"))}, later)).empty());
    CHECK(cycles(scenario({calls + in("Off", "off2", in("A", "on")), in("Off", "out", in("A", "in"))}, later)).empty());
}

TEST_CASE("instances of one lock are nested and no cycle, unless parent's and child's are taken in both orders") {
    const std::string spawn = "{spawn: {run: kid, process: new, as: k}}, ";
    const std::string up = "  kid: [" + in("Sig", "own", in("Sig@parent", "parents")) + "]\n";
    const std::string down = "  kid: [" + in("Sig@parent", "parents", in("Sig", "own")) + "]\n";
    const Compiled one_way = scenario({spawn + in("Sig", "own", in("Sig@k", "childs"))}, down);
    CHECK(edges(one_way) == std::set<std::string>{"Sig excl > Sig excl on task nested"});
    CHECK(cycles(one_way).empty());
    CHECK(cycles(scenario({spawn + in("Sig", "own", in("Sig@k", "childs"))}, up)) == Texts{"Sig Sig"});
}

TEST_CASE("a read section of a seqcount is waited for, and holds nobody up") {
    const std::string write = in("A", "a", "{seqwrite: Seq, name: w}");
    const Compiled compiled = scenario({write, in("B", "b", "{seqread: Seq, name: r, body: [" + in("C", "c") + "]}")});
    CHECK(edges(compiled) == std::set<std::string>{"A excl > Seq write on task", "B excl > Seq read on task recursive",
                                                   "B excl > C excl on task"});
}

TEST_CASE("every way is followed, however rare, and behind it what is held there") {
    const std::string rare =
        "{lock: A, name: a}, {branch: {p: 0, do: [" + in("B", "b") + "], else: [" + in("C", "c") + "]}}, {unlock: A}";
    CHECK(edges(scenario({rare})) == std::set<std::string>{"A excl > B excl on task", "A excl > C excl on task"});
    const std::string turns =
        "{repeat: {n: 3, do: [" + in("A", "a", in("B", "b")) + "]}}, " + in("C", "c", in("RW, mode: read", "r"));
    CHECK(edges(scenario({turns})) ==
          std::set<std::string>{"A excl > B excl on task", "C excl > RW read on task no writer"});
    CHECK(edges(scenario({"{repeat: {n: 0, do: [" + in("A", "a", in("B", "b")) + "]}}"})).empty());
}

TEST_CASE("the work at a switch, children and callbacks are followed") {
    const Compiled compiled =
        scenario({"{call_rcu: later}, {spawn: {run: kid}}"},
                 "  later: [" + in("Off", "o", in("B", "b")) + "]\n  kid: [" + in("A", "a", in("C", "c")) +
                     ", {exit: {next_runs: after}}]\n  after: [" + in("C", "c", in("RW, mode: write", "w")) + "]\n");
    const std::set<std::string> found = edges(compiled);
    for (const char* edge :
         {"Off excl > B excl off softirq", "A excl > C excl on task", "C excl > RW write on switch"}) {
        CAPTURE(edge);
        CHECK(found.count(edge) == 1);
    }
}

}  // namespace forksim
