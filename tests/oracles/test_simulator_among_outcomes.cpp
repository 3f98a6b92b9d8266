// The simulator's lock models against the kernel's algorithms, executed one access at a time: in which order the
// lock is granted and how often its line moves must be something that can happen.
#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "tests/oracles/qrwlock_steps.hpp"
#include "tests/oracles/qspinlock_steps.hpp"
#include "tests/oracles/replay.hpp"
#include "tests/oracles/stepped.hpp"
#include "tests/support/build_program.hpp"

namespace forksim::test {
namespace {

using oracle::Exploration;
using oracle::GrantOrder;
using oracle::Mode;
using oracle::Rounds;

constexpr Mode write = Mode::exclusive;
constexpr Mode read = Mode::read;
constexpr Mode interrupt = Mode::interrupt_read;

/// What one CPU does in one round: `after` the end of the one before, for so long.
struct Visit {
    Time after;
    Time hold;
    Mode mode;
};
using Script = std::vector<std::vector<Visit>>;  // [cpu][round]

struct Simulated {
    GrantOrder order;
    unsigned transfers = 0;
    unsigned first = 0;  ///< the CPU that touched the word first, for free
};

/// Interrupt rounds are softirqs that another CPU, which never touches the lock, raises on their CPU.
Simulated simulate(const Script& script, LockKind kind, Topology topology, std::uint64_t stream) {
    const auto cpus = static_cast<Cpu>(script.size());
    KernelBuilder b(std::move(topology));
    b.config.tie_break = TieBreak::random;
    const auto lock = b.lock(kind, "lock");
    std::vector<Cpu> cpu_of;  // of the tasks, in their order
    for (Cpu cpu = 0; cpu < cpus; ++cpu) {
        Steps steps = b.steps();
        for (const Visit& visit : script[cpu]) {
            steps.work(visit.after);
            if (visit.mode == interrupt) {
                steps.raise(cpu, b.place(b.read(lock, visit.hold).end()));
            } else if (kind == LockKind::rwlock) {
                steps.then(visit.mode == read ? b.read(lock, visit.hold) : b.write(lock, visit.hold));
            } else {
                steps.then(b.hold(lock, visit.hold));
            }
        }
        const bool raises = script[cpu].front().mode == interrupt;
        b.task(steps, raises ? cpus : cpu);
        cpu_of.push_back(cpu);
    }
    const KernelRun run = run_kernel(b, stream);
    Simulated result;
    Time first_try = Time::never();
    for (const Taken& grant : run.grants) {
        const Cpu cpu = grant.who < b.topology.cpu_count() ? grant.who : cpu_of[grant.who - b.topology.cpu_count()];
        result.order.push_back(cpu);
        if (grant.since < first_try) {
            first_try = grant.since;
            result.first = cpu;
        }
    }
    result.transfers = static_cast<unsigned>(run.word_transfers[lock]);
    return result;
}

/// Explorations are kept: many scripts share one.
class Oracle {
  public:
    explicit Oracle(const oracle::Algorithm& algorithm) : algorithm_(algorithm) {}

    const Exploration& of(const Rounds& rounds, unsigned first_owner) {
        auto found = known_.find({rounds, first_owner});
        if (found == known_.end()) {
            oracle::ExploreOptions options;
            options.machine.first_owner = static_cast<int>(first_owner);
            found = known_.emplace(std::pair{rounds, first_owner}, oracle::explore(algorithm_, rounds, options)).first;
            REQUIRE(!found->second.violation);
        }
        return found->second;
    }

