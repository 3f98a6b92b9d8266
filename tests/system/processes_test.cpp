// Processes stepped by hand: who waits for whom, whose instance of a lock is taken, who is told what.
#include <doctest/doctest.h>

#include <algorithm>

#include "tests/system/runs.hpp"

namespace forksim::test {
namespace {

struct Ran {
    Compiled compiled;
    Record record;

    const SiteRecord& site(const std::string& name) const {
        const auto& sites = compiled.program.sites;
        const auto it = std::find_if(sites.begin(), sites.end(), [&](const Site& s) { return s.name == name; });
        REQUIRE(it != sites.end());
        return record.sites[static_cast<std::size_t>(it - sites.begin())];
    }
    const Histogram& turns() const { return record.paths[path_index(compiled, "t: one turn")]; }
};

/// One task t in a process of its own; moving lines takes no time, waking 1 us, a context switch 0.5 us.
Ran run(std::uint32_t cpus, const std::string& steps, const std::string& functions, const std::string& more = "") {
    const TempFolder folder;
    Request request;
    request.scenario =
        folder.write("s.yaml", "scenario: s\nplatform: {uniform: " + std::to_string(cpus) +
                                   ", distance: 0ns}\nconfig: {wake_cost: 1us, context_switch: 0.5us}\n"
                                   "locks:\n  tasklist: {kind: rwlock, irq: off}\n"
                                   "  siglock: {kind: spinlock, per: process}\n"
                                   "  own: {kind: spinlock, per: task}\n" +
                                   more + "functions:\n" + functions + "workload: [{tasks: t, forever: [" + steps +
                                   ", {count: n}]}]\n"
                                   "measure: {warmup: 1ms, duration: 10ms, replications: 1}\n");
    Ran ran{compile(request), {}};
    ran.record = replications(ran.compiled, 1)[0];
    REQUIRE(ran.turns().count() > 100);
    return ran;
}

const std::string fork_and_wait =
    "  fork: [{work: 2us, name: copy}, {start: child}]\n"
    "  child: [{work: 10us, name: live}, {call: die}]\n"
    "  die:\n"
    "    - section: tasklist\n"
    "      mode: write\n"
    "      name: notify\n"
    "      body: [{section: siglock@parent, name: tell, body: [{work: 1us, name: queue}, {signal: zombie}]}]\n"
    "    - exit\n"
    "  reap:\n"
    "    - {await: {zombie: victim, poll: [{section: tasklist, mode: read, name: scan, body: [{work: 1us}]}]}}\n"
    "    - {section: tasklist, mode: write, name: release, body: [{section: siglock@victim, name: unhash, hold: "
    "2us}]}\n";
const std::string fork_step = "{spawn: {via: fork, run: child, as: kid, process: new}}, {call: reap, victim: kid}";

}  // namespace

TEST_CASE("on one CPU a parent scans, sleeps, scans again and releases: 20 us a turn by hand") {
    const Ran ran = run(1, fork_step, fork_and_wait);
    // copy 2, waking the child 1, scan 1, switch 0.5 | child 10, queue 1, waking the parent 1, switch 0.5 | scan 1, 2
    CHECK(ran.turns().min() == Time::from_us(20));
    CHECK(ran.turns().max() == Time::from_us(20));
    CHECK(ran.site("die/notify").hold.min() == Time::from_us(2));  // the waking is inside
    CHECK(ran.site("die/tell").hold.min() == Time::from_us(2));
    CHECK(ran.site("reap/scan").contended == 0);
}

TEST_CASE("on two CPUs the parent that was woken inside the section waits for its end: 17.5 us a turn by hand") {
    const Ran ran = run(2, fork_step, fork_and_wait);
    // parent: copy to 2, waking to 3, scan to 4, sleep. Child on the other CPU: switch to 2.5, live to 12.5, queue to
    // 13.5, waking to 14.5. Parent: switch to 14, waits to 14.5, scan to 15.5, release to 17.5.
    CHECK(ran.turns().min() == Time::from_ns(17'500));
    CHECK(ran.turns().max() == Time::from_ns(17'500));
    const SiteRecord& scan = ran.site("reap/scan");
    CHECK(std::abs(static_cast<std::int64_t>(scan.acquisitions) - 2 * static_cast<std::int64_t>(ran.turns().count())) <=
          2);
    CHECK(std::abs(static_cast<std::int64_t>(scan.contended) - static_cast<std::int64_t>(ran.turns().count())) <= 1);
    CHECK(scan.wait.min() == Time::from_ns(500));
    CHECK(scan.wait.max() == Time::from_ns(500));
}

TEST_CASE("a child that is a zombie already is found by the first scan") {
    const Ran ran = run(2,
                        "{spawn: {via: fork, run: child, as: kid, process: new}}, {work: 30us}, " +
                            std::string("{call: reap, victim: kid}"),
                        fork_and_wait);
    CHECK(ran.turns().min() == Time::from_us(2 + 1 + 30 + 1 + 2));
    CHECK(ran.turns().max() == ran.turns().min());
    CHECK(std::abs(static_cast<std::int64_t>(ran.site("reap/scan").acquisitions) -
                   static_cast<std::int64_t>(ran.turns().count())) <= 1);
}

TEST_CASE("a release function that is written once is one site with two callers, and each takes the victim's lock") {
    const std::string functions =
        "  fork: [{start: child}]\n"
        "  child: [{spawn: {via: fork_thread, run: thread, as: other}}, {await: {gone: other}}, {call: die}]\n"
        "  fork_thread: [{start: child}]\n"
        "  thread: [{work: 1us}, {call: release}, {signal: gone}]\n"
        "  die: [{signal: zombie}]\n"
        "  reap: [{await: {zombie: victim}}, {call: release}]\n"
        "  release:\n"
        "    - section: siglock@victim\n"
        "      name: unhash\n"
        "      body:\n"
        "        - {work: 3us, name: of_process, when: called_by reap}\n"
        "        - {work: 2us, name: of_thread, when: not called_by reap}\n";
    const Ran ran = run(4, fork_step, functions);
    std::vector<std::string> callers;
    for (const Site& site : ran.compiled.program.sites)
        if (site.name == "release/unhash") callers.push_back(site.caller);
    std::sort(callers.begin(), callers.end());
    CHECK(callers == std::vector<std::string>{"reap", "thread"});
    for (std::size_t i = 0; i < ran.record.sites.size(); ++i) {
        const Site& site = ran.compiled.program.sites[i];
        if (site.name != "release/unhash") continue;
        const Time hold = site.caller == "reap" ? Time::from_us(3) : Time::from_us(2);
        CHECK(ran.record.sites[i].hold.min() == hold);
        CHECK(ran.record.sites[i].hold.max() == hold);
    }
}

namespace {

/// Parent and child each hold a lock for 5 us at the same time; whether one of them waits.
bool collide(const std::string& process, const std::string& of_parent, const std::string& of_child) {
    const Ran ran = run(2,
                        "{spawn: {via: make, run: child, as: kid, process: " + process + "}}, {section: " + of_parent +
                            ", name: p, hold: 5us}, {await: {done: kid}}",
                        "  make: [{start: child}]\n"
                        "  child: [{section: " +
                            of_child + ", name: c, hold: 5us}, {signal: done}]\n");
    return ran.site("t/p").contended + ran.site("child/c").contended > 0;
}

}  // namespace

TEST_CASE("a new process has its own instance of what is per process; a thread has its creator's") {
    CHECK(collide("same", "siglock", "siglock"));
    CHECK_FALSE(collide("new", "siglock", "siglock"));
    CHECK(collide("new", "siglock", "siglock@parent"));
    CHECK(collide("new", "siglock@kid", "siglock"));
    CHECK_FALSE(collide("new", "siglock@kid", "siglock@parent"));
    CHECK_FALSE(collide("new", "siglock@self", "siglock@victim"));
    CHECK_FALSE(collide("same", "siglock@parent", "siglock"));  // init's: it has the workload's processes as children
}

TEST_CASE("every task has its own instance of what is per task, thread or not") {
    for (const char* process : {"same", "new"}) {
        CHECK_FALSE(collide(process, "own", "own"));
        CHECK(collide(process, "own@kid", "own"));
    }
}

TEST_CASE("a set of children is gone through oldest first, as often as one likes, until they are taken out") {
    // Each child works 10 us after it has been told; telling costs the parent 1 us: they end at 11, 12 and 13 us.
    const std::string functions =
        "  kid: [{await: {go: self}}, {work: 10us}, {section: tasklist, mode: write, name: end, hold: 1ns}, "
        "{signal: done}]\n"
        "  make: [{start: child}]\n";
    const std::string create = "{repeat: {n: 3, do: [{spawn: {via: make, run: kid, into: kids}}]}}, {sleep: 20us}, ";
    const std::string tell = "{repeat: {each: kids, do: [{signal: go, of: kids}]}}, ";
    const std::string join = "{repeat: {take: kids, do: [{await: {done: kids}}, {count: joined}]}}";
    const Ran ran = run(4, create + tell + tell + join, functions);
    const std::uint64_t turns = ran.turns().count();
    CHECK(std::abs(static_cast<std::int64_t>(ran.record.counts[0]) - 3 * static_cast<std::int64_t>(turns)) <= 3);
    CHECK(std::abs(static_cast<std::int64_t>(ran.site("kid/end").acquisitions) -
                   3 * static_cast<std::int64_t>(turns)) <= 3);
    CHECK(ran.site("kid/end").contended == 0);  // one microsecond after each other
    CHECK(ran.turns().max() == ran.turns().min());
}

TEST_CASE("an empty set has no turn") {
    const std::string functions = "  kid: [{signal: done}]\n  make: [{start: child}]\n";
    const Ran ran = run(2,
                        "{work: 5us}, {repeat: {take: kids, do: [{await: {done: kids}}]}}, {repeat: {each: kids, do: "
                        "[{work: 1us}]}}, {work: 1us}, {repeat: {n: 0, do: [{spawn: {via: make, run: kid, into: "
                        "kids}}]}}",
                        functions);
    CHECK(ran.turns().min() == Time::from_us(6));
    CHECK(ran.turns().max() == Time::from_us(6));
}

}  // namespace forksim::test
