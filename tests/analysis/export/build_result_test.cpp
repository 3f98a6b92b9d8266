#include "analysis/export/build_result.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "analysis/export/csv.hpp"
#include "analysis/export/json.hpp"
#include "analysis/export/text.hpp"
#include "tests/analysis/export/made_up.hpp"

using namespace forksim;

namespace {

const Usage& lock(const Result& r, const std::string& name) {
    const auto found = std::ranges::find(r.locks, name, &LockResult::lock);
    REQUIRE(found != r.locks.end());
    return found->usage;
}

const Usage& site(const Result& r, const std::string& name, const std::string& caller) {
    const auto found =
        std::ranges::find_if(r.sites, [&](const SiteResult& s) { return s.site == name && s.caller == caller; });
    REQUIRE(found != r.sites.end());
    return found->usage;
}

}  // namespace

TEST_CASE("acquisitions per operation are the exact ratio of the lifecycles followed to their end") {
    const Result r = made_up::result();
    CHECK(site(r, "alloc/idr", "clone").per_op == 2);           // 196 / 98
    CHECK(site(r, "release/unhash", all_callers).per_op == 1);  // (28 + 70) / 98
    CHECK(site(r, "free/late", "").per_op == 0.5);              // softirq: 50 / 100
    CHECK(lock(r, "pid").per_op == 2.5);
    CHECK(lock(r, "tasks").per_op == 1);
}

TEST_CASE("without a whole census, acquisitions per operation are those of the window") {
    const Program p = made_up::program();
    const ModelSpec m = made_up::model();
    const Topology t = made_up::topology();
    Record record = made_up::record();
    record.census_complete = false;
    const Result r = build_result(made_up::run(), {p, m, t}, record, made_up::outcome());
    CHECK(site(r, "alloc/idr", "clone").per_op == 2.01);
    CHECK(lock(r, "pid").per_op == 2.51);
}

TEST_CASE("locks and sites that are never reached are not listed, the others stand in the order of their names") {
    const Result r = made_up::result();
    REQUIRE(r.locks.size() == 3);
    CHECK(r.locks[0].lock == "pid");
    CHECK(r.locks[1].lock == "sig");
    CHECK(r.locks[2].lock == "tasks");
    CHECK(r.locks[2].kind == "rwlock");
    CHECK(std::ranges::none_of(r.sites, [](const SiteResult& s) { return s.site == "never/here"; }));
    REQUIRE(r.paths.size() == 1);
    CHECK(r.paths[0].path == "turn");
}

TEST_CASE("a site with several callers has a row for each and one for all") {
    const Result r = made_up::result();
    REQUIRE(r.sites.size() == 6);
    CHECK(site(r, "release/unhash", all_callers).acquisitions == 101);
    CHECK(site(r, "release/unhash", "exit").acquisitions == 71);
    CHECK(site(r, "release/unhash", "wait4").acquisitions == 30);
    CHECK(std::ranges::none_of(r.sites,
                               [](const SiteResult& s) { return s.site == "alloc/idr" && s.caller == all_callers; }));
}

