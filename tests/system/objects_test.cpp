// Replayed objects in whole runs, against counts of their accesses made without scenario and simulator.
#include <doctest/doctest.h>

#include "tests/models/objects/pinned_spawners.hpp"
#include "tests/system/command.hpp"
#include "tests/system/runs.hpp"

namespace forksim::test {
namespace {

/// A spawner bound to each CPU, 10 us after each other, puts in the next child and takes out the one before; stores
/// weigh nothing and a transfer takes 1 ns, so that the latency of `insert` counts dependent transfers.
std::string pinned_spawners(std::uint32_t cpus, std::uint32_t resident) {
    const std::string round = std::to_string(10 * cpus) + "us";
    const auto turn = [&](const std::string& next, const std::string& last) {
        return "      - {spawn: {via: put_in, run: child, as: " + next + "}}\n" +
               "      - {work: 0ns, touch: {tree: erase @" + last + "}}\n      - {sleep: " + round + "}\n";
    };
    return "scenario: pinned\nplatform: {uniform: " + std::to_string(cpus) +
           ", distance: 1ns}\nconfig: {overlap: 0}\nlocks: {L: {kind: spinlock}}\n"
           "objects: {tree: {kind: rbtree, resident: " +
           std::to_string(resident) +
           "}}\n"
           "functions:\n"
           "  put_in: [{measure: {insert: [{work: 0ns, touch: {tree: insert embryo}}]}}, {start: child}]\n"
           "  child: []\n"
           "workload:\n"
           "- tasks: spawner\n"
           "  count: {per: cpu}\n"
           "  affinity: pu\n"
           "  do:\n"
           "    - {section: L, hold: 10us, name: one_after_the_other}\n"
           "    - {spawn: {via: put_in, run: child, as: odd}}\n"
           "    - forever:\n" +
           turn("even", "odd") + turn("odd", "even") + "      - count: turns\n" +
           "measure: {warmup: " + std::to_string(1000 * cpus) + "us, duration: " + std::to_string(4000 * cpus) +
           "us, replications: 1}\n";
}

double transfers_per_insert(std::uint32_t cpus, std::uint32_t resident) {
    const TempFolder folder;
    Request request;
    request.scenario = folder.write("pinned.yaml", pinned_spawners(cpus, resident));
    request.sets = {"platform.llc_hit=1ns"};  // as in the count: a clean copy costs as much as any other
    const Compiled compiled = compile(request);
    const Record record = replications(compiled, 1)[0];
    const Histogram& latency = record.paths[path_index(compiled, "insert")];
    REQUIRE(latency.count() >= 390 * cpus);
    return latency.mean_ps() / 1000;
}

}  // namespace

TEST_CASE("an insertion into a tree among pinned spawners moves as many lines as counted without a simulator") {
    for (const std::uint32_t cpus : {2u, 8u, 16u, 32u, 64u, 128u}) {
        for (const std::uint32_t resident : {0u, 400u}) {
            const double counted = transfers_of_pinned_spawners(cpus, resident);
            const double simulated = transfers_per_insert(cpus, resident);
            MESSAGE(cpus << " CPUs, " << resident << " residents: " << simulated << " dependent transfers, counted "
                         << counted);
            CHECK(simulated == doctest::Approx(counted).epsilon(0.001));
        }
    }
}

TEST_CASE("elements that are never taken out end the run with the name of the object, as an error of the input") {
    const TempFolder folder;
    const std::string text = replaced(pinned_spawners(2, 0), "erase @", "insert @", 2);
    const CommandRun run = forksim("run " + folder.write("pinned.yaml", text));
    CHECK(run.status == 2);
    CHECK(run.err.find("tree: a task is added that is still there") != std::string::npos);
}

}  // namespace forksim::test
