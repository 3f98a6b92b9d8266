// The worlds of linux-6.19: how many, and what holds in each.
#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tests/system/runs.hpp"

namespace forksim::test {
namespace {

std::uint32_t worlds() {
    Request request;
    request.scenario = "threadspawn1-20c";
    return compile(request).banner.worlds;
}

}  // namespace

TEST_CASE("there are 50 to 100 worlds, all of them different, also on every version and under patches") {
    const std::uint32_t count = worlds();
    CHECK(count >= 50);
    CHECK(count <= 100);
    std::vector<std::string> seen;
    for (std::uint32_t world = 0; world < count; ++world) {
        Request request;
        request.scenario = "threadspawn1-20c";
        request.world = world;
        seen.push_back(compile(request).hash);
    }
    std::sort(seen.begin(), seen.end());
    CHECK(std::adjacent_find(seen.begin(), seen.end()) == seen.end());
}

TEST_CASE("an empty queue-spinlock section with 8 CPUs 48 ns apart costs 170 to 240 ns in every world") {
    const TempFolder folder;
    const std::string file =
        folder.write("empty.yaml",
                     "scenario: empty\nkernel: linux-6.19\nplatform: {uniform: 8, distance: 48ns}\n"
                     "config: {cv: 0, transfers: 1}\n"
                     "locks: {L: {kind: spinlock}}\n"
                     "workload:\n"
                     "  - tasks: t\n"
                     "    count: {per: cpu}\n"
                     "    affinity: pu\n"
                     "    forever:\n"
                     "      - {section: L, name: empty, body: [{work: 0ns, name: nothing}]}\n"
                     "      - {work: 5ns, name: loop}\n"
                     "      - count: ops\n"
                     "measure: {warmup: 100us, duration: 500us}\n");
    for (std::uint32_t world = 0; world < worlds(); ++world) {
        CAPTURE(world);
        Request request;
        request.scenario = file;
        request.world = world;
        const double ns = 1e9 / throughput(replications(compile(request), 2)).mean;
        CHECK(ns >= 170);
        CHECK(ns <= 240);
    }
}

}  // namespace forksim::test
