// `forksim speedup`: closed forms.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "tests/system/command.hpp"
#include "tests/system/runs.hpp"

namespace forksim {

using nlohmann::json;

namespace {

/// Four tasks that do nothing but hold the lock in turn; moving it costs nothing.
const std::string saturated =
    "kernel: k\n"
    "locks: {L: {kind: spinlock}}\n"
    "functions:\n"
    "  f: [{section: L, name: s, body: [{work: 600ns, name: a}, {work: 400ns, name: b}]}, {work: 20ns, name: "
    "outside}]\n"
    "---\n"
    "scenario: s\n"
    "kernel: k\n"
    "platform: {uniform: 4, distance: 0ns}\n"
    "workload: [{tasks: t, count: 4, affinity: pu, forever: [{call: f}, {count: n}]}]\n"
    "measure: {warmup: 1ms, duration: 10ms, replications: 2..2}\n";

json speedup(const std::string& arguments) {
    const test::CommandRun finished = test::forksim("speedup " + arguments + " --format json");
    INFO(finished.err);
    REQUIRE(finished.status == 0);
    return json::parse(finished.out);
}

}  // namespace

TEST_CASE("a saturated lock: throughput is one over what is left of its hold, as the critical share says") {
    const test::TempFolder folder;
    const std::string file = folder.write("s.yaml", saturated);
    const json curve = speedup(file + " --site f/s --steps 4")["points"][0]["sites"][0];
    CHECK(curve["hold_share"].get<double>() == doctest::Approx(1).epsilon(1e-3));
    REQUIRE(curve["steps"].size() == 4);
    for (int i = 0; i < 3; ++i) {
        const double factor = 1 - (i + 1) / 4.0;
        const json& step = curve["steps"][static_cast<std::size_t>(i)];
        CHECK(step["factor"] == factor);
        CHECK(step["throughput"].get<double>() == doctest::Approx(1e6 / factor).epsilon(2e-3));
        CHECK(step["predicted_percent"].get<double>() == doctest::Approx(100 * (1 / factor - 1)).epsilon(5e-3));
    }
}

TEST_CASE("parts of a section: each alone, then together") {
    const test::TempFolder folder;
    const std::string file = folder.write("s.yaml", saturated);
    const json sites = speedup(file + " --site f/s/a --site f/s/b --steps 2")["points"][0]["sites"];
    REQUIRE(sites.size() == 3);
    // Half of 600 ns goes, half of 400 ns, both.
    CHECK(sites[0]["steps"][0]["throughput"].get<double>() == doctest::Approx(1e9 / 700).epsilon(2e-3));
    CHECK(sites[1]["steps"][0]["throughput"].get<double>() == doctest::Approx(1e9 / 800).epsilon(2e-3));
    CHECK(sites[2]["site"] == "all of them");
    CHECK(sites[2]["steps"][0]["throughput"].get<double>() == doctest::Approx(1e9 / 500).epsilon(2e-3));
    CHECK(sites[0]["hold_share"].is_null());  // the path is told apart by section, not by what is in it
}

TEST_CASE("speedup: an unknown site is refused with a near match") {
    const test::CommandRun run = test::forksim("speedup threadspawn1-20c --site alloc_pid/publsh");
    CHECK(run.status == 2);
    CHECK(run.out.empty());
    CHECK(run.err.find("alloc_pid/publish") != std::string::npos);
}

}  // namespace forksim
