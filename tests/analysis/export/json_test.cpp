#include "analysis/export/json.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "tests/analysis/export/made_up.hpp"

using namespace forksim;
using Json = nlohmann::json;

namespace {

std::set<std::string> keys(const Json& object) {
    std::set<std::string> names;
    for (const auto& [key, value] : object.items()) names.insert(key);
    return names;
}

/// Every number in the text, as written.
std::vector<std::string> numbers(const std::string& json) {
    std::vector<std::string> found;
    bool in_string = false;
    for (std::size_t i = 0; i < json.size(); ++i) {
        if (json[i] == '"') in_string = !in_string;
        if (in_string || (!std::isdigit(static_cast<unsigned char>(json[i])) && json[i] != '-')) continue;
        const std::size_t end = json.find_first_not_of("0123456789.eE+-", i);
        found.push_back(json.substr(i, end - i));
        i = end - 1;
    }
    return found;
}

}  // namespace

TEST_CASE("the JSON of a result has the keys of forksim-result/1") {
    Result r = made_up::result();
    r.host = HostInfo{1.5, 2e7, 3e5};
    const Json json = Json::parse(to_json(r, {}));
    CHECK(json["schema"] == "forksim-result/1");
    CHECK(keys(json) == std::set<std::string>{"schema", "version", "scenario", "throughput", "counts", "locks", "sites",
                                              "paths", "cpu", "critical_path", "anchor", "events", "notes", "warnings",
                                              "host"});
    for (const char* key :
         {"name", "hash", "kernel", "patches", "platform", "cpus", "seed", "replications", "simulated_ns"})
        CHECK(json["scenario"].contains(key));
    CHECK(keys(json["throughput"]) == std::set<std::string>{"unit", "mean", "ci95", "n", "count", "stopped", "worlds"});
    CHECK(keys(json["throughput"]["worlds"]) == std::set<std::string>{"low", "high", "n"});
    const std::set<std::string> usage{"acquisitions", "contended",      "per_op",  "serial_ns_per_op",
                                      "utilization",  "critical_share", "wait_ns", "hold_ns"};
    std::set<std::string> lock = usage;
    lock.insert({"lock", "kind"});
    std::set<std::string> site = usage;
    site.insert({"site", "caller", "lock", "mode"});
    const std::set<std::string> durations{"count", "sum", "min", "max", "mean", "stddev", "p50", "p90", "p99", "p99.9"};
    for (const Json& row : json["locks"]) {
        CHECK(keys(row) == lock);
        CHECK(keys(row["wait_ns"]) == durations);
        CHECK(keys(row["hold_ns"]) == durations);
    }
    for (const Json& row : json["sites"]) CHECK(keys(row) == site);
    CHECK(keys(json["paths"][0]) == std::set<std::string>{"path", "count", "latency_ns"});
    CHECK(keys(json["paths"][0]["latency_ns"]) == durations);
    CHECK(keys(json["cpu"]) == std::set<std::string>{"user", "kernel", "spin", "switch", "idle"});
    CHECK(keys(json["events"]) == std::set<std::string>{"count", "ties", "line_ties"});
    CHECK(keys(json["host"]) == std::set<std::string>{"wall_s", "events_per_s", "ops_per_s"});
}

TEST_CASE("the JSON says what was measured, in nanoseconds") {
    const Json json = Json::parse(to_json(made_up::result(), {}));
    CHECK_FALSE(json.contains("host"));
    CHECK(json["scenario"]["patches"] == Json({"first", "second", "third"}));
    CHECK(json["scenario"]["seed"] == 42);
    CHECK(json["scenario"]["simulated_ns"] == 2'000'000);
    CHECK(json["throughput"]["unit"] == "threads/s");
    CHECK(json["throughput"]["mean"] == 50'000);
    CHECK(json["throughput"]["ci95"].get<double>() == doctest::Approx(12'706.2));
    CHECK(json["throughput"]["worlds"]["n"] == 0);
    const Json& pid = json["locks"][0];
    CHECK(pid["lock"] == "pid");
    CHECK(pid["per_op"] == 2.5);
    CHECK(pid["serial_ns_per_op"] == 1055.06);
    CHECK(pid["wait_ns"]["min"] == 1.5);
    CHECK(pid["wait_ns"]["sum"] == 201.5);
    CHECK(json["events"]["ties"] == 6);
}

TEST_CASE("nothing in the JSON has more than twelve significant digits, sums of whole picoseconds aside") {
    for (const std::string& number : numbers(to_json(made_up::result(), {}))) {
        const auto digits = std::ranges::count_if(number.substr(0, number.find('e')),
                                                  [](unsigned char c) { return std::isdigit(c) != 0; });
        CHECK_MESSAGE(digits <= 13, number);  // 12 and a zero before the point
    }
}

TEST_CASE("one replication has no interval: ci95 is null") {
    Result r = made_up::result();
    Sample one;
    one.add(7);
    r.throughput = one.estimate();
    CHECK(Json::parse(to_json(r, {}))["throughput"]["ci95"].is_null());
}
