#include "tests/oracles/replay.hpp"

#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

namespace forksim::oracle {
namespace {

MachineOptions all_lines(MachineOptions options) {
    options.tracked = ~0U;
    return options;
}

}  // namespace

Replay::Replay(const Algorithm& algorithm, Rounds rounds, MachineOptions options)
    : machine_(algorithm, std::move(rounds), all_lines(options)), state_(machine_.start()) {}

bool Replay::move(Move move) {
    if (!machine_.enabled(state_, move)) return false;
    const Effect effect = machine_.apply(state_, move);
    if (effect.violation != nullptr) throw std::logic_error(std::string("broken: ") + effect.violation);
    if ((effect.events & acquired) != 0) order_.push_back(move.cpu);
    if (effect.transferred >= 0) ++transfers_[static_cast<unsigned>(effect.transferred)];
    return true;
}

bool Replay::steps(const std::vector<unsigned>& cpus) {
    for (const unsigned cpu : cpus) {
        if (!step(cpu)) return false;
    }
    return true;
}

bool Replay::run_to(unsigned cpu, std::string_view label) {
    while (at(cpu) != label) {
        if (!step(cpu)) return false;
    }
    return true;
}

bool Replay::run_until_waiting(unsigned cpu) {
    while (step(cpu)) {
    }
    return !machine_.done(state_, cpu);
}

bool Replay::finish_round(unsigned cpu) {
    const std::uint8_t round = state_.cpu[cpu].round;
    while (step(cpu)) {
        if (machine_.done(state_, cpu) || state_.cpu[cpu].round != round) return true;
    }
    return false;
}

std::string_view Replay::at(unsigned cpu) const {
    return machine_.done(state_, cpu) ? "done" : machine_.algorithm().label(state_.cpu[cpu].pc);
}

namespace {

Rounds modes(const std::vector<std::vector<TimedRound>>& script) {
    Rounds rounds(script.size());
    for (std::size_t cpu = 0; cpu < script.size(); ++cpu) {
        for (const TimedRound& round : script[cpu]) rounds[cpu].push_back(round.mode);
    }
    return rounds;
}

/// The clock around one Replay.
class Clock {
  public:
    Clock(const Algorithm& algorithm, const std::vector<std::vector<TimedRound>>& script, Time transfer,
          int first_owner)
        : script_(script), transfer_(transfer), replay_(algorithm, modes(script), {.first_owner = first_owner}) {
        for (unsigned cpu = 0; cpu < script.size(); ++cpu) issue_at_[cpu] = script[cpu][0].after;
    }

    TimedRun run() {
        while (const std::optional<unsigned> cpu = earliest()) execute(*cpu);
        if (!machine().all_done(replay_.state())) throw std::logic_error("nobody can go on");
        run_.order = replay_.order();
        for (unsigned line = 0; line < max_lines; ++line) run_.transfers[line] = replay_.transfers(line);
        return run_;
    }

  private:
    const Machine& machine() const { return replay_.machine(); }

    bool can_move(unsigned cpu) const {
        return machine().enabled(replay_.state(), {static_cast<std::uint8_t>(cpu), Move::execute});
    }

    std::optional<unsigned> earliest() const {
        std::optional<unsigned> best;
        for (unsigned cpu = 0; cpu < machine().cpus(); ++cpu) {
            if (can_move(cpu) && (!best || issue_at_[cpu] < issue_at_[*best])) best = cpu;
        }
        return best;
    }

    void execute(unsigned cpu) {
        const unsigned line = machine().line_of(machine().next(replay_.state(), cpu).address);
        const unsigned round = replay_.state().cpu[cpu].round;
        const unsigned before = replay_.transfers(line);
        const std::size_t granted = replay_.order().size();
        std::array<bool, max_cpus> waited{};
        for (unsigned other = 0; other < machine().cpus(); ++other) waited[other] = !can_move(other);

        replay_.step(cpu);
        Time end = later(issue_at_[cpu], free_at_[line]);
        if (replay_.transfers(line) != before) end += transfer_;
        free_at_[line] = end;
        run_.end = later(run_.end, end);
        if (replay_.order().size() != granted) run_.granted_at.push_back(end);
        for (unsigned other = 0; other < machine().cpus(); ++other) {
            if (other != cpu && waited[other] && can_move(other)) issue_at_[other] = later(issue_at_[other], end);
        }
        issue_at_[cpu] = end + pause(cpu, round);
    }

    /// How long the CPU computes before its next access.
    Time pause(unsigned cpu, unsigned round) const {
        const Registers& now = replay_.state().cpu[cpu];
        if (machine().done(replay_.state(), cpu)) return {};
        if (now.round != round) return script_[cpu][now.round - 1U].after;
        return machine().algorithm().begins_release(now.pc) ? script_[cpu][now.round - 1U].hold : Time{};
    }

    const std::vector<std::vector<TimedRound>>& script_;
    Time transfer_;
    Replay replay_;
    std::array<Time, max_cpus> issue_at_{};
    std::array<Time, max_lines> free_at_{};
    TimedRun run_;
};

}  // namespace

TimedRun replay_timed(const Algorithm& algorithm, const std::vector<std::vector<TimedRound>>& script, Time transfer,
                      int first_owner) {
    for (const auto& of_cpu : script) {
        if (of_cpu.empty()) throw std::invalid_argument("1 to 255 rounds per CPU");
    }
    if (script.size() > max_cpus) throw std::invalid_argument("1 to 4 CPUs");
    return Clock(algorithm, script, transfer, first_owner).run();
}

}  // namespace forksim::oracle
