// The blocks rcu: and spin:, and edits that depend on the configuration.
#include <doctest/doctest.h>

#include <string>

#include "tests/scenarios/fault_table.hpp"
#include "tests/scenarios/scratch.hpp"

namespace forksim {

using test::compile_text;
using test::faults_of;
using test::ops_text;

namespace {

/// A scenario with these blocks and steps; later() runs in softirq, leaves() under the lock of its leaf.
std::string with_blocks(const std::string& blocks, const std::string& steps) {
    return "scenario: s\nplatform: uniform-4\n" + blocks +
           "\nlocks: {leaf: {kind: spinlock, per: {cpus: 16}}, P: {kind: percpu_rwsem}}\n"
           "functions:\n  later: [{work: 1us}]\n"
           "  leaves: [{section: leaf, name: leaf, body: [{work: 2us}]}]\n"
           "workload: [{tasks: t, forever: [" +
           steps + ", {count: n}]}]\n";
}

std::int64_t ps_of(const Sampler& sampler) { return sampler.mean_ps; }

/// A kernel with favordynmods that changes two things if it is on, and a patch.
std::string with_when(const std::string& scenario_config, const std::string& patch_edits = "[]") {
    return "kernel: base\nlocks: {L: {kind: spinlock}}\n"
           "functions: {f: [{work: 1us, name: a}, {work: 2us, name: b}]}\n"
           "---\n"
           "kernel: k\nlike: base\nadd: {locks: {S: {kind: seqcount, under: L}}}\nedits:\n"
           "  - {remove: f/a, when: config.favordynmods}\n"
           "  - {remove: f/b, when: not config.favordynmods}\n"
           "---\n"
           "patch: x\nedits: " +
           patch_edits +
           "\n---\n"
           "scenario: s\nkernel: k\npatches: [x]\nplatform: uniform-2\nconfig: {" +
           scenario_config + "}\nworkload: [{tasks: t, forever: [{call: f}, {count: n}]}]\n";
}

std::string ops(const std::string& text, const std::vector<std::string>& sets = {}) {
    const std::string all = ops_text(compile_text(text, [&](Request& request) { request.sets = sets; }));
    return all.substr(0, all.find("; count n"));
}

}  // namespace

TEST_CASE("rcu: says how long grace periods are, for each of their users") {
    const std::string block = "rcu: {gp: 5ms, batch: 7, expedited: 200us, expedited_interrupt: 3us}";
    const ModelSpec callbacks = compile_text(with_blocks(block, "{call_rcu: later}")).model;
    CHECK(ps_of(callbacks.rcu.grace_period) == Time::from_ms(5).ps);
    CHECK(callbacks.rcu.batch == 7);
    CHECK(ps_of(callbacks.rcu.expedited) == 0);
    CHECK(ps_of(compile_text(with_blocks(block, "synchronize_rcu")).model.rcu.grace_period) == Time::from_ms(5).ps);
    const ModelSpec writer = compile_text(with_blocks(block, "{section: P, mode: write}")).model;
    CHECK(ps_of(writer.rcu.grace_period) == Time::from_ms(5).ps);
    const ModelSpec hurry = compile_text(with_blocks(block, "{synchronize_rcu: expedited}")).model;
    CHECK(ps_of(hurry.rcu.expedited) == Time::from_us(200).ps);
    CHECK(hurry.rcu.expedited_interrupt == Time::from_us(3));
    CHECK(ps_of(hurry.rcu.grace_period) == 0);
    const ModelSpec fallback = compile_text(with_blocks("", "synchronize_rcu, {synchronize_rcu: expedited}")).model;
    CHECK(ps_of(fallback.rcu.grace_period) == Time::from_ms(15).ps);
    CHECK(ps_of(fallback.rcu.expedited) == Time::from_us(300).ps);
}

TEST_CASE("rcu.report is compiled as a softirq where there are callbacks, and leaves no trace elsewhere") {
    const Compiled reporting = compile_text(with_blocks("rcu: {report: leaves}", "{call_rcu: later}"));
    CHECK(ops_text(reporting) ==
          "call_rcu 3; count n; turn 0; work user 1us; end; "
          "acquire leaf @ leaves/leaf; work user 2us @ leaves/leaf; release leaf @ leaves/leaf; end");
    CHECK(reporting.model.rcu.report == 5);
    CHECK(reporting.model.locks.at(0).per == ScopeSpec{Scope::cpus, 16});
    const Compiled without = compile_text(with_blocks("rcu: {report: leaves}", "{work: 1us}"));
    CHECK(without.model.rcu.report == no_op);
    CHECK(without.hash == compile_text(with_blocks("", "{work: 1us}")).hash);
    test::check_fault(
        {"unknown report", with_blocks("rcu: {report: ^leafs}", "{work: 1us}"), "unknown function 'leafs'", "leaves"});
    test::check_fault({"a report that sleeps",
                       "scenario: s\nplatform: uniform-2\nrcu: {report: f}\nfunctions: {f: [{^sleep: 1us}], g: []}\n"
                       "workload: [{tasks: t, forever: [{call_rcu: g}, {count: n}]}]\n",
                       "in a softirq", ""});
}

TEST_CASE("spin: says how spinlocks are waited for; waiters halt after as many turns as the kernel has") {
    const SpinSpec fallback = compile_text(with_blocks("", "{work: 1us}")).model.spin;
    CHECK(fallback.turn == Time::from_ns(40));
    CHECK(fallback.halt_after == Time::from_ns(40 * 32768));
    const SpinSpec turn = compile_text(with_blocks("spin: {turn: 10ns}", "{work: 1us}")).model.spin;
    CHECK(turn.turn == Time::from_ns(10));
    CHECK(turn.halt_after == Time::from_ns(10 * 32768));
    const SpinSpec all =
        compile_text(with_blocks("spin: {halt_after: 1ms, kick: 3us, kick_wake: 4us}", "{work: 1us}")).model.spin;
    CHECK(all.halt_after == Time::from_ms(1));
    CHECK(all.kick == Time::from_us(3));
    CHECK(all.kick_wake == Time::from_us(4));
    const auto set = [](Request& request) { request.sets = {"spin.kick=9us"}; };
    CHECK(compile_text(with_blocks("spin: {kick: 3us}", "{work: 1us}"), set).model.spin.kick == Time::from_us(9));
    test::check_fault({"a turn that is too long", with_blocks("spin: {turn: ^2us}", "{work: 1us}"), "too long", "1us"});
    test::check_fault({"unknown key", with_blocks("spin: {^turns: 2us}", "{work: 1us}"), "'turns'", "'turn'"});
}

TEST_CASE("an edit with `when` is made if the configuration is so in the end, wherever that is said") {
    CHECK(ops(with_when("")) == "work 1us");
    CHECK(ops(with_when("favordynmods: true")) == "work 2us");
    CHECK(ops(with_when(""), {"config.favordynmods=true"}) == "work 2us");
    CHECK(ops(with_when("favordynmods: true"), {"config.favordynmods=false"}) == "work 1us");
    CHECK(ops(with_when("", "[{set: {config.favordynmods: true}}]")) == "work 2us");
    CHECK(ops(with_when("", "[{scale: {f/a: 3}, when: config.hz == 1000}]")) == "work 3us");
    CHECK(ops(with_when("", "[{scale: {f/a: 3}, when: config.hz == 250}]")) == "work 1us");
}

TEST_CASE("configuration does not depend on configuration, and `when` names a key of it") {
    const auto found = faults_of(with_when("", "[{set: {config.hz: 100}, when: config.psi}]"));
    REQUIRE(found.size() == 1);
    CHECK(found[0].message == "configuration cannot depend on configuration");
    const auto unknown = faults_of(with_when("", "[{remove: f/a, when: config.spi}]"));
    REQUIRE(unknown.size() == 1);
    CHECK(unknown[0].hint == "did you mean 'psi'?");
}

TEST_CASE("an edit sets keys of the kind that a lock has then, whichever of them it names first") {
    const std::string good =
        "patch: p\nedits: [{set: {L.kind: rwlock, L.claim: 0.5}}]\n---\n"
        "scenario: s\npatches: [p]\nplatform: uniform-2\nlocks: {L: {kind: spinlock}}\n"
        "workload: [{tasks: t, forever: [{section: L, mode: write}, {count: n}]}]\n";
    CHECK(compile_text(good).model.locks.at(0).claim == 512);
    std::string bad = good;
    bad.replace(bad.find("L.kind: rwlock"), 14, "L.kind: mutex");
    const auto found = faults_of(bad);
    REQUIRE(!found.empty());
    CHECK(found[0].message == "'claim' does not belong to a lock of kind 'mutex'");
    CHECK(found[0].line == 2);
}

TEST_CASE("--patch finds a patch beside the scenario") {
    const std::string text = "patch: quick\nedits: [{set: {f/a.work: 9us}}]\n---\n" + with_when("");
    const auto quick = [](Request& request) { request.patches = {"quick"}; };
    CHECK(ops_text(compile_text(text, quick)).rfind("work 9us", 0) == 0);
    const auto wrong = faults_of(text, [](Request& request) { request.patches = {"quikc"}; });
    REQUIRE(wrong.size() == 1);
    CHECK(wrong[0].hint == "did you mean 'quick'?");
}

}  // namespace forksim
