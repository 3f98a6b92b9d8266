// What is called a cycle comes to a standstill when it is run, and what is called legal does not.
#include <doctest/doctest.h>

#include <string>

#include "analysis/order/weights.hpp"
#include "sim/error.hpp"
#include "tests/scenarios/scratch.hpp"

namespace forksim {
namespace {

/// A task `one` and two tasks `two`, each with a CPU of its own, and functions.
Compiled scenario(const std::string& one, const std::string& two, const std::string& functions) {
    return test::compile_text(
        "scenario: s\nplatform: uniform-4\n"
        "locks:\n"
        "  A: {kind: spinlock}\n"
        "  Off: {kind: spinlock, irq: off}\n"
        "  Quiet: {kind: spinlock, irq: off}\n"
        "  Mute: {kind: spinlock, irq: off}\n"
        "  RW: {kind: rwlock}\n"
        "functions:\n" +
        functions + "workload:\n  - {tasks: one, affinity: {cpus: '0'}, forever: [" + one +
        ", {count: n}]}\n  - {tasks: two, count: 2, affinity: {cpus: '1-2'}, forever: [" + two + ", {count: n}]}\n");
}

/// Whether the lock order has a cycle; a run must come to a standstill exactly then.
bool has_cycle(const Compiled& compiled) {
    const bool cycle = !lock_order_of(compiled.program, compiled.model).cycles.empty();
    if (cycle)
        CHECK_THROWS_AS(brief_run(compiled), ModelStuck);
    else
        CHECK(brief_run(compiled).counts.at(0) > 1000);
    return cycle;
}

const std::string unused = "  f: [{work: 1us}]\n";
const std::string vary = "{work: {exponential: 2us}}, ";

std::string in(const std::string& lock, const std::string& name, const std::string& body = "{work: 1us}") {
    return "{section: " + lock + ", name: " + name + ", body: [{work: 1us}, " + body + "]}";
}

}  // namespace

TEST_CASE("two locks in both orders") {
    CHECK(has_cycle(scenario(vary + in("A", "a", in("Off", "b")), vary + in("Off", "b", in("A", "a")), unused)));
    CHECK_FALSE(has_cycle(scenario(vary + in("A", "a", in("Off", "b")), vary + in("A", "a", in("Off", "b")), unused)));
}

TEST_CASE("a softirq on top of a holder for whom the one waits that it waits for") {
    const std::string later = "  later: [" + in("Off", "off") + "]\n";
    const std::string calls = "{call_rcu: later}, ";
    const std::string out = in("Off", "out", in("A", "in"));
    CHECK(has_cycle(scenario(calls + in("A", "on", "{work: 50us}"), out, later)));
    CHECK_FALSE(has_cycle(scenario(calls + in("Quiet", "q", in("A", "on", "{work: 50us}")), out, later)));
}

TEST_CASE("a writer between a read and a read within it") {
    const std::string twice = in("RW, mode: read", "r1", in("RW, mode: read", "r2"));
    CHECK(has_cycle(scenario(twice, vary + in("RW, mode: write", "w"), unused)));
    CHECK_FALSE(has_cycle(scenario(twice, vary + in("RW, mode: read", "w"), unused)));
}

TEST_CASE("a writer between reads on two sides, which a read in a softirq passes") {
    const std::string reads = in("Off", "off", in("RW, mode: read", "r"));
    const std::string two = vary + in("Quiet", "q", in("RW, mode: read", "rw", in("Off", "o"))) + ", " +
                            in("Mute", "m", in("RW, mode: write", "w"));
    CHECK(has_cycle(scenario(vary + reads, two, unused)));
    CHECK_FALSE(has_cycle(scenario("{call_rcu: later}, " + vary + in("A", "a"), two, "  later: [" + reads + "]\n")));
}

TEST_CASE("a parent's lock and its child's in both orders") {
    const auto kid = [](const std::string& outer, const std::string& inner) {
        return "  kid: [{repeat: {n: 1000, do: [" + in(outer, "outer", in(inner, "inner")) + "]}}, {signal: done}]\n";
    };
    const std::string parent = "{spawn: {run: kid, process: new, as: k}}, {repeat: {n: 500, do: [" +
                               in("Sig", "own", in("Sig@k", "childs")) +
                               "]}}, {await: {done: k}}, {repeat: {n: 1000, do: [{count: n}]}}";
    const auto with = [&](const std::string& function) {
        return test::compile_text(
            "scenario: s\nplatform: uniform-4\nlocks: {Sig: {kind: spinlock, per: process}}\nfunctions:\n" + function +
            "workload: [{tasks: one, forever: [" + parent + "]}]\n");
    };
    CHECK(has_cycle(with(kid("Sig", "Sig@parent"))));
    CHECK_FALSE(has_cycle(with(kid("Sig@parent", "Sig"))));
}

}  // namespace forksim
