// Tasks of the workload: how many, where, in which process; and the machine they run on.
#include <doctest/doctest.h>

#include "sim/random.hpp"
#include "tests/scenarios/scratch.hpp"

namespace forksim {

using test::compile_text;

namespace {

Compiled with_tasks(const std::string& entry, const std::string& platform) {
    return compile_text("scenario: s\nplatform: " + platform + "\nworkload:\n  - {tasks: t, " + entry +
                        ", forever: [{work: 1us}, {count: n}]}\n");
}

std::vector<Cpu> cpus_of(const Compiled& compiled, std::size_t task) {
    std::vector<Cpu> cpus;
    const CpuMask& mask = compiled.program.masks[compiled.program.roots[task].mask];
    for (Cpu cpu = 0; cpu < compiled.topology.cpu_count(); ++cpu) {
        if (mask.test(cpu)) cpus.push_back(cpu);
    }
    return cpus;
}

using Cpus = std::vector<Cpu>;
const std::string two_by_two = "{sockets: 2, cores: 2, smt: 2, like: cascadelake-2s-20c-smt}";

}  // namespace

TEST_CASE("one task per logical CPU of the booted machine") {
    CHECK(with_tasks("count: {per: cpu}", two_by_two).program.roots.size() == 8);
    CHECK(with_tasks("count: 3", two_by_two).program.roots.size() == 3);
    CHECK(with_tasks("nice: 0", two_by_two).program.roots.size() == 1);
}

TEST_CASE("affinity core: task i on core i mod cores with all its siblings, as will-it-scale does") {
    const Compiled compiled = with_tasks("count: {per: cpu}, affinity: core", two_by_two);
    // Numbering cores_then_siblings: CPU 0..3 are the first threads of cores 0..3, 4..7 the second ones.
    CHECK(cpus_of(compiled, 0) == Cpus{0, 4});
    CHECK(cpus_of(compiled, 3) == Cpus{3, 7});
    CHECK(cpus_of(compiled, 4) == Cpus{0, 4});
    CHECK(compiled.program.masks.size() == 4);
}

TEST_CASE("affinity pu: one CPU each, siblings next to each other as hwloc numbers them") {
    const Compiled compiled = with_tasks("count: {per: cpu}, affinity: pu", two_by_two);
    CHECK(cpus_of(compiled, 0) == Cpus{0});
    CHECK(cpus_of(compiled, 1) == Cpus{4});
    CHECK(cpus_of(compiled, 2) == Cpus{1});
    CHECK(cpus_of(compiled, 7) == Cpus{7});
}

TEST_CASE("affinity any and lists of CPUs") {
    CHECK(cpus_of(with_tasks("affinity: any", "uniform-3"), 0) == Cpus{0, 1, 2});
    CHECK(cpus_of(with_tasks("affinity: {cpus: [0-1, 3]}", "uniform-4"), 0) == Cpus{0, 1, 3});
    CHECK(cpus_of(with_tasks("affinity: {cpus: '1,3'}", "uniform-4"), 0) == Cpus{1, 3});
    CHECK(cpus_of(with_tasks("affinity: {cpus: 2}", "uniform-4"), 0) == Cpus{2});
}

TEST_CASE("a process for each task, or one for all") {
    const Compiled each = with_tasks("count: 3, process: each", "uniform-4");
    CHECK(each.program.roots[2].process == 2);
    CHECK(each.model.process_count == 3);
    const Compiled one = with_tasks("count: 3, process: one", "uniform-4");
    CHECK(one.program.roots[2].process == 0);
    CHECK(one.model.process_count == 1);
}

TEST_CASE("the lineage of a task is its entry's name and its ordinal") {
    const Compiled compiled = with_tasks("count: 2, nice: -5", "uniform-4");
    CHECK(compiled.program.roots[1].key == mix(hash_name("t"), 1));
    CHECK(compiled.program.roots[1].nice == -5);
}

TEST_CASE("CPUs boot cores first, then siblings; the composition says what that makes") {
    const auto booted = [](std::uint32_t cpus) {
        return compile_text(
            "scenario: s\nplatform: " + two_by_two + "\nworkload: [{tasks: t, forever: [{work: 1us}, {count: n}]}]\n",
            [cpus](Request& request) { request.cpus = cpus; });
    };
    CHECK(booted(2).topology.sockets == 1);
    CHECK(booted(4).topology.sockets == 2);
    CHECK(booted(8).banner.composition == "8 CPUs: 2 sockets x 2 cores x 2 threads");
    CHECK(booted(8).banner.cpus == 8);
}

TEST_CASE("a range of CPUs picks its machine; without a number it is the first one") {
    const auto booted = [](std::optional<std::uint32_t> cpus) {
        return compile_text(
                   "scenario: s\nplatform: {1..4: uniform-6, 5..8: {uniform: 8, distance: 10ns}}\n"
                   "workload: [{tasks: t, forever: [{work: 1us}, {count: n}]}]\n",
                   [cpus](Request& request) { request.cpus = cpus; })
            .topology;
    };
    CHECK(booted(3).cpu_count() == 3);
    CHECK(booted(3).within_llc[0] == Time::from_ns(50));
    CHECK(booted(7).cpu_count() == 7);
    CHECK(booted(7).within_llc[0] == Time::from_ns(10));
    CHECK(booted({}).cpu_count() == 4);
}

TEST_CASE("settings of the platform and a platform in its place") {
    const std::string text =
        "scenario: s\nplatform: uniform-4\n"
        "workload: [{tasks: t, forever: [{work: 1us}, {count: n}]}]\n";
    const Compiled slow = compile_text(text, [](Request& r) { r.sets = {"platform.llc=200ns"}; });
    CHECK(slow.topology.within_llc[0] == Time::from_ns(200));
    const Compiled other = compile_text(text, [](Request& r) { r.platform = "xeon-1s-20c"; });
    CHECK(other.topology.cpu_count() == 20);
    CHECK(other.banner.platform == "xeon-1s-20c");
}

TEST_CASE("a platform may be a document of the same file") {
    const Compiled compiled = compile_text(
        "platform: mine\nsockets: 1\ncores: 6\nlike: xeon-1s-20c\nvirt: pv\n---\n"
        "scenario: s\nplatform: mine\nworkload: [{tasks: t, forever: [{work: 1us}, {count: n}]}]\n");
    CHECK(compiled.topology.cpu_count() == 6);
    CHECK(compiled.topology.virt == Virt::pv);
    CHECK(compiled.banner.platform == "mine");
}

}  // namespace forksim
