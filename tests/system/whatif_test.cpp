// Comparisons, through the command: closed forms, identities, verdicts that are known beforehand.
#include <doctest/doctest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/system/command.hpp"
#include "tests/system/runs.hpp"

namespace forksim {

using nlohmann::json;
using test::TempFolder;

namespace {

json whatif(const std::string& arguments) {
    const test::CommandRun finished = test::forksim("whatif " + arguments + " --format json");
    INFO(finished.err);
    REQUIRE(finished.status == 0);
    return json::parse(finished.out);
}

/// Two CPUs; each task takes the lock for `hold` and works for `outside`, without end; nothing costs anything else.
std::string two_tasks(const std::string& hold, const std::string& outside) {
    return "kernel: k\n"
           "locks: {L: {kind: spinlock}, M: {kind: spinlock, per: task}}\n"
           "functions:\n"
           "  f:\n"
           "    - {section: L, name: held, body: [{work: " +
           hold +
           ", name: w}]}\n"
           "    - {section: M, name: own, body: [{work: 0ns, name: nothing}]}\n"
           "    - {work: " +
           outside +
           ", name: outside}\n"
           "---\n"
           "scenario: s\n"
           "kernel: k\n"
           "platform: {uniform: 2, distance: 0ns}\n"
           "config: {context_switch: 0ns}\n"
           "workload: [{tasks: t, count: 2, affinity: pu, forever: [{call: f}, {count: n}]}]\n"
           "measure: {warmup: 1ms, duration: 10ms, replications: 3..3}\n";
}

double mean_of(const json& variant) { return variant["diff_percent"]["mean"].get<double>(); }

}  // namespace

TEST_CASE("a variant equal to its base is identical") {
    const TempFolder folder;
    const std::string file = folder.write("s.yaml", two_tasks("1us", "1us"));
    const json result = whatif(file + " --scale f/held=1 --set config.cv=0");
    for (const json& variant : result["points"][0]["variants"]) {
        CHECK(variant["verdict"] == "identical");
        CHECK(mean_of(variant) == 0);
    }
}

TEST_CASE("removing a lock that holds nothing and never leaves its CPU is identical") {
    const TempFolder folder;
    const std::string file = folder.write("s.yaml", two_tasks("1us", "1us"));
    const json result = whatif(file + " --remove f/own");
    CHECK(result["points"][0]["variants"][0]["verdict"] == "identical");
}

TEST_CASE("half the hold of the only, saturated lock doubles the throughput of a machine without transfers") {
    const TempFolder folder;
    // uniform-2 with transfers of 0: the lock is all that there is, so the throughput is 1 / hold.
    std::string text = two_tasks("1us", "0ns");
    const std::string file = folder.write("s.yaml", text);
    const json result = whatif(file + " --scale f/held=0.5");
    const json& point = result["points"][0];
    CHECK(point["base"]["throughput"]["mean"].get<double>() == doctest::Approx(1e6).epsilon(1e-3));
    CHECK(mean_of(point["variants"][0]) == doctest::Approx(100).epsilon(2e-3));
    CHECK(point["variants"][0]["verdict"] == "faster");
}

TEST_CASE("without its lock a section runs side by side, with its work dropped it costs nothing") {
    const TempFolder folder;
    const std::string file = folder.write("s.yaml", two_tasks("1us", "1us"));
    // Two tasks of 2 us each on two CPUs: a million per second; without the work two million.
    const json lock_only = whatif(file + " --remove f/held");
    CHECK(lock_only["with_work"] == false);
    CHECK(lock_only["points"][0]["variants"][0]["result"]["throughput"]["mean"].get<double>() ==
          doctest::Approx(1e6).epsilon(1e-3));
    const json all = whatif(file + " --remove f/held --with-work");
    CHECK(all["with_work"] == true);
    CHECK(all["points"][0]["variants"][0]["result"]["throughput"]["mean"].get<double>() ==
          doctest::Approx(2e6).epsilon(1e-3));
}

TEST_CASE("a removal that slows a run is called slower") {
    // A gate that lets one at a time through spares a ticket lock the crowd that polls its word: each hand-off there
    // takes longer the more wait.
    const TempFolder folder;
    const std::string file =
        folder.write("s.yaml",
                     "kernel: k\n"
                     "locks: {gate: {kind: spinlock}, L: {kind: ticket}}\n"
                     "functions:\n"
                     "  f:\n"
                     "    - section: gate\n"
                     "      name: gate\n"
                     "      body: [{section: L, name: inner, body: [{work: 200ns, name: w}]}]\n"
                     "---\n"
                     "scenario: s\n"
                     "kernel: k\n"
                     "platform: uniform-16\n"
                     "workload: [{tasks: t, count: 16, affinity: pu, forever: [{call: f}, {count: n}]}]\n"
                     "measure: {warmup: 1ms, duration: 5ms, replications: 5..5}\n");
    const json result = whatif(file + " --remove f/gate");
    CHECK(result["points"][0]["variants"][0]["verdict"] == "slower");
}

TEST_CASE("variants are numbered as they were typed, whatever their kind, and every CPU count has all") {
    const TempFolder folder;
    std::string text = two_tasks("1us", "1us");
    text = test::replaced(text, "uniform: 2", "uniform: 4");
    const std::string file = folder.write("s.yaml", text);
    const json result =
        whatif(file + " --scale f/held=2 --remove f/own --set config.cv=0.1 --scale f/held=3 --cpus 2,4");
    REQUIRE(result["points"].size() == 2);
    CHECK(result["points"][0]["cpus"] == 2);
    CHECK(result["points"][1]["cpus"] == 4);
    std::vector<std::string> names;
    for (const json& variant : result["points"][1]["variants"]) names.push_back(variant["name"]);
    CHECK(names ==
          std::vector<std::string>{"--scale f/held=2", "--remove f/own", "--set config.cv=0.1", "--scale f/held=3"});
    CHECK(result["comparisons"] == 8);
}

TEST_CASE("each site: every acquisition removed once, ranked by what it gains") {
    const TempFolder folder;
    const std::string file = folder.write("s.yaml", two_tasks("1us", "500ns"));
    const json result = whatif(file + " --each-site");
    CHECK(result["ranked"] == true);
    const json& variants = result["points"][0]["variants"];
    REQUIRE(variants.size() == 2);
    CHECK(variants[0]["name"] == "--remove f/held");
    CHECK(variants[0]["verdict"] == "faster");
    CHECK(variants[1]["name"] == "--remove f/own");
    CHECK(variants[1]["verdict"] == "identical");
}

TEST_CASE("the interval over the worlds and the order of locks stand in the result") {
    const json result = whatif("threadspawn1-20c --patch pidmap-once --duration 5ms --warmup 2ms --replications 2");
    const json& variant = result["points"][0]["variants"][0];
    CHECK(variant["worlds"]["diff_percent"].size() == variant["worlds"]["n"].get<std::size_t>());
    CHECK(variant["diff_percent"]["model_low"].get<double>() <= variant["diff_percent"]["model_high"].get<double>());
    CHECK(variant["bottleneck_before"] == "pidmap_lock");
    CHECK(variant["order_before"][0] == "pidmap_lock");
    const json quick =
        whatif("threadspawn1-20c --patch pidmap-once --duration 5ms --warmup 2ms --replications 2 --no-worlds");
    CHECK(quick["points"][0]["variants"][0]["diff_percent"]["model_low"].is_null());
    CHECK(quick["points"][0]["variants"][0]["result"] == variant["result"]);
}

TEST_CASE("the text is 72 columns wide at most and the same for any number of jobs") {
    const std::string arguments =
        "whatif threadspawn1-20c --patch pidmap-once --remove alloc_pid/publish --no-worlds --duration 3ms --warmup "
        "1ms "
        "--replications 4 --jobs ";
    const test::CommandRun one = test::forksim(arguments + "1");
    REQUIRE(one.status == 0);
    CHECK(one.out == test::forksim(arguments + "3").out);
    std::size_t from = 0;
    while (from < one.out.size()) {
        const std::size_t to = one.out.find('\n', from);
        CHECK(to - from <= 72);
        from = to + 1;
    }
}

TEST_CASE("unknown names in any option: exit 2, the option, a near match") {
    const auto refused = [](const std::string& options) {
        const test::CommandRun finished = test::forksim("whatif threadspawn1-20c " + options);
        CHECK(finished.status == 2);
        CHECK(finished.out.empty());
        return finished.err;
    };
    CHECK(refused("--remove alloc_pid/publsh").find("publish") != std::string::npos);
    CHECK(refused("--patch pidmap-onec").find("pidmap-once") != std::string::npos);
    CHECK(refused("--scale alloc_pid/publsh=0.5").find("publish") != std::string::npos);
    CHECK(refused("--scale alloc_pid/publish").find("SITE=FACTOR") != std::string::npos);
    CHECK(refused("--scale alloc_pid/publish=-1").find("--scale") != std::string::npos);
    CHECK(refused("--set alloc_pid/publish.hodl=1ns").find("alloc_pid/publish") != std::string::npos);
    CHECK(refused("--remove alloc_pid/publish/idr_replace").find("takes no lock") != std::string::npos);
    CHECK(refused("--cpus 20,x --patch pidmap-once").find("--cpus") != std::string::npos);
    CHECK(refused("--cpus 20,20 --patch pidmap-once").find("twice") != std::string::npos);
    CHECK(refused("").find("--each-site") != std::string::npos);
    CHECK(refused("--each-site --patch pidmap-once").find("--each-site") != std::string::npos);
}

}  // namespace forksim
