// Locks of every kind, written in files and run: what the mechanisms demand of the numbers.
#include <doctest/doctest.h>

#include <algorithm>

#include "tests/system/runs.hpp"

namespace forksim::test {
namespace {

Compiled compiled(const TempFolder& folder, const std::string& text) {
    Request request;
    request.scenario = folder.write("scenario.yaml", text);
    return compile(request);
}

/// A scenario on CPUs between which lines cost 50 ns, or nothing; no cost of waking, no tick.
std::string scenario(const std::string& blocks, const std::string& workload, const std::string& distance = "0ns") {
    return "scenario: s\nplatform: {uniform: 4, distance: " + distance + "}\n" + blocks + "\nworkload:\n" + workload +
           "measure: {warmup: 1ms, duration: 100ms, replications: 1}\n";
}

const SiteRecord& site(const Compiled& compiled, const Record& record, const std::string& name) {
    const auto it = std::find_if(compiled.program.sites.begin(), compiled.program.sites.end(),
                                 [&](const Site& s) { return s.name == name; });
    REQUIRE(it != compiled.program.sites.end());
    return record.sites[static_cast<std::size_t>(it - compiled.program.sites.begin())];
}

struct Contention {
    double handoff_ns = 0;  ///< mean of a contended acquisition
    double per_second = 0;
};

Contention contention(std::uint32_t cpus, const std::string& kind) {
    Request request;
    request.scenario = "ticket-vs-queue";
    request.cpus = cpus;
    request.sets = {"L.kind=" + kind};
    const Compiled compiled = compile(request);
    const std::vector<Record> records = replications(compiled, 3);
    const Record all = merged(records);
    const SiteRecord& section = site(compiled, all, "enter/section");
    REQUIRE(section.contended > 100);
    return {static_cast<double>(section.handoff_ps) / 1000 / static_cast<double>(section.contended),
            throughput(records).mean};
}

}  // namespace

TEST_CASE("a ticket lock's hand-off grows with its waiters, a queue lock's does not") {
    const Contention few_tickets = contention(8, "ticket");
    const Contention many_tickets = contention(24, "ticket");
    const Contention few_in_queue = contention(8, "spinlock");
    const Contention many_in_queue = contention(24, "spinlock");
    CHECK(many_tickets.handoff_ns > 2 * few_tickets.handoff_ns);  // 22 waiters against 6
    CHECK(many_in_queue.handoff_ns < 1.1 * few_in_queue.handoff_ns);
    CHECK(many_tickets.per_second < 0.7 * many_in_queue.per_second);
}

TEST_CASE("the ticket patch beside the scenario does what setting the kind does") {
    Request request;
    request.scenario = "ticket-vs-queue";
    request.cpus = 8;
    request.sets = {"L.kind=ticket"};
    const Compiled set = compile(request);
    request.sets.clear();
    request.patches = {"ticket"};
    const Compiled patched = compile(request);
    CHECK(set.hash == patched.hash);
    CHECK(patched.banner.patches == std::vector<std::string>{"ticket"});
}

TEST_CASE("moving a neighbour's counter off the lock's line makes both faster") {
    Request request;
    request.scenario = "false-sharing";
    const Compiled together = compile(request);
    request.patches = {"apart"};
    const Compiled apart = compile(request);
    const Record shared = merged(replications(together, 3));
    const Record own = merged(replications(apart, 3));
    CHECK(static_cast<double>(own.counts[0]) > 1.05 * static_cast<double>(shared.counts[0]));
    CHECK(own.counts[1] > shared.counts[1]);
}

TEST_CASE("a first writer of a percpu_rwsem waits exactly one grace period, and the record says for what") {
    const TempFolder folder;
    const Compiled one = compiled(
        folder,
        scenario("locks: {P: {kind: percpu_rwsem}}\nrcu: {gp: 3ms}",
                 "  - {tasks: writer, forever: [{sleep: 20ms}, {section: P, mode: write, name: w}, {count: n}]}\n"));
    const Record record = replications(one, 1)[0];
    const SiteRecord& writes = site(one, record, "writer/w");
    REQUIRE(writes.contended > 2);
    CHECK(writes.contended == writes.acquisitions);
    CHECK(writes.wait_part_ps[0] == static_cast<std::int64_t>(writes.contended) * Time::from_ms(3).ps);
    CHECK(writes.wait_part_ps[1] + writes.wait_part_ps[2] == 0);
}

TEST_CASE("synchronize_rcu sleeps for the length of a grace period, normal or expedited") {
    const TempFolder folder;
    const Compiled both =
        compiled(folder, scenario("rcu: {gp: 2ms, expedited: 70us}",
                                  "  - {tasks: t, forever: [{measure: {normal: [synchronize_rcu]}}, "
                                  "{measure: {hurry: [{synchronize_rcu: expedited}]}}, {count: n}]}\n"));
    const Record record = replications(both, 1)[0];
    const Histogram& normal = record.paths[path_index(both, "normal")];
    const Histogram& hurry = record.paths[path_index(both, "hurry")];
    REQUIRE(normal.count() > 10);
    CHECK(normal.min() == Time::from_ms(2));
    CHECK(normal.max() == Time::from_ms(2));
    CHECK(hurry.min() == Time::from_us(70));
    CHECK(hurry.max() == Time::from_us(70));
}

TEST_CASE("readers of a seqcount begin anew once for each write that comes in between, and go through on_retry") {
    const TempFolder folder;
    // A read takes 10 us, the writer comes every 35 us and writes for no time: at most one write falls into a read.
    const Compiled readers = compiled(
        folder,
        scenario("locks: {L: {kind: spinlock}, C: {kind: seqcount, under: L}}",
                 "  - {tasks: reader, affinity: {cpus: 0-0}, forever: [{seqread: C, name: r, body: [{work: 10us}], "
                 "on_retry: [{count: again}]}, {count: reads}]}\n"
                 "  - {tasks: writer, affinity: {cpus: 1-1}, forever: [{work: 35us}, {section: L, name: o, body: "
                 "[{seqwrite: C, name: w}]}, {count: writes}]}\n"));
    const Record record = replications(readers, 1)[0];
    const SiteRecord& reads = site(readers, record, "reader/r");
    const auto count = [&](const std::string& name) {
        const auto& names = readers.program.counters;
        return record.counts[static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin())];
    };
    CHECK(count("writes") > 2000);
    CHECK(reads.retries + 1 >= count("writes"));
    CHECK(reads.retries <= count("writes") + 1);
    CHECK(reads.retries + 1 >= count("again"));
    CHECK(reads.retries <= count("again") + 1);
    CHECK(reads.acquisitions + 1 >= count("reads") + reads.retries);
    CHECK(reads.acquisitions <= count("reads") + reads.retries + 1);
    CHECK(site(readers, record, "writer/w").acquisitions == count("writes"));
}

