// Worlds: rows of values for what nobody has measured, and the factors that they are made of.
#include <doctest/doctest.h>

#include "tests/scenarios/scratch.hpp"

namespace forksim {

using test::compile_text;
using test::faults_of;
using test::ops_text;

namespace {

const std::string worlds =
    "worlds: w\n"
    "set: [config.section_work, L.claim, platform.some-machine.virt, platform.uniform-2.llc]\n"
    "scale: [f/one]\n"
    "rows:\n"
    "  - [1, 1, pv, 50ns, 1]\n"
    "  - [2, 0.5, pv, 70ns, 3]\n";
const std::string kernel =
    "---\nkernel: k\nworlds: w\n"
    "locks: {L: {kind: rwlock}}\n"
    "functions:\n"
    "  f:\n"
    "    - {work: 7us, name: before}\n"
    "    - {section: L, mode: write, name: one, body: [{work: 1us, name: p}]}\n"
    "    - {section: L, mode: write, name: two, body: [{work: 10us, name: q}]}\n";
const std::string patch =
    "---\npatch: once\nedits:\n  - {move: f/one/p, to: {after: f/two/q}}\n  - {remove: f/one}\n"
    "  - {insert: {work: 20us, name: r}, after: f/two/q}\n";

std::string scenario(const std::string& more = "", const std::string& table = worlds) {
    return table + kernel + patch + "---\nscenario: s\nkernel: k\nplatform: uniform-2\n" + more +
           "workload: [{tasks: t, forever: [{work: 5us}, {call: f}, {count: n}]}]\n";
}

Compiled in_world(std::uint32_t world, const std::string& more = "") {
    return compile_text(scenario(more), [&](Request& request) { request.world = world; });
}

std::string fault(const std::string& text, std::optional<std::uint32_t> world = {}) {
    const std::vector<Diagnostic> found = faults_of(text, [&](Request& request) { request.world = world; });
    REQUIRE(found.size() == 1);
    return found[0].message + " | " + found[0].hint;
}

}  // namespace

TEST_CASE("a world gives the kernel's values a row of its table, and the first row is the default") {
    const Compiled first = compile_text(scenario());
    CHECK(first.banner.worlds == 2);
    CHECK(first.hash == in_world(0).hash);
    CHECK(first.model.locks[0].claim == 1024);
    const Compiled second = in_world(1);
    CHECK(second.banner.world == 1);
    CHECK(second.model.locks[0].claim == 512);
    CHECK(ops_text(second).find("work user 5us; work 7us; acquire L write @ f/one; work 6us") == 0);  // 1us * 3 * 2
    CHECK(ops_text(second).find("work 20us @ f/two") != std::string::npos);                           // 10us * 2
}

TEST_CASE("worlds reach the kernel before patches do: what is moved keeps its factor") {
    const Compiled moved = in_world(1, "patches: [once]\n");
    CHECK(ops_text(moved).find("work 20us @ f/two; work 40us @ f/two; work 6us @ f/two") != std::string::npos);
}

TEST_CASE("a value of a machine holds on that machine only") {
    CHECK(in_world(0).topology.virt == Virt::none);
    CHECK(in_world(0).topology.within_llc[0] == Time::from_ns(50));
    CHECK(in_world(1).topology.within_llc[0] == Time::from_ns(70));
}

TEST_CASE("what the command line sets wins over the world") {
    const Compiled set = compile_text(scenario(), [](Request& request) {
        request.world = 1;
        request.sets = {"config.section_work=1", "platform.llc=60ns"};
    });
    CHECK(ops_text(set).find("work 3us @ f/one") != std::string::npos);
    CHECK(set.topology.within_llc[0] == Time::from_ns(60));
}

TEST_CASE("factors on sections, on other kernel work, on transfers and on hand-offs") {
    const Compiled scaled = compile_text(scenario(), [](Request& request) {
        request.sets = {"config.section_work=2", "config.outside_work=3", "config.transfers=1.5",
                        "config.handoffs=0.5"};
    });
    CHECK(ops_text(scaled).find("work user 5us; work 21us; acquire L write @ f/one; work 2us") == 0);
    CHECK(scaled.topology.within_llc[0] == Time::from_ns(75));
    CHECK(scaled.model.handoff == 512);
}

TEST_CASE("faults of a table of worlds") {
    CHECK(fault(scenario(), 2) == "no world 2 | there are 2, from 0");
    CHECK(fault(scenario("", "worlds: w\nset: [L.claim]\nrows: [[1, 2]]\n")).find("a row of 2 values") == 0);
    CHECK(fault(scenario("", "worlds: w\nset: [platform.virt]\nrows: [[pv]]\n")) ==
          "'platform.virt' names no machine | expected platform.MACHINE.KEY");
    CHECK(fault(scenario("", "worlds: w\nscale: [f/none]\nrows: [[2]]\n")).find("'f/none' matches nothing") == 0);
    CHECK(fault(scenario("", "worlds: v\nset: [L.claim]\nrows: [[1]]\n")).find("unknown table of worlds 'w'") == 0);
    CHECK(fault("scenario: s\nplatform: uniform-2\nworkload: [{tasks: t, forever: [{work: 5us}, {count: n}]}]\n", 0) ==
          "the kernel bare has no worlds | ");
}

}  // namespace forksim
