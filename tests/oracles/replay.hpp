#pragma once
#include <array>
#include <string_view>
#include <vector>

#include "sim/time.hpp"
#include "tests/oracles/machine.hpp"
#include "tests/oracles/stepped.hpp"

namespace forksim::oracle {

/// One interleaving, written by hand move by move. All lines are tracked, whatever the options say.
class Replay {
  public:
    /// `algorithm` must outlive it. Throws as Machine does.
    Replay(const Algorithm& algorithm, Rounds rounds, MachineOptions options = {});

    Replay(const Algorithm&&, Rounds, MachineOptions = {}) = delete;

    /// Makes one move. False, and nothing happens, if it would change nothing: the CPU waits, or is done.
    /// Throws std::logic_error if it breaks an invariant.
    bool move(Move move);

    /// The CPU's next access.
    bool step(unsigned cpu) { return move({static_cast<std::uint8_t>(cpu), Move::execute}); }

    /// Each entry is a CPU that makes its next access. False as soon as one of them cannot.
    bool steps(const std::vector<unsigned>& cpus);

    /// Goes on with one CPU until its next access is the one called `label`. False if it has to wait or is done before.
    bool run_to(unsigned cpu, std::string_view label);

    /// Goes on with one CPU until it has to wait; false if it did not have to, and is done with all rounds.
    bool run_until_waiting(unsigned cpu);

    /// Goes on with one CPU to the end of its round, at least one access. False if it has to wait before.
    bool finish_round(unsigned cpu);

    /// The CPU's next access by name; "done" after its last round.
    std::string_view at(unsigned cpu) const;

    const State& state() const { return state_; }
    const Machine& machine() const { return machine_; }
    const GrantOrder& order() const { return order_; }
    unsigned transfers(unsigned line) const { return transfers_[line]; }

  private:
    Machine machine_;
    State state_;
    GrantOrder order_;
    std::array<unsigned, max_lines> transfers_{};
};

/// When one CPU wants the lock and how long it keeps it.
struct TimedRound {
    Time after;  ///< from the end of the round before (the first: from time 0) to the call of the lock function
    Time hold;   ///< from its return to the release
    Mode mode = Mode::exclusive;
};

struct TimedRun {
    GrantOrder order;
    std::vector<Time> granted_at;  ///< [i] completion of the access that granted order[i]
    Time end;                      ///< completion of the last access
    std::array<unsigned, max_lines> transfers{};
};

/// The one interleaving that a machine with equal distances produces. `script` is [cpu][round].
///
/// Accesses take effect in the order in which they are issued, at equal times by CPU. One that needs a transfer begins
/// when its line is free and keeps the line and its CPU for `transfer`; others cost nothing but wait for a busy line
/// too. A CPU that waits reads again when the access that took its copy away completes. No store buffers; no spin gives
/// up. Throws std::logic_error if an invariant breaks or nobody can go on.
TimedRun replay_timed(const Algorithm& algorithm, const std::vector<std::vector<TimedRound>>& script, Time transfer,
                      int first_owner = -1);

}  // namespace forksim::oracle
