// The same bytes, however often, on however many threads, and whatever instructions the C library picks. Other
// compilers and levels of optimisation: tests/determinism.sh.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/system/command.hpp"
#include "tests/system/runs.hpp"

namespace forksim::test {
namespace {

const std::vector<std::string>& runs() {
    static const std::vector<std::string> all = {
        "one-lock --duration 5ms --replications 6",
        "threadspawn1-20c --duration 10ms --warmup 2ms --replications 4 --histogram pidmap_lock",
        "threadspawn1 --cpus 80 --duration 5ms --warmup 2ms --replications 4 --patch pidmap-once --seed 7",
        "threadspawn1-20c --duration 5ms --warmup 1ms",  // the precision decides how many replications
    };
    return all;
}

std::string json(const std::string& run, const std::string& more = "", const std::string& environment = "") {
    return forksim_output("run " + run + " --format json --reproducible " + more, "/", environment);
}

}  // namespace

TEST_CASE("a run repeated gives the same bytes, on one thread and on two") {
    for (const std::string& run : runs()) {
        CAPTURE(run);
        const std::string once = json(run, "--jobs 1");
        CHECK(once.size() > 3000);
        CHECK(once == json(run, "--jobs 1"));
        CHECK(once == json(run, "--jobs 2"));
    }
}

TEST_CASE("without fused multiply-add and wide vectors in the C library a run gives the same bytes") {
    for (const char* without : {"-FMA", "-FMA,-FMA4,-AVX2,-AVX2_Usable,-FMA_Usable,-AVX512F,-SSE4_1"}) {
        const std::string environment = std::string("GLIBC_TUNABLES=glibc.cpu.hwcaps=") + without;
        for (const std::string& run : runs()) {
            CAPTURE(run);
            CHECK(json(run) == json(run, "", environment));
        }
    }
}

TEST_CASE("another seed gives other numbers") {
    CHECK(json(runs()[0]) != json(runs()[0], "--seed 2"));
    CHECK(json(runs()[1]) != json(runs()[1], "--seed 2"));
}

TEST_CASE("only `host` is left out of a reproducible result") {
    const std::string run = runs()[0];
    nlohmann::json full = nlohmann::json::parse(forksim_output("run " + run + " --format json"));
    CHECK(full.erase("host") == 1);
    CHECK(full == nlohmann::json::parse(json(run)));
}

TEST_CASE("the census in the JSON: acquisitions per life are whole numbers") {
    const auto per_op = [](const std::string& arguments, const char* rows, const std::string& name) {
        const nlohmann::json result = nlohmann::json::parse(
            forksim_output("run " + arguments + " --duration 10ms --warmup 5ms --replications 2 --format json"));
        for (const nlohmann::json& row : result.at(rows))
            if (row.at(rows == std::string("locks") ? "lock" : "site") == name) return row.at("per_op").get<double>();
        FAIL("no row " << name);
        return 0.0;
    };
    for (const char* scenario : {"threadspawn1-20c", "threadspawn1 --cpus 80"}) {
        CHECK(per_op(scenario, "locks", "pidmap_lock") == 3);
        CHECK(per_op(scenario, "locks", "css_set_lock") == 3);
        CHECK(per_op(scenario, "locks", "tasklist_lock") == 3);
        CHECK(per_op(scenario, "locks", "input_pool") == 1);
        CHECK(per_op(scenario, "locks", "cgroup_threadgroup_rwsem") == 2);
        CHECK(per_op(scenario, "sites", "alloc_pid/publish") == 1);
    }
    CHECK(per_op("threadspawn1-20c --patch pidmap-once", "locks", "pidmap_lock") == 2);
    CHECK(per_op("threadspawn1-20c --patch pidmap-once", "sites", "alloc_pid/alloc") == 1);
    CHECK(per_op("threadspawn1-20c --patch pidmap-once", "sites", "free_pid/remove") == 1);
}

}  // namespace forksim::test
