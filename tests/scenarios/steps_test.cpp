// What each step becomes. The ops are written as test::ops_text shows them.
#include <doctest/doctest.h>

#include <algorithm>

#include "sim/random.hpp"
#include "tests/scenarios/scratch.hpp"

namespace forksim {

using test::compile_text;
using test::ops_text;
using test::scenario_of;

namespace {

/// The ops of a loop made of these steps, without the count and the turn that end it.
std::string ops(const std::string& steps, const std::string& functions = "{}") {
    const std::string text = ops_text(compile_text(scenario_of(steps, functions)));
    const std::size_t end = text.find("; count n; turn 0");
    REQUIRE(end != std::string::npos);
    return text.substr(0, end) + text.substr(end + 17);
}

}  // namespace

TEST_CASE("steps of time") {
    CHECK(ops("{work: 1us}") == "work user 1us");
    CHECK(ops("{busy: 2us}") == "busy user 2us");
    CHECK(ops("{sleep: 3us}") == "sleep 3us");
    CHECK(ops("resched, yield, {work: 1us}") == "resched; yield; work user 1us");
}

TEST_CASE("functions run in kernel or user mode as they say; a scenario's own are in user mode") {
    CHECK(ops("{call: f}", "{f: [{work: 1us}]}") == "work user 1us");
    CHECK(ops("{call: f}, {work: 2us}", "{f: {user: false, do: [{work: 1us}]}}") == "work 1us; work user 2us");
}

TEST_CASE("a section charges its body to its site, the innermost one") {
    CHECK(ops("{section: L, name: o, body: [{work: 1us}, {section: R, mode: write, name: i, body: [{work: 2us}]}]}") ==
          "acquire L @ t/o; work user 1us @ t/o; acquire R write @ t/i; work user 2us @ t/i; release R @ t/i; "
          "release L @ t/o");
    CHECK(ops("{section: L, name: s, hold: 40ns, lines: 2}") ==
          "acquire L @ t/s; touch L.data.1:1write L.data.2:1write @ t/s; work user 40ns @ t/s; release L @ t/s");
}

TEST_CASE("locks taken and released apart are charged to where they were taken, and work between to nobody") {
    CHECK(ops("{lock: R, mode: read, name: x}, {work: 1us}, {unlock: R}") ==
          "acquire R read @ t/x; work user 1us; release R @ t/x");
    CHECK(ops("{down_read: P, name: x}, {call: f}", "{f: [{up_read: P}]}") == "acquire P read @ t/x; release P @ t/x");
}

TEST_CASE("touches come before the work; outside a section they have a site of their own") {
    CHECK(ops("{work: 1us, name: w, touch: {b: write, a: 2 store}}") == "touch a:2store b:1write @ t/w; work user 1us");
    CHECK(ops("{section: L, name: s, body: [{work: 1us, touch: [b: peek, a: read]}]}") ==
          "acquire L @ t/s; touch b:1peek a:1read @ t/s; work user 1us @ t/s; release L @ t/s");
    CHECK(ops("{atomic: a, name: x}, {section: L, name: s, body: [{atomic: b}]}") ==
          "atomic a @ t/x; acquire L @ t/s; atomic b @ t/s; release L @ t/s");
}

TEST_CASE("pools branch on hit and miss, room and no room") {
    CHECK(ops("{pool_get: p, hit: [{work: 1us}], miss: [{work: 2us}]}") ==
          "pool_get; jump 4; work user 1us; jump 5; work user 2us");
    CHECK(ops("{pool_put: p, full: [{work: 2us}]}") == "pool_put; jump 3; jump 4; work user 2us");
}

TEST_CASE("branch, repeat and measure") {
    CHECK(ops("{branch: {p: 0.25, do: [{work: 1us}], else: [{work: 2us}]}}") ==
          "branch 3; work user 1us; jump 4; work user 2us");
    CHECK(ops("{branch: {p: 0.25, do: [{work: 1us}]}}") == "branch 2; work user 1us");
    CHECK(ops("{branch: {p: 1, do: [{work: 1us}], else: [{work: 2us}]}}") == "work user 1us");
    CHECK(ops("{repeat: {n: 3, do: [{work: 1us}]}}") == "repeat 3 3; work user 1us; next 1");
    CHECK(ops("{measure: {it: [{work: 1us}]}}") == "measure_begin it; work user 1us; measure_end it");
    const Compiled quarter = compile_text(scenario_of("{branch: {p: 0.25, do: [{work: 1us}]}, name: b}"));
    CHECK((quarter.program.ops[0].b & 0xFFFFFFFF) == std::uint64_t{1} << 30);
    CHECK((quarter.program.ops[0].b >> 32) == (hash_name("t/b") >> 32));
}

TEST_CASE("conditions on the configuration decide when a scenario is compiled") {
    CHECK(ops("{work: 1us, when: config.psi}, {work: 2us, when: not config.psi}") == "work user 2us");
    CHECK(ops("{work: 1us, when: config.preempt == lazy}, {work: 2us, when: config.hz != 1000}") == "work user 1us");
    const auto psi = [](Request& request) { request.sets = {"config.psi=true"}; };
    CHECK(ops_text(compile_text(scenario_of("{work: 1us, when: config.psi}"), psi)) ==
          "work user 1us; count n; turn 0");
}

TEST_CASE("a spawn creates, runs the parent's way and starts the child there") {
    const std::string functions = "{clone: [{work: 1us}, {start: child}, {work: 2us}], kid: [{signal: done}, exit]}";
    const Compiled compiled =
        compile_text(scenario_of("{spawn: {via: clone, run: kid, as: k}, name: x}, {await: {done: k}}", functions));
    CHECK(ops_text(compiled) == "create; work user 1us; start; work user 2us; await; count n; turn 0; signal; exit");
    REQUIRE(compiled.program.spawns.size() == 1);
    CHECK(compiled.program.spawns[0].entry == 7);
    CHECK(compiled.program.spawns[0].key == hash_name("t/x"));
    CHECK(!compiled.program.spawns[0].new_process);
    CHECK(compiled.program.groups[compiled.program.spawns[0].group].name == "kid");
    CHECK(compiled.model.handles == 1);
    CHECK(compiled.model.signals == std::vector<std::string>{"done"});
}

TEST_CASE("a polling await looks before it sleeps, and again after each wake-up") {
    CHECK(ops("{spawn: {run: kid, as: k}}, {await: {done: k, poll: [{work: 1us}]}}", "{kid: [{signal: done}]}") ==
          "create; start; work user 1us; signalled; jump 6; jump 8; await; jump 2; signal; exit");
}

TEST_CASE("what runs elsewhere is compiled once and ends there: at-switch work, softirqs, children") {
    const std::string functions =
        "{kid: [{exit: {next_runs: dead}}], dead: [{call_rcu: later}, {call_rcu: later}], later: [{work: 1us}]}";
    CHECK(ops("{spawn: {run: kid}}, {spawn: {run: kid}}", functions) ==
          "create; start; create; start; exit 7; call_rcu 10; call_rcu 10; end; work user 1us; end");
}

TEST_CASE("a child that spawns its own kind is compiled once") {
    const Compiled compiled = compile_text(scenario_of("{spawn: {run: f}}", "{f: [{spawn: {run: f}}]}"));
    REQUIRE(compiled.program.spawns.size() == 2);
    CHECK(compiled.program.spawns[0].entry == compiled.program.spawns[1].entry);
}

TEST_CASE("one turn of an endless loop is a path, named after the tasks") {
    const Compiled compiled = compile_text(scenario_of("{work: 1us}"));
    CHECK(compiled.program.paths == std::vector<std::string>{"t: one turn"});
    CHECK(compiled.program.groups[0].forever);
    CHECK(compiled.program.groups[0].turn_path == 0);
}

TEST_CASE("a site is a step and the function that called its function") {
    const std::string functions = "{f: [{section: L, name: s}], g: [{call: f}]}";
    const Compiled compiled = compile_text(scenario_of("{call: f}, {call: g}, {call: g}", functions));
    REQUIRE(compiled.program.sites.size() == 3);
    CHECK(compiled.program.sites[1].name == "f/s");
    CHECK(compiled.program.sites[1].caller.empty());
    CHECK(compiled.program.sites[2].name == "f/s");
    CHECK(compiled.program.sites[2].caller == "g");
    CHECK(compiled.program.sites[2].resource == 0);
}

TEST_CASE("config.cv spreads work that names no distribution, and nothing else") {
    const auto spread = [](Request& request) { request.sets = {"config.cv=0.5"}; };
    const Compiled compiled = compile_text(
        scenario_of("{work: 1us}, {work: {exponential: 3us}}, {busy: 2us}, {sleep: 4us}, {work: 0ns}"), spread);
    const auto table = [&](std::size_t op) { return compiled.program.samplers[compiled.program.ops[op].a].table; };
    CHECK(table(0) != Sampler::constant);
    CHECK(table(1) != Sampler::constant);
    CHECK(table(1) != table(0));
    CHECK(table(2) == Sampler::constant);
    CHECK(table(3) == Sampler::constant);
    CHECK(table(4) == Sampler::constant);
}

TEST_CASE("kernel configuration and measurement reach the core") {
    const Compiled compiled = compile_text(
        "scenario: s\nplatform: uniform-2\n"
        "config: {hz: 250, preempt: none, context_switch: 500ns, wake_cost: 1us, slice: 1j, tie_break: id, overlap: "
        "25%}\n"
        "workload: [{tasks: t, forever: [{sleep: 2j}, {count: n}]}]\n"
        "measure: {warmup: 5ms, duration: 10j, precision: 2%, replications: 5..7}\n");
    CHECK(compiled.core.preempt == PreemptModel::none);
    CHECK(compiled.core.tie_break == TieBreak::id);
    CHECK(compiled.core.context_switch == Time::from_ns(500));
    CHECK(compiled.core.wake_cost == Time::from_us(1));
    CHECK(compiled.core.slice == Time::from_ms(4));
    CHECK(compiled.core.tick == Time::from_ms(4));
    CHECK(compiled.core.warmup == Time::from_ms(5));
    CHECK(compiled.core.duration == Time::from_ms(40));
    CHECK(compiled.model.overlap == 256);
    CHECK(compiled.program.samplers[compiled.program.ops[0].a].mean_ps == Time::from_ms(8).ps);
    CHECK(compiled.measure.precision == 0.02);
    CHECK(compiled.measure.replications_min == 5);
    CHECK(compiled.measure.replications_max == 7);
}

}  // namespace forksim
