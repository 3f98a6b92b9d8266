#include "tests/oracles/stepped.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <numeric>
#include <stdexcept>

#include "tests/oracles/outcome_sets.hpp"
#include "tests/oracles/state_table.hpp"

namespace forksim::oracle {
namespace {

MachineOptions tracking(const ExploreOptions& options) {
    MachineOptions machine = options.machine;
    machine.tracked = 1U << options.line;
    return machine;
}

GrantOrder decode(OutcomeSets::Order packed) {
    GrantOrder order;
    for (; packed != OutcomeSets::no_grants; packed >>= 2) order.push_back(packed & 3U);
    return order;
}

}  // namespace

/// Depth-first over the states. They form a graph without cycles (a cycle is reported), so what can happen from a state
/// on is known when all its moves are, and each state is computed once.
class Explorer {
  public:
    Explorer(const Algorithm& algorithm, const Rounds& rounds, const ExploreOptions& options)
        : machine_(algorithm, rounds, tracking(options)), options_(options) {}

    Exploration run(State from) {
        for (unsigned line = 0; line < max_lines; ++line) {
            if (line != options_.line) from.line[line] = 0;
        }
        classify(from);
        const OutcomeSets::Id all = visit(from);
        result_.states = table_.size();
        for (std::size_t pc = 1; pc < executed_.size(); ++pc) {
            if (executed_[pc]) result_.reached.insert(machine_.algorithm().label(static_cast<std::uint8_t>(pc)));
        }
        if (!result_.violation) publish(all);
        return std::move(result_);
    }

    State start() const { return machine_.start(); }

  private:
    static constexpr std::uint32_t in_progress = ~std::uint32_t{0};

    /// CPUs that have not moved and want the same are interchangeable, unless the counted line is one CPU's own;
    /// class_[c] is the first such CPU.
    void classify(const State& from) {
        for (unsigned cpu = 0; cpu < machine_.cpus(); ++cpu) {
            class_[cpu] = cpu;
            for (unsigned other = cpu; options_.reduce && options_.line == 0 && other-- > 0;) {
                if (anonymous(from, cpu) && anonymous(from, other) &&
                    machine_.rounds()[cpu] == machine_.rounds()[other]) {
                    class_[cpu] = other;
                    previous_[cpu] = static_cast<int>(other);
                    break;
                }
            }
        }
        for (unsigned cpu = 0; cpu < machine_.cpus(); ++cpu) class_[cpu] = class_[class_[cpu]];
    }

    bool anonymous(const State& state, unsigned cpu) const {
        return ((state.started >> cpu) & 1U) == 0 && ((state.line[options_.line] >> cpu) & 1U) == 0;
    }

    Fingerprint key(const State& state) const {
        return fingerprint(&state, options_.machine.store_buffers ? sizeof state : offsetof(State, buffer));
    }

    /// What can happen from `state` on.
    OutcomeSets::Id visit(const State& state) {
        const Fingerprint name = key(state);
        const StateTable::Found found = table_.find_or_add(name);
        if (found.known) {
            if (*found.number == in_progress) violate("a state comes round again (livelock)");
            return *found.number == in_progress ? OutcomeSets::none : *found.number;
        }
        *found.number = in_progress;
        OutcomeSets::Id all = OutcomeSets::none;
        if (machine_.all_done(state)) {
            all = OutcomeSets::finished;
        } else if (const int cpu = options_.reduce ? unseen_move(state) : -1; cpu >= 0) {
            all = take(state, {static_cast<std::uint8_t>(cpu), Move::execute});
        } else {
            all = take_each(state);
        }
        *table_.find_or_add(name).number = all;
        return all;
    }

    OutcomeSets::Id take_each(const State& state) {
        OutcomeSets::Id all = OutcomeSets::none;
        bool moved = false;
        for (unsigned cpu = 0; cpu < machine_.cpus(); ++cpu) {
            for (const Move::What what : {Move::execute, Move::give_up, Move::drain}) {
                const Move move{static_cast<std::uint8_t>(cpu), what};
                if (result_.violation) return all;
                if (!machine_.enabled(state, move)) continue;
                moved = true;
                if (out_of_turn(state, cpu)) continue;
                all = sets_.join(all, take(state, move));
            }
        }
        if (!moved) violate("nobody can move (deadlock)");
        return all;
    }