TEST_CASE("each CPU with callbacks reports once per grace period, under the lock of its leaf") {
    const TempFolder folder;
    const Compiled reporting = compiled(
        folder,
        scenario("rcu: {gp: 5ms, report: leaves}\nlocks: {leaf: {kind: spinlock, per: {cpus: 2}}}\n"
                 "functions:\n  later: [{work: 100ns}]\n  leaves: [{section: leaf, name: leaf, body: [{work: 1us}]}]",
                 "  - {tasks: t, count: 4, affinity: pu, forever: [{work: 100us}, {call_rcu: later}, {count: n}]}\n"));
    const Record record = replications(reporting, 1)[0];
    const std::uint64_t reports = site(reporting, record, "leaves/leaf").acquisitions;
    CHECK(reports > 4 * (100 / 5 - 3));  // 4 CPUs, 100 ms; a tick may be missed at either edge
    CHECK(reports <= 4 * (100 / 5 + 1));
}

TEST_CASE("a lock per process on a line per process shares it with the data of its own process only") {
    const TempFolder folder;
    const std::string blocks = "lines: {data: {per: process}}\nlocks: {X: {kind: spinlock, per: process, line: data}}";
    const std::string task =
        "{count: 2, affinity: pu, forever: [{work: 1us}, {section: X, name: s, body: [{atomic: data}]}, {count: n}]}";
    const Compiled apart =
        compiled(folder, scenario(blocks, "  - {tasks: t, process: each, " + task.substr(1) + "\n", "50ns"));
    CHECK(replications(apart, 1)[0].transfers == 0);
    const Compiled together =
        compiled(folder, scenario(blocks, "  - {tasks: t, process: one, " + task.substr(1) + "\n", "50ns"));
    CHECK(replications(together, 1)[0].transfers > 1000);
}

TEST_CASE("a clone reads its css_set anew for kills that come in between, and for none where nobody kills") {
    Request request;
    request.scenario = "cgroup-kill-under-fork";
    request.duration = "20ms";
    const Compiled killing = compile(request);
    CHECK(site(killing, replications(killing, 1)[0], "cgroup_can_fork/css_set_fork").retries > 100);
    request.sets = {"killer/next_cgroup.work=1s"};
    request.warmup = "1ms";
    const Compiled quiet = compile(request);
    CHECK(site(quiet, replications(quiet, 1)[0], "cgroup_can_fork/css_set_fork").retries == 0);
}

}  // namespace forksim::test
