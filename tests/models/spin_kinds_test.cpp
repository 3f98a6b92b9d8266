// Ticket and test-and-set locks, and the spinlocks of guests, stepped by hand. A line takes 50 ns between any two CPUs.
#include <doctest/doctest.h>

#include <algorithm>
#include <set>

#include "platforms/library.hpp"
#include "tests/models/lock_script.hpp"

namespace forksim::test {
namespace {

/// CPUs of one last-level cache.
Topology near(Cpu cpus) { return test::uniform(cpus, 50_ns); }

/// Sections of `hold` at `after`, one per CPU.
struct Script {
    Time after;
    Time hold;
};
LockProgram one_each(Topology machine, LockKind kind, const std::vector<Script>& scripts) {
    LockProgram p(std::move(machine), {kind});
    for (Cpu cpu = 0; cpu < scripts.size(); ++cpu) p.task(p.section(scripts[cpu].after, scripts[cpu].hold), cpu);
    return p;
}

/// Every CPU of the machine takes the lock again and again: turns per window.
LockProgram hammering(Topology machine, LockKind kind, Time window, Time hold = {}, Time pause = {}) {
    LockProgram p(std::move(machine), {kind});
    p.config.duration = window;
    for (Cpu cpu = 0; cpu < p.topology.cpu_count(); ++cpu) {
        Steps s = p.section(pause, hold);
        p.task(s.count(0).forever(), cpu);
    }
    return p;
}

Topology with(Topology machine, Virt virt) {
    machine.virt = virt;
    return machine;
}

TEST_CASE("ticket: two CPUs hand over with the unlock's transfer and the poller's") {
    // 1: adds 200-250. 0 stores at 1000: 1000-1050; 1 fetches it 1050-1100 and is served.
    const LockProgram p = one_each(near(2), LockKind::ticket, {{0_ns, 1000_ns}, {200_ns, 30_ns}});
    const LockRun run = p.run();
    CHECK(run.at(2) == 0_ns);
    CHECK(run.at(3) == 1100_ns);
    CHECK(run.of(3)[0].released == 1130_ns);
    CHECK(run.record.sites[1].contended == 1);
}

TEST_CASE("ticket: two pollers fetch the word one after the other, and which comes first is drawn") {
    std::set<Time> seen;
    for (std::uint64_t stream = 1; stream <= 20; ++stream) {
        const LockProgram p = one_each(near(3), LockKind::ticket, {{0_ns, 1000_ns}, {200_ns, 30_ns}, {300_ns, 10_ns}});
        const LockRun run = p.run(stream);
        CHECK(run.order() == std::vector<Task>{3, 4, 5});
        seen.insert(run.at(4));
    }
    // 0 stores 1000-1050; 1 is the first of the two (1050-1100) or the second (1100-1150).
    CHECK(seen == std::set<Time>{1100_ns, 1150_ns});
}

TEST_CASE("ticket: strictly in the order of the tickets") {
    const LockRun run = hammering(near(7), LockKind::ticket, 200_us, 90_ns, 300_ns).run();
    REQUIRE(run.grants.size() > 300);
    // Tickets are drawn in the order of the first tries, ties aside.
    for (std::size_t i = 1; i < run.grants.size(); ++i) CHECK(run.grants[i - 1].since <= run.grants[i].since);
}

TEST_CASE("test_and_set: two CPUs hand over with the store, the poller's fetch and its instruction") {
    LockProgram p = one_each(near(2), LockKind::test_and_set, {{0_ns, 1000_ns}, {200_ns, 30_ns}});
    p.spec.spin.turn = {};
    // 1: fails 200-250, polls. 0 stores 1000-1050; 1 reads 1050-1100 and claims (an upgrade) 1100-1150.
    const LockRun run = p.run();
    CHECK(run.at(3) == 1150_ns);
    CHECK(run.of(3)[0].released == 1180_ns);
}

TEST_CASE("test_and_set: the turn of the polling loop delays the poller by less than one turn") {
    LockProgram p = one_each(near(2), LockKind::test_and_set, {{0_ns, 1000_ns}, {200_ns, 30_ns}});
    p.spec.spin.turn = 40_ns;
    std::set<Time> seen;
    for (std::uint64_t stream = 1; stream <= 30; ++stream) seen.insert(p.run(stream).at(3));
    CHECK(seen.size() > 25);
    CHECK(*seen.begin() >= 1150_ns);
    CHECK(*seen.rbegin() < 1190_ns);
}

TEST_CASE("test_and_set: the nearest poller wins, whoever came first") {
    // CPU 2 is on the other socket and polls long before CPU 1.
    LockProgram p = one_each(two_sockets(2, 50_ns, 150_ns), LockKind::test_and_set,
                             {{0_ns, 1000_ns}, {600_ns, 100_ns}, {100_ns, 100_ns}});
    p.spec.spin.turn = {};
    CHECK(p.run().order() == std::vector<Task>{4, 5, 6});
    LockProgram fair = one_each(two_sockets(2, 50_ns, 150_ns), LockKind::ticket,
                                {{0_ns, 1000_ns}, {600_ns, 100_ns}, {100_ns, 100_ns}});
    CHECK(fair.run().order() == std::vector<Task>{4, 6, 5});
}

TEST_CASE("test_and_set: whoever has just released comes again before the pollers have seen it") {
    LockProgram p(near(2), {LockKind::test_and_set});
    p.spec.spin.turn = {};
    Steps twice = p.section(0_ns, 1000_ns);
    p.task(twice.then(p.section(10_ns, 100_ns)), 0);
    p.task(p.section(200_ns, 30_ns), 1);
    CHECK(p.run().order() == std::vector<Task>{2, 2, 3});
}

TEST_CASE("on two sockets with 64 CPUs test_and_set is unfair and a queue lock is fair") {
    Topology machine = *find_platform("cascadelake-2s-24c-smt");
    machine.cpus.resize(64);
    const LockRun tas = hammering(machine, LockKind::test_and_set, 10000_us, 100_ns, 1_us).run();
    const LockRun queue = hammering(machine, LockKind::spinlock, 10000_us, 100_ns, 1_us).run();
    MESSAGE("ns per turn: ", 1e7 / static_cast<double>(tas.grants.size()), ", ",
            1e7 / static_cast<double>(queue.grants.size()));
    MESSAGE("Jain: test_and_set ", tas.fairness(64), ", queue ", queue.fairness(64));
    CHECK(tas.fairness(64) < 0.9);
    CHECK(queue.fairness(64) > 0.99);
}

TEST_CASE("a guest's spinlock is a test-and-set lock, and so is the wait_lock of its rwlock") {
    const auto counts = [](Topology machine, LockKind kind) {
        return hammering(std::move(machine), kind, 200_us, 60_ns, 200_ns).run().record.counts[0];
    };
    const Topology native = near(6);
    const Topology guest = with(native, Virt::tas);
    CHECK(counts(guest, LockKind::spinlock) == counts(native, LockKind::test_and_set));
    CHECK(counts(guest, LockKind::spinlock) != counts(native, LockKind::spinlock));
    CHECK(counts(guest, LockKind::rwlock) != counts(native, LockKind::rwlock));
    CHECK(counts(guest, LockKind::ticket) == counts(native, LockKind::ticket));
}

TEST_CASE("pv: an uncontended section costs nothing, a contended hand-off three transfers and a locked unlock") {
    // 1: fails 200-250, queues, sets pending on its own line, polls. 0 unlocks with a cmpxchg 1000-1050; 1 reads
    // 1050-1100 and takes lock and pending bit in one cmpxchg 1100-1150, then clears the tail on its own line.
    const LockProgram p = one_each(with(near(2), Virt::pv), LockKind::spinlock, {{0_ns, 1000_ns}, {200_ns, 30_ns}});
    const LockRun run = p.run();
    CHECK(run.at(2) == 0_ns);
    CHECK(run.at(3) == 1150_ns);
    CHECK(run.of(3)[0].released == 1180_ns);
}

TEST_CASE("pv: with a head that has set the pending bit nobody steals; before, a newcomer does") {
    const Topology guest = with(near(4), Virt::pv);
    // 1 becomes head at 250, 2 queues behind it; 3 comes while the bit is set: in order.
    const LockProgram queued =
        one_each(guest, LockKind::spinlock, {{0_ns, 1000_ns}, {200_ns, 500_ns}, {400_ns, 10_ns}, {600_ns, 10_ns}});
    CHECK(queued.run().order() == std::vector<Task>{4, 5, 6, 7});
    // With short sections newcomers find the bit clear now and then and overtake those that have waited longer.
    const LockRun run = hammering(with(near(8), Virt::pv), LockKind::spinlock, 500_us, 20_ns, 400_ns).run();
    const LockRun native = hammering(near(8), LockKind::spinlock, 500_us, 20_ns, 400_ns).run();
    const auto overtaken = [](const LockRun& r) {
        int count = 0;
        for (std::size_t i = 1; i < r.grants.size(); ++i) count += r.grants[i].since + 200_ns < r.grants[i - 1].since;
        return static_cast<double>(count) / static_cast<double>(r.grants.size());
    };
    MESSAGE("overtaken: pv ", overtaken(run), ", native ", overtaken(native));
    CHECK(overtaken(run) > 0.02);
    CHECK(overtaken(native) < 0.002);
}

TEST_CASE("pv: a wait below the threshold never halts, a longer one is ended by a kick") {
    LockProgram p = one_each(with(near(2), Virt::pv), LockKind::spinlock, {{0_ns, 1000_ns}, {200_ns, 30_ns}});
    p.spec.spin.halt_after = 750_ns;  // 1 sets its pending bit at 250
    CHECK(p.run().at(3) == 1150_ns);
    p.spec.spin.halt_after = 749_ns;
    // 0 unlocks 1000-1050, kicks until 3050; the virtual CPU runs at 13050 and takes the lock with one more transfer.
    CHECK(p.run().at(3) == 13100_ns);
}

}  // namespace
}  // namespace forksim::test