    OutcomeSets::Id take(const State& state, Move move) {
        if (move.what != Move::drain) executed_[state.cpu[move.cpu].pc] = true;
        State after = state;
        path_.push_back(move);
        const Effect effect = machine_.apply(after, move);
        ++result_.transitions;
        result_.barged = result_.barged || effect.barged;
        if (effect.violation != nullptr) violate(effect.violation);
        OutcomeSets::Id all = OutcomeSets::none;
        if (!result_.violation) {
            const int granted = (effect.events & acquired) != 0 ? move.cpu : -1;
            all = sets_.before(visit(after), granted, effect.transferred >= 0);
        }
        path_.pop_back();
        return all;
    }

    /// A CPU whose next access nobody else can see, so that taking it first loses nothing; or -1.
    int unseen_move(const State& state) const {
        for (unsigned cpu = 0; cpu < machine_.cpus(); ++cpu) {
            if (machine_.done(state, cpu) || ((state.started >> cpu) & 1U) == 0) continue;
            const Access access = machine_.next(state, cpu);
            if (!access.local || machine_.line_of(access.address) == options_.line) continue;
            if (machine_.enabled(state, {static_cast<std::uint8_t>(cpu), Move::execute})) return static_cast<int>(cpu);
        }
        return -1;
    }

    /// Interchangeable CPUs make their first moves in ascending order.
    bool out_of_turn(const State& state, unsigned cpu) const {
        return ((state.started >> cpu) & 1U) == 0 && previous_[cpu] >= 0 &&
               ((state.started >> previous_[cpu]) & 1U) == 0;
    }

    void violate(const char* what) {
        if (!result_.violation) result_.violation = Violation{what, path_};
    }

    /// Adds each outcome under every renaming of interchangeable CPUs.
    void publish(OutcomeSets::Id all) {
        std::vector<unsigned> name(machine_.cpus());
        std::iota(name.begin(), name.end(), 0U);
        do {
            bool renames = true;
            for (unsigned cpu = 0; cpu < name.size(); ++cpu) renames = renames && class_[name[cpu]] == class_[cpu];
            if (!renames) continue;
            for (const auto& entry : sets_.entries(all)) {
                GrantOrder order = decode(entry.order);
                for (unsigned& cpu : order) cpu = name[cpu];
                auto& counts = result_.counts_[order];
                for (unsigned n = 0; n <= OutcomeSets::max_transfers; ++n) {
                    if (((entry.counts[n / 64] >> (n % 64)) & 1U) != 0) counts.insert(n);
                }
            }
        } while (std::next_permutation(name.begin(), name.end()));
    }

    Machine machine_;
    ExploreOptions options_;
    Exploration result_;
    StateTable table_;
    OutcomeSets sets_;
    std::vector<Move> path_;
    std::array<bool, 256> executed_{};
    std::array<unsigned, max_cpus> class_{};
    std::array<int, max_cpus> previous_{-1, -1, -1, -1};
};

Exploration explore(const Algorithm& algorithm, const Rounds& rounds, const ExploreOptions& options) {
    Explorer explorer(algorithm, rounds, options);
    return explorer.run(explorer.start());
}

Exploration explore(const Algorithm& algorithm, const Rounds& rounds, const State& from,
                    const ExploreOptions& options) {
    return Explorer(algorithm, rounds, options).run(from);
}

bool Exploration::reachable(const GrantOrder& order, unsigned transfers) const {
    const auto it = counts_.find(order);
    return it != counts_.end() && it->second.count(transfers) != 0;
}

std::set<unsigned> Exploration::transfers(const GrantOrder& order) const {
    const auto it = counts_.find(order);
    return it == counts_.end() ? std::set<unsigned>{} : it->second;
}

std::optional<std::pair<unsigned, unsigned>> Exploration::transfer_range(const GrantOrder& order) const {
    const auto it = counts_.find(order);
    if (it == counts_.end()) return std::nullopt;
    return std::pair{*it->second.begin(), *it->second.rbegin()};
}

std::vector<Grant> grants(const GrantOrder& order, const Rounds& rounds) {
    std::vector<unsigned> seen(rounds.size(), 0);
    std::vector<Grant> all;
    for (const unsigned cpu : order) {
        const unsigned round = seen.at(cpu)++;
        all.push_back({cpu, round, rounds[cpu].at(round)});
    }
    return all;
}

}  // namespace forksim::oracle