TEST_CASE("service demand is busy time and hand-offs per operation, utilisation the share of busy time") {
    const Result r = made_up::result();
    CHECK(lock(r, "pid").serial_ps_per_op == (105'500'000 + 6'000) / 100.0);
    CHECK(lock(r, "pid").utilization == doctest::Approx(105.5e6 / 2e9));
    CHECK(lock(r, "sig").serial_ps_per_op == 4'000'000 / 100.0 / 4);  // four processes, used alike
    CHECK(lock(r, "sig").utilization == doctest::Approx(4e6 / 2e9 / 4));
    CHECK(site(r, "alloc/idr", "clone").serial_ps_per_op == (201 * 500'000 + 6'000) / 100.0);
}

TEST_CASE("readers share a lock, so they are no service demand") {
    Program p = made_up::program();
    const ModelSpec m = made_up::model();
    const Topology t = made_up::topology();
    p.sites[3].mode = "read";  // 71 holds of 1 us and a hand-off; site 2 writes, 30 holds of 1 us
    const Result r = build_result(made_up::run(), {p, m, t}, made_up::record(), made_up::outcome());
    CHECK(lock(r, "tasks").serial_ps_per_op == 30 * 1'000'000 / 100.0);
    CHECK(lock(r, "tasks").utilization == doctest::Approx(101e6 / 2e9));
    p.sites[2].mode = "read";
    const Result none = build_result(made_up::run(), {p, m, t}, made_up::record(), made_up::outcome());
    CHECK(lock(none, "tasks").serial_ps_per_op == 0);
}

TEST_CASE("a lock has the critical path of all its sites: holds, lines and hand-offs") {
    const Result r = made_up::result();
    CHECK(lock(r, "pid").critical_share == 0.4);
    CHECK(lock(r, "tasks").critical_share == 0.3);
    CHECK(site(r, "release/unhash", "exit").critical_share == 0.25);
    REQUIRE(r.critical_path);
    CHECK(r.critical_path->user == 0.3);
    CHECK(r.critical_path->hold == 0.4);
    CHECK(r.critical_path->lines == 0.05);
    CHECK(r.critical_path->handoff == 0.25);
}

TEST_CASE("waits of a lock are those of its sites, exact in count, sum, minimum and maximum") {
    const Result r = made_up::result();
    const Durations& wait = lock(r, "pid").wait;
    CHECK(wait.count == 2);
    CHECK(wait.sum_ps == 201'500);
    CHECK(wait.min_ps == 1'500);
    CHECK(wait.max_ps == 200'000);
    CHECK(wait.mean_ps == 100'750);
    CHECK(wait.stddev_ps == 99'250);
}

TEST_CASE("shares of CPU time sum to one") {
    const Result r = made_up::result();
    REQUIRE(r.cpu);
    CHECK(r.cpu->user == 0.25);
    CHECK(r.cpu->kernel == 0.5);
    CHECK(r.cpu->idle == 0.25);
    CHECK(r.cpu->spin + r.cpu->context_switch == 0);
}

TEST_CASE("further counters have their own interval over replications") {
    const Result r = made_up::result();
    REQUIRE(r.counts.size() == 1);
    CHECK(r.counts[0].name == "forks");
    CHECK(r.counts[0].count == 7);
    CHECK(r.counts[0].per_second.mean == 3500);  // 3 and 4 per ms
    CHECK(r.counts[0].per_second.half_width == doctest::Approx(12.7062 * 500));
}

TEST_CASE("the number of instances follows the scope, and is unknown where tasks or forks make it grow") {
    Program p = made_up::program();
    const ModelSpec m = made_up::model();
    Topology t = made_up::topology();
    t.sockets = 2;
    const RunSubject subject{p, m, t};
    CHECK(instances_of({Scope::global, 1}, subject) == 1);
    CHECK(instances_of({Scope::cpu, 1}, subject) == 20);
    CHECK(instances_of({Scope::cpus, 16}, subject) == 2);
    CHECK(instances_of({Scope::node, 1}, subject) == 2);
    CHECK(instances_of({Scope::process, 1}, subject) == 4);
    CHECK(instances_of({Scope::task, 1}, subject) == 0);
    p.spawns.push_back({.entry = 0, .handle = 0, .key = 0, .new_process = true, .nice = 0, .group = 0});
    CHECK(instances_of({Scope::process, 1}, subject) == 0);
}

TEST_CASE("what the reference engine cannot tell is unknown, its waits and holds are sums") {
    const Program p = made_up::program();
    const ModelSpec m = made_up::model();
    const Topology t = made_up::topology();
    Record record = made_up::record();
    for (SiteRecord& s : record.sites) s.wait = s.hold = Histogram();
    record.critical_path_ps.clear();
    record.critical_length_ps = 0;
    const SummedTimes sums{{0, 777, 0, 0, 3, 0, 0}, {0, 100, 0, 0, 151, 0, 0}};
    const Result r = build_result(made_up::run(), {p, m, t}, record, made_up::outcome(), &sums);
    CHECK(lock(r, "pid").wait.sum_ps == 780);
    CHECK(lock(r, "pid").wait.count == 2);
    CHECK(lock(r, "pid").hold.mean_ps == 1);  // 251 in 251 acquisitions
    CHECK_FALSE(lock(r, "pid").wait.detailed);
    CHECK(std::isnan(lock(r, "pid").utilization));
    CHECK(std::isnan(lock(r, "pid").critical_share));
    CHECK_FALSE(r.critical_path);
}

TEST_CASE("parts of waits and retries are told for the kinds of lock that have them") {
    const Program p = made_up::program();
    ModelSpec m = made_up::model();
    m.locks[0].kind = LockKind::percpu_rwsem;
    m.locks[2].kind = LockKind::seqcount;
    Record record = made_up::record();
    record.sites[1].wait_part_ps = {1'000, 500, 200'000};
    record.sites[4].wait_part_ps = {7, 0, 0};
    record.sites[6].retries = 12;
    const Result r = build_result(made_up::run(), {p, m, made_up::topology()}, record, made_up::outcome());
    const std::vector<WaitPart>& parts = lock(r, "pid").wait_parts;
    REQUIRE(parts.size() == 3);
    CHECK(parts[0].name == "grace_period");
    CHECK(parts[0].sum_ps == 1'007);
    CHECK(parts[1].name == "blocked_by_writer");
    CHECK(parts[2].name == "readers_drain");
    CHECK(site(r, "alloc/idr", "clone").wait_parts[2].sum_ps == 200'000);
    CHECK(!lock(r, "pid").retries);
    CHECK(lock(r, "sig").retries == 12u);
    CHECK(lock(r, "sig").wait_parts.empty());
    CHECK(lock(r, "tasks").wait_parts.empty());
    CHECK(!lock(r, "tasks").retries);

    const std::string json = to_json(r, {});
    CHECK(json.find(R"("wait_parts": {"grace_period": 1.007, "blocked_by_writer": 0.5, "readers_drain": 200})") !=
          std::string::npos);
    CHECK(json.find(R"("retries": 12)") != std::string::npos);
    const std::string csv = to_csv(r);
    CHECK(csv.find("sites,alloc/idr,clone,wait_parts.readers_drain,200\n") != std::string::npos);
    CHECK(csv.find("locks,sig,,retries,12\n") != std::string::npos);
    const std::string text = site_tables(r);
    CHECK(text.find("    retries") != std::string::npos);
    CHECK(text.find("    readers_drain") != std::string::npos);
    CHECK(to_json(made_up::result(), {}).find("wait_parts") == std::string::npos);
}
