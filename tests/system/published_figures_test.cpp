// The published figures that the worlds were fitted to (scenarios/README.md, Fit): world 0 meets them, and so do
// others.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "tests/system/runs.hpp"

namespace forksim::test {
namespace {

/// A published figure, and the run that stands for it.
struct Published {
    std::string name;
    double per_second;
    std::string scenario;
    std::vector<std::string> patches;
    std::uint32_t replications;
};
const std::vector<Published> published = {
    {"C1", 465'000, "threadspawn1-20c", {}, 6},
    {"C2", 740'000, "threadspawn1-20c", {"pidmap-once", "pidfs-rhashtable"}, 6},
    {"C3", 293'830, "clone-processes-40t", {}, 12},
};

void check_world(std::uint32_t world) {
    CAPTURE(world);
    for (const Published& figure : published) {
        CAPTURE(figure.name);
        Request request;
        request.scenario = figure.scenario;
        request.patches = figure.patches;
        request.world = world;
        const Estimate simulated = throughput(replications(compile(request), figure.replications));
        CHECK(simulated.mean > 0.95 * figure.per_second);
        CHECK(simulated.mean < 1.05 * figure.per_second);
    }
}

std::uint32_t worlds() {
    Request request;
    request.scenario = "threadspawn1-20c";
    return compile(request).banner.worlds;
}

}  // namespace

TEST_CASE("world 0 meets the three published figures within 5 %") { check_world(0); }

TEST_CASE("worlds from the middle and the end of the table meet them too") {
    check_world(worlds() / 2);
    check_world(worlds() - 1);
}

}  // namespace forksim::test
