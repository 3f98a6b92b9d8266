// The explorer itself: does it find what is broken, and does leaving out interleavings lose nothing?
#include <doctest/doctest.h>

#include <cstdint>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "tests/oracles/qrwlock_steps.hpp"
#include "tests/oracles/qspinlock_steps.hpp"
#include "tests/oracles/replay.hpp"
#include "tests/oracles/stepped.hpp"

namespace forksim::oracle {
namespace {

constexpr Mode write = Mode::exclusive;
constexpr Mode read = Mode::read;

/// Wait until byte 0 is clear, set it, clear it; with faults to choose from.
struct TestAndSet : Algorithm {
    bool atomic = true;           ///< set it by cmpxchg, not by a store
    bool releases = true;         ///< clear it in the end
    unsigned announcing = 0;      ///< bit c: CPU c counts as queued by a first access of its own
    bool no_barging = false;      ///< promised, not kept
    bool resets_forever = false;  ///< the waiter keeps changing a byte

    enum Pc : std::uint8_t { announce = 1, wait, set, clear, toggle };

    Layout layout(unsigned) const override { return {.bytes = 6, .resting_bytes = 1, .line_of = {0, 1, 1, 1, 1, 1}}; }
    std::uint8_t entry(Mode) const override { return announce; }
    bool begins_release(std::uint8_t pc) const override { return pc == clear; }
    bool promises_no_barging() const override { return no_barging; }
    std::string_view label(std::uint8_t pc) const override {
        return pc == announce ? "announce" : pc == wait ? "wait" : pc == set ? "set" : pc == clear ? "clear" : "toggle";
    }

    Access next(unsigned cpu, const Registers& registers) const override {
        switch (registers.pc) {
            case announce:
                return {.op = Op::store, .address = static_cast<std::uint8_t>(1 + cpu), .size = 1, .operand = 1};
            case wait:
                return {.op = resets_forever ? Op::load : Op::spin, .size = 1};
            case set:
                return {.op = atomic ? Op::cmpxchg : Op::store, .size = 1, .operand = 1};
            case toggle:
                return {.op = Op::store, .address = 5, .size = 1, .operand = 1};
            default:
                return {.op = Op::store, .size = 1, .operand = releases ? 0U : 1U};
        }
    }

    unsigned resume(unsigned cpu, Registers& registers, Mode, std::uint32_t seen, bool) const override {
        switch (registers.pc) {
            case announce:
                registers.pc = wait;
                return ((announcing >> cpu) & 1U) != 0 ? queued : nothing;
            case wait:
                registers.pc = seen == 0 ? set : toggle;
                return nothing;
            case toggle:
                registers.pc = wait;
                return nothing;
            case set:
                registers.pc = seen == 0 || !atomic ? clear : wait;
                return registers.pc == clear ? acquired : nothing;
            default:
                return released | finished;
        }
    }
};

/// Store-buffering litmus test as a lock: raise my flag, enter if the other's is down, lower mine.
struct FlagTrylock : Algorithm {
    Layout layout(unsigned) const override { return {.bytes = 2, .resting_bytes = 2, .line_of = {0, 0}}; }
    std::uint8_t entry(Mode) const override { return 1; }
    bool begins_release(std::uint8_t pc) const override { return pc == 3; }
    bool promises_no_barging() const override { return true; }
    std::string_view label(std::uint8_t pc) const override { return pc == 1 ? "raise" : pc == 2 ? "look" : "lower"; }

    Access next(unsigned cpu, const Registers& registers) const override {
        const auto address = static_cast<std::uint8_t>(registers.pc == 2 ? 1 - cpu : cpu);
        if (registers.pc == 2) return {.op = Op::load, .address = address, .size = 1};
        return {.op = Op::store, .address = address, .size = 1, .operand = registers.pc == 1 ? 1U : 0U};
    }

