// The simulator's locks whose waiters sleep against the kernel's algorithms: CPU 0 holds the lock while the others come
// one after the other and wait. In which order they get it, CPU 0 coming again at any time, must be something that can
// happen from there.
#include <doctest/doctest.h>

#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "tests/oracles/mutex_steps.hpp"
#include "tests/oracles/percpu_rwsem_steps.hpp"
#include "tests/oracles/replay.hpp"
#include "tests/oracles/rwsem_steps.hpp"
#include "tests/oracles/stepped.hpp"
#include "tests/support/build_program.hpp"

namespace forksim::test {
namespace {

using oracle::GrantOrder;
using oracle::Mode;
using oracle::Rounds;

constexpr Mode write = Mode::exclusive;
constexpr Mode read = Mode::read;

std::set<GrantOrder> possible(const oracle::Algorithm& algorithm, const Rounds& rounds) {
    oracle::Replay replay(algorithm, rounds);
    while (replay.order().empty()) REQUIRE(replay.step(0));
    oracle::State from = replay.state();
    // As long as they wait: a reader need not when the writer in front of it spins.
    for (unsigned cpu = 1; cpu < rounds.size() && replay.run_until_waiting(cpu); ++cpu) from = replay.state();
    oracle::ExploreOptions options;
    options.reduce = false;
    options.line = 1;  // whose transfers are few: they do not matter here
    const oracle::Exploration rest = oracle::explore(algorithm, rounds, from, options);
    REQUIRE(!rest.violation);
    std::set<GrantOrder> orders;
    for (const auto& [order, counts] : rest.outcomes()) orders.insert(order);
    return orders;
}

/// What the tries of one script may differ in.
struct Timing {
    Time hold;     ///< of CPU 0, beyond the arrival of the last
    Time nap;      ///< part of it asleep
    Time again;    ///< from CPU 0's release to its next try
    Time section;  ///< of the others
    Time wake;     ///< what it costs to wake somebody
    Time idle_exit;
};

GrantOrder simulated(LockKind kind, const Rounds& rounds, const Timing& timing, std::uint64_t stream) {
    KernelBuilder b(uniform(static_cast<Cpu>(rounds.size()), 50_ns));
    b.config.tie_break = TieBreak::random;
    b.config.wake_cost = timing.wake;
    b.config.duration = 20'000_us;
    b.topology.idle_states = {{0_ns, timing.idle_exit}};
    const std::uint32_t lock = b.lock(kind, "lock");
    b.spec.locks[lock].always_slow = true;
    const auto mode = [&](Mode m) {
        return kind == LockKind::mutex ? AcquireMode::exclusive : m == read ? AcquireMode::read : AcquireMode::write;
    };
    for (Cpu cpu = 0; cpu < rounds.size(); ++cpu) {
        Steps steps = b.steps();
        if (cpu > 0) steps.work(cpu * 20_us);
        for (std::size_t round = 0; round < rounds[cpu].size(); ++round) {
            Steps body = b.steps();
            if (cpu == 0 && round == 0) {
                body.work(static_cast<std::int64_t>(rounds.size()) * 20_us);
                if (timing.nap > Time{}) body.sleep(timing.nap);
                body.work(timing.hold);
            } else {
                body.work(timing.section);
            }
            if (round > 0) steps.work(timing.again);
            steps.then(b.section(lock, body, mode(rounds[cpu][round])));
        }
        b.task(steps, cpu);
    }
    const KernelRun run = run_kernel(b, stream);
    GrantOrder order;
    for (const Task who : run.order(lock)) order.push_back(who - b.topology.cpu_count());
    REQUIRE(order.front() == 0);
    order.erase(order.begin());
    return order;
}

/// Runs every combination of modes, and fails on an order that cannot happen, or if it has not shown a third of those
/// that can. In every second try CPU 0 naps while it holds the lock, so that nobody spins for long.
template <class MakeAlgorithm>
void check_orders(LockKind kind, MakeAlgorithm make, unsigned cpus, int tries) {
    std::mt19937_64 random(cpus);
    const auto up_to = [&](Time most) {
        return Time{static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(most.ps + 1))} + 1_ps;
    };
    std::size_t shown = 0;
    std::size_t most = 0;
    const unsigned patterns = kind == LockKind::mutex ? 1 : 1U << (cpus + 1);
    for (unsigned pattern = 0; pattern < patterns; ++pattern) {
        Rounds rounds(cpus);
        for (unsigned cpu = 0; cpu < cpus; ++cpu) rounds[cpu] = {(pattern >> cpu & 1) != 0 ? read : write};
        rounds[0].push_back((pattern >> cpus & 1) != 0 ? read : write);
        if (rounds[0][0] == read && kind != LockKind::percpu_rwsem && rounds[1][0] == read)
            continue;  // it does not wait
        if (rounds[0][0] == read && rounds[1][0] == read) continue;
        const auto algorithm = make(cpus);
        const std::set<GrantOrder> orders = possible(algorithm, rounds);
        std::set<GrantOrder> seen;
        for (int i = 0; i < tries; ++i) {
            const Timing timing{
                up_to(10_us), i % 2 == 0 ? up_to(50_us) : 0_us, up_to(10_us), up_to(5_us), up_to(2500_ns), up_to(5_us)};
            const GrantOrder order = simulated(kind, rounds, timing, random());
            std::string text;
            for (const unsigned cpu : order) text += std::to_string(cpu) + " ";
            INFO("pattern ", pattern, ": ", text);
            CHECK(orders.count(order) == 1);
            seen.insert(order);
        }
        shown += seen.size();
        most += orders.size();
    }
    MESSAGE(cpus, " CPUs: ", shown, " orders of ", most, " possible ones");
    CHECK(3 * shown > most);
}

TEST_CASE("mutex: who comes after the owner is among what the algorithm can do") {
    const auto make = [](unsigned) { return oracle::MutexSteps(); };
    check_orders(LockKind::mutex, make, 2, 200);
    check_orders(LockKind::mutex, make, 3, 200);
}

TEST_CASE("rwsem: who comes after the owner is among what the algorithm can do") {
    const auto make = [](unsigned) { return oracle::RwsemSteps(); };
    check_orders(LockKind::rwsem, make, 2, 60);
    check_orders(LockKind::rwsem, make, 3, 60);
}

TEST_CASE("percpu_rwsem: who comes after the owner is among what the algorithm can do") {
    const auto make = [](unsigned cpus) { return oracle::PercpuRwsemSteps(cpus); };
    check_orders(LockKind::percpu_rwsem, make, 2, 60);
    check_orders(LockKind::percpu_rwsem, make, 3, 60);
    check_orders(LockKind::percpu_rwsem, make, 4, 20);
}

}  // namespace
}  // namespace forksim::test
