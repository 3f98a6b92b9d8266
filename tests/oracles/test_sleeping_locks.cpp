// The kernel's locks whose waiters sleep, in every state that two to four CPUs can bring them into.
#include <doctest/doctest.h>

#include <set>
#include <string>
#include <vector>

#include "tests/oracles/mutex_steps.hpp"
#include "tests/oracles/percpu_rwsem_steps.hpp"
#include "tests/oracles/replay.hpp"
#include "tests/oracles/rwsem_steps.hpp"
#include "tests/oracles/stepped.hpp"

namespace forksim::oracle {
namespace {

constexpr Mode write = Mode::exclusive;
constexpr Mode read = Mode::read;

using Orders = std::set<GrantOrder>;

/// Explores, checks that no invariant breaks, and says how large it was.
Exploration sound(const Algorithm& algorithm, const Rounds& rounds, bool store_buffers = false) {
    ExploreOptions options;
    options.machine.store_buffers = store_buffers;
    options.reduce = false;  // sums and queues know the CPUs by number
    const Exploration result = explore(algorithm, rounds, options);
    REQUIRE_MESSAGE(!result.violation, result.violation->what);
    MESSAGE(rounds.size(), " CPUs: ", result.states, " states, ", result.outcomes().size(), " orders");
    return result;
}

/// All orders that can follow when CPU 0 has the lock and the others have come one after the other and wait.
Orders behind_owner(const Algorithm& algorithm, const Rounds& rounds) {
    Replay replay(algorithm, rounds);
    while (replay.order().empty()) REQUIRE(replay.step(0));
    for (unsigned cpu = 1; cpu < rounds.size(); ++cpu) REQUIRE(replay.run_until_waiting(cpu));
    ExploreOptions options;
    options.reduce = false;
    const Exploration rest = explore(algorithm, rounds, replay.state(), options);
    REQUIRE_MESSAGE(!rest.violation, rest.violation->what);
    Orders orders;
    for (const auto& [order, counts] : rest.outcomes()) orders.insert(order);
    return orders;
}

TEST_CASE("percpu-rwsem: mutual exclusion, no lost wake-up, no deadlock, in every state and under TSO") {
    const std::vector<Rounds> all{
        {{write}, {write}},          {{read}, {write}},
        {{read, read}, {write}},     {{read, write}, {write, read}},
        {{read}, {read}, {write}},   {{read}, {write}, {write}},
        {{write}, {write}, {write}},
    };
    for (const Rounds& rounds : all) {
        const PercpuRwsemSteps lock(static_cast<unsigned>(rounds.size()));
        sound(lock, rounds);
        if (rounds.size() == 2) sound(lock, rounds, true);
    }
}

TEST_CASE("percpu-rwsem: the owner hands it on in the order of the queue; only adjacent readers can change places") {
    const PercpuRwsemSteps lock(4);
    CHECK(behind_owner(lock, {{write}, {write}, {write}, {write}}) == Orders{{1, 2, 3}});
    CHECK(behind_owner(lock, {{write}, {write}, {read}, {write}}) == Orders{{1, 2, 3}});
    CHECK(behind_owner(lock, {{write}, {read}, {write}, {read}}) == Orders{{1, 2, 3}});
    CHECK(behind_owner(lock, {{write}, {read}, {read}, {write}}) == Orders{{1, 2, 3}, {2, 1, 3}});
    CHECK(behind_owner(lock, {{read}, {write}, {read}, {read}}) == Orders{{1, 2, 3}, {1, 3, 2}});
}

TEST_CASE("percpu-rwsem: without the second try, with waiters.lock, a wake-up is lost") {
    struct NoSecondTry : PercpuRwsemSteps {
        using PercpuRwsemSteps::PercpuRwsemSteps;
        unsigned resume(unsigned cpu, Registers& registers, Mode mode, std::uint32_t seen,
                        bool gave_up) const override {
            const bool locked = registers.pc == lock_take && seen == 0;
            const unsigned events = PercpuRwsemSteps::resume(cpu, registers, mode, seen, gave_up);
            if (locked) registers.pc = set_private;
            return events;
        }
    };
    ExploreOptions options;
    options.reduce = false;
    CHECK(explore(NoSecondTry(2), {{write}, {read}}, options).violation);
    CHECK(explore(NoSecondTry(2), {{write}, {write}}, options).violation);
}

TEST_CASE("mutex: mutual exclusion, no lost wake-up, no deadlock, in every state and under TSO") {
    const MutexSteps mutex;
    std::set<std::string_view> reached;
    for (const Rounds& rounds :
         {Rounds{{write}, {write}}, Rounds{{write, write}, {write, write}}, Rounds(3, {write})}) {
        const Exploration all = sound(mutex, rounds);
        reached.insert(all.reached.begin(), all.reached.end());
        if (rounds.size() == 2) sound(mutex, rounds, true);
    }
    for (const char* access : {"osq_pass", "set_handoff", "hand_over", "first_spin", "woken_take", "clear_flags"})
        CHECK_MESSAGE(reached.count(access) == 1, access);
}

TEST_CASE("rwsem: mutual exclusion, no lost wake-up, no deadlock, in every state and under TSO") {
    const RwsemSteps rwsem;
    std::set<std::string_view> reached;
    const std::vector<Rounds> all{
        {{write}, {write}},
        {{read}, {write}},
        {{read, write}, {write, read}},
        {{write, write}, {read, read}},
        {{write}, {write}, {write}},
        {{read}, {write}, {write}},
        {{read}, {read}, {write}},
        {{write}, {write}, {read}},
    };
    for (const Rounds& rounds : all) {
        const Exploration result = sound(rwsem, rounds);
        reached.insert(result.reached.begin(), result.reached.end());
        if (rounds.size() == 2) sound(rwsem, rounds, true);
    }
    for (const char* access : {"write_spin_take", "try_take", "mark_grant", "mark_handoff_set", "try_handoff_set",
                               "handoff_spin", "read_unlock_in", "mark_sub"})
        CHECK_MESSAGE(reached.count(access) == 1, access);
}

}  // namespace
}  // namespace forksim::oracle