    unsigned resume(unsigned, Registers& registers, Mode, std::uint32_t seen, bool) const override {
        const std::uint8_t pc = registers.pc;
        registers.pc = static_cast<std::uint8_t>(pc + 1);
        if (pc == 1) return nothing;
        if (pc == 3) return registers.spare != 0 ? released | finished : +finished;
        registers.spare = seen == 0 ? 1 : 0;
        return seen == 0 ? acquired : nothing;
    }
};

std::string_view fault(const Algorithm& algorithm, const Rounds& rounds, ExploreOptions options = {}) {
    static Exploration last;
    last = explore(algorithm, rounds, options);
    return last.violation ? std::string_view{last.violation->what} : "none";
}

const Rounds two{{write}, {write}};

TEST_CASE("a lock set by a plain store breaks mutual exclusion, and the moves that show it can be replayed") {
    TestAndSet lock;
    CHECK(fault(lock, two) == "none");
    lock.atomic = false;
    const Exploration result = explore(lock, two);
    REQUIRE(result.violation);
    CHECK(result.violation->what == "mutual exclusion");

    Replay replay(lock, two);
    std::vector<Move> moves = result.violation->moves;
    const Move last = moves.back();
    moves.pop_back();
    for (const Move move : moves) CHECK(replay.move(move));
    CHECK_THROWS_AS(replay.move(last), std::logic_error);
}

TEST_CASE("a lock that is never released is a deadlock, or not at rest if nobody else wants it") {
    TestAndSet lock;
    lock.releases = false;
    CHECK(fault(lock, two) == "nobody can move (deadlock)");
    CHECK(fault(lock, {{write}}) == "the lock is not at rest after the last release");
}

TEST_CASE("waiting that keeps moving without end is a livelock") {
    TestAndSet lock;
    lock.resets_forever = true;
    CHECK(fault(lock, two) == "a state comes round again (livelock)");
}

TEST_CASE("grants out of the order of queueing are found, and so is barging where it is promised away") {
    TestAndSet lock;
    lock.announcing = 0b11;
    CHECK(fault(lock, two) == "queued later, granted before");
    lock.announcing = 0b01;
    CHECK(fault(lock, two) == "none");
    CHECK(explore(lock, two).barged);
    lock.no_barging = true;
    CHECK(fault(lock, two) == "a late arrival barged");
}

TEST_CASE("flags raised by plain stores exclude each other in sequential order and not under TSO") {
    const FlagTrylock lock;
    CHECK(fault(lock, two) == "none");
    CHECK(fault(lock, two, {.machine = {.store_buffers = true}}) == "mutual exclusion");
}

TEST_CASE("the kernel's spinlock with one access changed is found broken") {
    struct HeadIgnoresPending : Qspinlock {
        Access next(unsigned cpu, const Registers& registers) const override {
            Access access = Qspinlock::next(cpu, registers);
            if (registers.pc == QspinlockSteps::head_spin) access.mask = 0xff;
            return access;
        }
    };
    struct UnlockClearsAll : Qspinlock {
        Access next(unsigned cpu, const Registers& registers) const override {
            Access access = Qspinlock::next(cpu, registers);
            if (registers.pc == unlock) access.size = 4;
            return access;
        }
    };
    const Rounds three(3, {write});
    CHECK(fault(Qspinlock{}, three) == "none");
    CHECK(fault(HeadIgnoresPending{}, three) != "none");
    CHECK(fault(UnlockClearsAll{}, three) != "none");
}

TEST_CASE("leaving out interleavings nobody can tell apart loses no outcome") {
    const Qspinlock qspinlock;
    const Qrwlock qrwlock;
    const auto same = [](const Algorithm& algorithm, const Rounds& rounds, MachineOptions machine, unsigned line) {
        ExploreOptions options{.machine = machine, .line = line};
        const Exploration reduced = explore(algorithm, rounds, options);
        options.reduce = false;
        const Exploration full = explore(algorithm, rounds, options);
        REQUIRE_FALSE(full.violation);
        CHECK(reduced.outcomes() == full.outcomes());
        CHECK(reduced.barged == full.barged);
        CHECK(reduced.reached == full.reached);
        CHECK(reduced.states < full.states);
        MESSAGE(reduced.states, " of ", full.states, " states");
    };
    const Rounds three(3, {write});
    const Rounds four(4, {write});
    same(qspinlock, {{write, write}, {write, write}}, {}, 0);
    same(qspinlock, four, {}, 0);
    same(qspinlock, three, {}, 2);  // transfers of a node
    same(qspinlock, three, {.first_owner = 1}, 0);
    same(qspinlock, three, {.store_buffers = true}, 0);
    same(qrwlock, {{read}, {read}, {write}, {write}}, {}, 0);
    same(qrwlock, {{write, read}, {write, read}, {read}}, {}, 0);
}

TEST_CASE("a grant order names rounds and modes") {
    const std::vector<Grant> all = grants({1, 0, 1}, {{write}, {read, write}});
    CHECK(all == std::vector<Grant>{{1, 0, read}, {0, 0, write}, {1, 1, write}});
}

TEST_CASE("impossible machines are refused") {
    CHECK_THROWS_AS(explore(Qspinlock{}, {}), std::invalid_argument);
    CHECK_THROWS_AS(explore(Qspinlock{}, Rounds(5, {write})), std::invalid_argument);
    CHECK_THROWS_AS(explore(Qspinlock{}, {{write}, {}}), std::invalid_argument);
    CHECK_THROWS_AS(explore(Qspinlock{}, {{write}}, {.machine = {.first_owner = 1}}), std::invalid_argument);
}

}  // namespace
}  // namespace forksim::oracle