  private:
    const oracle::Algorithm& algorithm_;
    std::map<std::pair<Rounds, unsigned>, Exploration> known_;
};

std::string text_of(const Script& script, const Simulated& simulated) {
    std::string text;
    for (std::size_t cpu = 0; cpu < script.size(); ++cpu) {
        text += "CPU " + std::to_string(cpu) + ":";
        for (const Visit& visit : script[cpu])
            text += (visit.mode == write  ? " w "
                     : visit.mode == read ? " r "
                                          : " i ") +
                    std::to_string(visit.after.ps) + " ps, hold " + std::to_string(visit.hold.ps) + ";";
        text += "  ";
    }
    text += "order";
    for (const unsigned cpu : simulated.order) text += " " + std::to_string(cpu);
    return text + ", " + std::to_string(simulated.transfers) + " transfers, first " + std::to_string(simulated.first);
}

Rounds rounds_of(const Script& script) {
    Rounds rounds;
    for (const auto& visits : script) {
        rounds.emplace_back();
        for (const Visit& visit : visits) rounds.back().push_back(visit.mode);
    }
    return rounds;
}

/// Runs `count` scripts with arrivals spread over `spread` and sections up to `hold`, and counts those whose order, or
/// whose number of transfers, cannot happen.
struct Tally {
    int scripts = 0;
    int impossible_order = 0;
    int impossible_transfers = 0;
    std::string example;
};
Tally compare(Oracle& oracle, LockKind kind, const std::vector<std::vector<Mode>>& modes, const Topology& topology,
              int count, std::int64_t spread, std::int64_t hold, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    const auto up_to = [&](std::int64_t most) {
        return Time{static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(most + 1))};
    };
    Tally tally;
    for (int i = 0; i < count; ++i) {
        Script script;
        for (const auto& cpu_modes : modes) {
            script.emplace_back();
            for (const Mode mode : cpu_modes) {
                const Time after = up_to(spread);
                script.back().push_back({after + 1_ps, up_to(hold), mode});
            }
        }
        const Simulated simulated = simulate(script, kind, topology, seed + static_cast<std::uint64_t>(i));
        const Exploration& all = oracle.of(rounds_of(script), simulated.first);
        ++tally.scripts;
        const bool order = all.reachable(simulated.order);
        const bool both = order && all.reachable(simulated.order, simulated.transfers);
        tally.impossible_order += order ? 0 : 1;
        tally.impossible_transfers += order && !both ? 1 : 0;
        if (!both && tally.example.empty()) {
            tally.example = text_of(script, simulated) + "; possible with this order:";
            for (const unsigned n : all.transfers(simulated.order)) tally.example += " " + std::to_string(n);
        }
    }
    return tally;
}

void check_all(const oracle::Algorithm& algorithm, LockKind kind, const std::vector<std::vector<Mode>>& modes,
               int count) {
    Oracle oracle(algorithm);
    // One CPU more than the oracle's for the interrupts. Far ones make accesses overtake each other.
    const auto cpus = static_cast<Cpu>(modes.size() + 1);
    const std::vector<Topology> topologies{uniform(cpus, 50_ns), two_sockets((cpus + 1) / 2, 40_ns, 130_ns)};
    std::uint64_t seed = 1;
    for (const Topology& topology : topologies) {
        for (const std::int64_t spread : {(100_ns).ps, (400_ns).ps, (2000_ns).ps}) {
            for (const std::int64_t hold : {(0_ns).ps, (60_ns).ps, (600_ns).ps}) {
                const Tally tally = compare(oracle, kind, modes, topology, count, spread, hold, seed);
                seed += 1'000'000;
                INFO(topology.name, ", arrivals within ", spread, " ps, sections up to ", hold, " ps: ", tally.example);
                CHECK(tally.impossible_order == 0);
                CHECK(tally.impossible_transfers == 0);
            }
        }
    }
}

/// Arrivals so far apart, and sections so long, that no two accesses overlap: then there is one outcome only.
/// Returns the number of scripts in which the simulator has another.
int compare_quiet(const oracle::Algorithm& algorithm, LockKind kind, const std::vector<std::vector<Mode>>& modes,
                  int count, std::string& example) {
    std::mt19937_64 random(modes.size());
    int different = 0;
    for (int i = 0; i < count; ++i) {
        // A place in time of its own, 1 us wide, for each arrival and each release.
        std::vector<std::int64_t> places(8);
        for (std::size_t place = 0; place < places.size(); ++place) places[place] = static_cast<std::int64_t>(place);
        std::shuffle(places.begin(), places.end(), random);
        Script script;
        std::vector<std::vector<oracle::TimedRound>> timed;
        for (std::size_t cpu = 0; cpu < modes.size(); ++cpu) {
            script.emplace_back();
            timed.emplace_back();
            for (std::size_t round = 0; round < modes[cpu].size(); ++round) {
                const Time after = places[cpu] * 1000_ns + 1_ps;
                const Time hold = 2500_ns + places[4 + cpu] * 1000_ns + static_cast<std::int64_t>(cpu) * 130_ns;
                script.back().push_back({after, hold, modes[cpu][round]});
                timed.back().push_back({after, hold, modes[cpu][round]});
            }
        }
        const Simulated simulated =
            simulate(script, kind, uniform(static_cast<Cpu>(modes.size() + 1), 10_ns), static_cast<std::uint64_t>(i));
        const oracle::TimedRun stepped =
            oracle::replay_timed(algorithm, timed, 10_ns, static_cast<int>(simulated.first));
        if (stepped.order == simulated.order && stepped.transfers[0] == simulated.transfers) continue;
        ++different;
        if (!example.empty()) continue;
        example = text_of(script, simulated) + "; stepped: order";
        for (const unsigned cpu : stepped.order) example += " " + std::to_string(cpu);
        example += ", " + std::to_string(stepped.transfers[0]) + " transfers";
    }
    return different;
}

const oracle::Qspinlock qspinlock;
const oracle::Qrwlock qrwlock;

TEST_CASE("spinlock: where accesses do not overlap, order and transfers are the one possible outcome") {
    const std::vector<std::vector<std::vector<Mode>>> all{
        {{write}, {write}}, {{write}, {write}, {write}}, {{write}, {write}, {write}, {write}}};
    for (const auto& modes : all) {
        std::string example;
        CHECK(compare_quiet(qspinlock, LockKind::spinlock, modes, 300, example) == 0);
        INFO(modes.size(), " CPUs: ", example);
        CHECK(example == "");
    }
}
TEST_CASE("rwlock: where accesses do not overlap, order and transfers of two CPUs are the one possible outcome") {
    // With three there is always a poller's read on the same picosecond as the next access of who disturbed it.
    for (unsigned pattern = 0; pattern < 4; ++pattern) {
        const std::vector<std::vector<Mode>> modes{{(pattern & 1) != 0 ? read : write},
                                                   {(pattern & 2) != 0 ? read : write}};
        std::string example;
        CHECK(compare_quiet(qrwlock, LockKind::rwlock, modes, 100, example) == 0);
        INFO("pattern ", pattern, ": ", example);
        CHECK(example == "");
    }
}

TEST_CASE("spinlock, two CPUs: order and transfers are possible") {
    check_all(qspinlock, LockKind::spinlock, {{write}, {write}}, 200);
    check_all(qspinlock, LockKind::spinlock, {{write, write}, {write}}, 200);
    check_all(qspinlock, LockKind::spinlock, {{write, write}, {write, write}}, 200);
}
TEST_CASE("spinlock, three CPUs: order and transfers are possible") {
    check_all(qspinlock, LockKind::spinlock, {{write}, {write}, {write}}, 200);
    check_all(qspinlock, LockKind::spinlock, {{write, write}, {write, write}, {write, write}}, 300);
}
TEST_CASE("spinlock, four CPUs: order and transfers are possible") {
    check_all(qspinlock, LockKind::spinlock, {{write}, {write}, {write}, {write}}, 300);
    check_all(qspinlock, LockKind::spinlock, {{write, write}, {write}, {write}, {write}}, 100);
}

TEST_CASE("rwlock, two CPUs: order and transfers are possible") {
    for (const Mode a : {read, write, interrupt}) {
        for (const Mode c : {read, write}) {
            check_all(qrwlock, LockKind::rwlock, {{a}, {c}}, 60);
            check_all(qrwlock, LockKind::rwlock, {{a, a}, {c, c}}, 60);
        }
    }
}
TEST_CASE("rwlock, three CPUs: order and transfers are possible") {
    check_all(qrwlock, LockKind::rwlock, {{write}, {write}, {write}}, 100);
    check_all(qrwlock, LockKind::rwlock, {{read}, {write}, {read}}, 100);
    check_all(qrwlock, LockKind::rwlock, {{read}, {write}, {interrupt}}, 100);
    check_all(qrwlock, LockKind::rwlock, {{write}, {write}, {interrupt}}, 100);
    check_all(qrwlock, LockKind::rwlock, {{read, write}, {write, read}, {read}}, 100);
}
TEST_CASE("rwlock, four CPUs: order and transfers are possible") {
    check_all(qrwlock, LockKind::rwlock, {{read}, {write}, {read}, {write}}, 100);
}

}  // namespace
}  // namespace forksim::test
