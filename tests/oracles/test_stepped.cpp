// The kernel's queue spinlock and queued reader-writer lock, in every state that 1 to 4 CPUs can bring them into.
#include <doctest/doctest.h>

#include <cstdint>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/oracles/qrwlock_steps.hpp"
#include "tests/oracles/qspinlock_steps.hpp"
#include "tests/oracles/replay.hpp"
#include "tests/oracles/stepped.hpp"

namespace forksim::oracle {
namespace {

constexpr Mode write = Mode::exclusive;
constexpr Mode read = Mode::read;
constexpr Mode interrupt = Mode::interrupt_read;

const Qspinlock qspinlock;
const Qrwlock qrwlock;

using Counts = std::set<unsigned>;
using Orders = std::set<GrantOrder>;

Orders orders(const Exploration& exploration) {
    Orders all;
    for (const auto& [order, counts] : exploration.outcomes()) all.insert(order);
    return all;
}

/// Explores, checks that no invariant breaks, and says how large it was.
Exploration sound(const Algorithm& algorithm, const Rounds& rounds, ExploreOptions options = {}) {
    const Exploration result = explore(algorithm, rounds, options);
    REQUIRE_MESSAGE(!result.violation, result.violation->what);
    MESSAGE(rounds.size(), " CPUs, ", rounds[0].size(), " round(s) each",
            std::string(options.machine.store_buffers ? ", TSO: " : ": "), result.states, " states, ",
            result.transitions, " transitions, ", result.outcomes().size(), " orders");
    return result;
}

constexpr ExploreOptions with_store_buffers{.machine = {.store_buffers = true}};

TEST_CASE("qspinlock: one CPU takes the fast path and fetches the line once, or never if it owns it") {
    const Exploration cold = sound(qspinlock, {{write}});
    CHECK(cold.states == 3);  // free, held, done
    CHECK(cold.reached == std::set<std::string_view>{"lock_cmpxchg", "unlock"});
    CHECK(cold.transfers({0}) == Counts{1});

    const Exploration warm = sound(qspinlock, {{write}}, {.machine = {.first_owner = 0}});
    CHECK(warm.transfers({0}) == Counts{0});
}

TEST_CASE("qspinlock: two CPUs hand over through the pending bit and never touch a node") {
    const Exploration result = sound(qspinlock, {{write}, {write}});
    CHECK(result.reached.count("clear_pending_set_locked") == 1);
    CHECK(result.reached.count("node_count_up") == 0);
    CHECK(result.reached.count("xchg_tail") == 0);
    // One after the other: one fetch each. Contended: both cmpxchg (2); the unlock lies before the pending bit is set,
    // which fetches the line back and need not read again (unlock, bts: 4); or after it (unlock, read, claim: 5).
    CHECK(result.transfers({0, 1}) == Counts{2, 4, 5});
    CHECK(result.transfers({1, 0}) == Counts{2, 4, 5});
    CHECK(result.reachable({0, 1}, 4));
    CHECK_FALSE(result.reachable({0, 1}, 3));
    CHECK_FALSE(result.reachable({0, 0}));
    CHECK(result.transfer_range({0, 1}) == std::pair{2U, 5U});
}

TEST_CASE("qspinlock: a second CPU queues only when its bounded wait for a hand-over in progress ends") {
    const Rounds rounds{{write, write}, {write}};
    CHECK(sound(qspinlock, rounds).reached.count("xchg_tail") == 1);
    CHECK(sound(qspinlock, rounds, {.machine = {.spins_give_up = false}}).reached.count("xchg_tail") == 0);
}

TEST_CASE("qspinlock: the third CPU queues behind the owner and the pending one, the fourth behind it") {
    Replay replay(qspinlock, {{write}, {write}, {write}, {write}});
    REQUIRE(replay.run_to(0, "unlock"));
    REQUIRE(replay.run_until_waiting(1));
    REQUIRE(replay.run_until_waiting(2));
    REQUIRE(replay.run_until_waiting(3));
    CHECK(replay.at(1) == "pending_spin");
    CHECK(replay.at(2) == "head_spin");
    CHECK(replay.at(3) == "node_spin");
    // tail = CPU 3 (encoded as 4 << 18), pending, locked
    CHECK(word(replay.state(), 0, 4) == ((4U << 18) | 0x101U));

    CHECK(replay.step(0));
    CHECK(replay.finish_round(1));
    CHECK(replay.run_to(2, "unlock"));
    CHECK(word(replay.state(), 0, 4) == ((4U << 18) | 1U));
    CHECK(replay.run_until_waiting(3));
    CHECK(replay.at(3) == "head_spin");
    CHECK(replay.step(2));
    CHECK(replay.run_to(3, "unlock"));
    CHECK(word(replay.state(), 0, 4) == 1U);  // the last in the queue clears the tail with its claim
    CHECK(replay.step(3));
    CHECK(replay.order() == GrantOrder{0, 1, 2, 3});
}

TEST_CASE("qspinlock: mutual exclusion, order of queueing, no barging, no deadlock, in every state and under TSO") {
    const Rounds three_twice(3, {write, write});
    const Rounds four_once(4, {write});
    for (const ExploreOptions& options : {ExploreOptions{}, with_store_buffers}) {
        const Exploration three = sound(qspinlock, three_twice, options);
        CHECK_FALSE(three.barged);
        CHECK(three.outcomes().size() == 90);  // 6! / 2!^3: any order can come about
        const Exploration four = sound(qspinlock, four_once, options);
        CHECK_FALSE(four.barged);
        CHECK(four.outcomes().size() == 24);
        CHECK(four.transfer_range({3, 1, 0, 2})->first == 4);  // never in each other's way: one fetch each
        for (const char* access : {"undo_pending", "claim_cmpxchg", "set_locked", "next_spin", "trylock_cmpxchg"}) {
            CHECK_MESSAGE(four.reached.count(access) == 1, access);
        }
    }
}

TEST_CASE("qspinlock: with the tail set, neither a new CPU nor the old owner gets in before the queue") {
    const Rounds rounds{{write, write}, {write}, {write}, {write}};
    Replay replay(qspinlock, rounds);
    REQUIRE(replay.run_to(0, "unlock"));
    REQUIRE(replay.run_until_waiting(1));
    REQUIRE(replay.run_until_waiting(2));
    const Exploration rest = explore(qspinlock, rounds, replay.state());
    REQUIRE_FALSE(rest.violation);
    // CPU 1 is pending and 2 queued; 0 and 3 come when they like.
    CHECK(orders(rest) == Orders{{1, 2, 0, 3}, {1, 2, 3, 0}});
}

TEST_CASE("qspinlock: with the machine's clock at 50 ns per transfer, three CPUs are granted as computed by hand") {
    const auto ns = [](std::int64_t n) { return Time::from_ns(n); };
    // 0: cmpxchg 0-50, holds to 1050, its unlock fetches the line 1050-1100.
    // 1: cmpxchg 200-250 fails, sets pending; reads again 1100-1150, claims (upgrade) 1150-1200; unlock at 1230, own
    // line.
    const TimedRun two = replay_timed(qspinlock, {{{ns(0), ns(1000)}}, {{ns(200), ns(30)}}}, ns(50));
    CHECK(two.order == GrantOrder{0, 1});
    CHECK(two.granted_at == std::vector{ns(50), ns(1200)});
    CHECK(two.end == ns(1230));
    CHECK(two.transfers[0] == 5);

    // 2 arrives at 300: cmpxchg 300-350; node 350-400, while 1 reads again 350-400; tail swap (upgrade) 400-450; 1
    // reads again 450-500. After 0's unlock (1050-1100) both read, 1 at 1100-1150 and 2 at 1150-1200, so 1 claims
    // 1200-1250; 2 reads 1250-1300, so 1's unlock at 1280 is an upgrade 1300-1350; 2 reads 1350-1400, claims 1400-1450.
    const TimedRun three =
        replay_timed(qspinlock, {{{ns(0), ns(1000)}}, {{ns(200), ns(30)}}, {{ns(300), ns(10)}}}, ns(50));
    CHECK(three.order == GrantOrder{0, 1, 2});
    CHECK(three.granted_at == std::vector{ns(50), ns(1250), ns(1450)});
    CHECK(three.end == ns(1460));
    CHECK(three.transfers[0] == 14);
    CHECK(three.transfers[3] == 1);  // its node, cold
}

TEST_CASE("qrwlock: two readers share; their two additions and two subtractions fetch the line 2 to 4 times") {
    Replay replay(qrwlock, {{read}, {read}});
    REQUIRE(replay.steps({0, 1}));
    CHECK(replay.state().holders == 0b11);
    CHECK(word(replay.state(), 0, 4) == 2 * 0x200);

    const Exploration result = sound(qrwlock, {{read}, {read}});
    CHECK(result.transfers({0, 1}) == Counts{2, 3, 4});  // 0011, 0110, 0101
    CHECK(result.reached == std::set<std::string_view>{"read_add", "read_unlock"});
}

TEST_CASE("qrwlock: a writer behind a writer waits as WAITING and takes five transfers") {
    const auto ns = [](std::int64_t n) { return Time::from_ns(n); };
    // 1: cmpxchg 200-250 fails; wait_lock and WAITING on the same line, now its own. 0 unlocks 1050-1100; 1 reads
    // 1100-1150 and claims (upgrade) 1150-1200.
    const TimedRun run = replay_timed(qrwlock, {{{ns(0), ns(1000)}}, {{ns(200), ns(30)}}}, ns(50));
    CHECK(run.granted_at == std::vector{ns(50), ns(1200)});
    CHECK(run.transfers[0] == 5);
}

TEST_CASE("qrwlock: once WAITING is set new readers wait for the writer, but readers in interrupts pass") {
    const auto after_reader_and_writer = [](Mode third, std::string_view writer_at) {
        const Rounds rounds{{read}, {write}, {third}};
        Replay replay(qrwlock, rounds);
        REQUIRE(replay.run_to(0, "read_unlock"));
        REQUIRE(replay.run_to(1, writer_at));
        const Exploration rest = explore(qrwlock, rounds, replay.state());
        REQUIRE_FALSE(rest.violation);
        return orders(rest);
    };
    const Orders either{{1, 2}, {2, 1}};
    CHECK(after_reader_and_writer(read, "write_spin") == Orders{{1, 2}});
    CHECK(after_reader_and_writer(interrupt, "write_spin") == either);
    CHECK(after_reader_and_writer(read, "write_set_waiting") == either);
}

TEST_CASE("qrwlock: consecutive queued readers hold together, and the writer behind them waits for all") {
    const Rounds rounds{{write}, {read}, {read}, {write}};
    Replay replay(qrwlock, rounds);
    REQUIRE(replay.run_to(0, "write_unlock"));
    REQUIRE(replay.run_until_waiting(1));
    REQUIRE(replay.run_until_waiting(2));
    REQUIRE(replay.run_until_waiting(3));
    CHECK(replay.at(1) == "read_spin");     // has wait_lock
    CHECK(replay.at(2) == "pending_spin");  // of wait_lock
    CHECK(replay.at(3) == "head_spin");     // of wait_lock

    const Exploration rest = explore(qrwlock, rounds, replay.state());
    REQUIRE_FALSE(rest.violation);
    CHECK(orders(rest) == Orders{{1, 2, 3}});

    CHECK(replay.step(0));
    CHECK(replay.run_to(1, "read_unlock"));
    CHECK(replay.run_to(2, "read_unlock"));
    CHECK(replay.state().holders == 0b0110);
    CHECK(replay.run_until_waiting(3));
    CHECK(replay.at(3) == "write_spin");
    CHECK(replay.step(1));
    CHECK_FALSE(replay.run_to(3, "write_unlock"));
    CHECK(replay.step(2));
    CHECK(replay.finish_round(3));
    CHECK(replay.order() == GrantOrder{0, 1, 2, 3});
}

TEST_CASE("qrwlock: mutual exclusion, order of queueing, no deadlock, in every state and under TSO") {
    const std::vector<Rounds> all{
        {{write}, {write}, {write}},
        {{read}, {write}, {write}},
        {{interrupt}, {write}, {read}},
        {{read}, {read}, {write}, {write}},
        {{read}, {write}, {write}, {write}},
        {{interrupt}, {read}, {write}, {write}},
        {{read, write}, {write, read}, {write, write}},
    };
    for (const Rounds& rounds : all) {
        for (const ExploreOptions& options : {ExploreOptions{}, with_store_buffers}) {
            const Exploration result = sound(qrwlock, rounds, options);
            CHECK(result.outcomes().size() == (rounds[0].size() == 2 ? 90U : rounds.size() == 4 ? 24U : 6U));
            CHECK(result.barged);  // newcomers while the queue's head has not yet set WAITING
        }
    }
}

TEST_CASE("every timed run is among the reachable outcomes") {
    const Rounds spinning(3, {write, write});
    const Rounds sharing{{read, write}, {write, read}, {read, read}};
    std::mt19937 random(1);
    const auto up_to = [&random](unsigned n) { return Time::from_ns(random() % n); };
    for (const auto& [algorithm, rounds] :
         {std::pair<const Algorithm*, Rounds>{&qspinlock, spinning}, {&qrwlock, sharing}}) {
        const Exploration all = sound(*algorithm, rounds);
        std::set<std::pair<GrantOrder, unsigned>> different;
        for (int i = 0; i < 300; ++i) {
            std::vector<std::vector<TimedRound>> script(rounds.size());
            for (std::size_t cpu = 0; cpu < rounds.size(); ++cpu) {
                for (const Mode mode : rounds[cpu]) {
                    const Time after = up_to(1000);
                    script[cpu].push_back({after, up_to(400), mode});
                }
            }
            const TimedRun run = replay_timed(*algorithm, script, Time::from_ns(50));
            CHECK(run.order.size() == 6);
            CHECK(all.reachable(run.order, run.transfers[0]));
            different.emplace(run.order, run.transfers[0]);
        }
        CHECK(different.size() > 50);
    }
}

}  // namespace
}  // namespace forksim::oracle
