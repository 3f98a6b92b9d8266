#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/oracles/machine.hpp"

namespace forksim::oracle {

/// Who was granted the lock, in order. The k-th mention of a CPU is its k-th round (counted from where it started).
using GrantOrder = std::vector<unsigned>;

struct ExploreOptions {
    MachineOptions machine;
    unsigned line = 0;  ///< the line whose transfers are counted; `machine.tracked` is set to it
    /// Leave out interleavings that differ only in the order of accesses nobody else can see, and explore CPUs with
    /// equal rounds in one order of their first moves only. The outcomes are the same.
    bool reduce = true;
};

/// A broken invariant and the moves that lead to it from the start.
struct Violation {
    std::string what;
    std::vector<Move> moves;
};

/// All that can happen from one state on.
class Exploration {
  public:
    std::uint64_t states = 0;
    std::uint64_t transitions = 0;
    bool barged = false;                 ///< somewhere a CPU is granted past another that has queued
    std::optional<Violation> violation;  ///< the first one found; the exploration stops there and is incomplete
    std::set<std::string_view> reached;  ///< labels of all accesses that some CPU executed

    /// Whether the lock can be granted in this order with exactly so many transfers of the line.
    bool reachable(const GrantOrder& order, unsigned transfers) const;

    bool reachable(const GrantOrder& order) const { return counts_.count(order) != 0; }

    /// All numbers of transfers that go with this order; empty if it cannot happen.
    std::set<unsigned> transfers(const GrantOrder& order) const;

    /// Fewest and most transfers that go with this order; nothing if it cannot happen.
    std::optional<std::pair<unsigned, unsigned>> transfer_range(const GrantOrder& order) const;

    const std::map<GrantOrder, std::set<unsigned>>& outcomes() const { return counts_; }

  private:
    friend class Explorer;
    std::map<GrantOrder, std::set<unsigned>> counts_;
};

/// Visits every state that can be reached from the machine's start.
///
/// Invariants checked in all of them: mutual exclusion; grants in the order of queueing; no barging if the algorithm
/// promises it; some CPU can move until all are done (deadlock); no state comes round again (livelock); the lock at
/// rest after the last release.
Exploration explore(const Algorithm& algorithm, const Rounds& rounds, const ExploreOptions& options = {});

/// The same from a state of a machine with the same algorithm and rounds (see Replay). Grants and transfers before
/// `from` are not in the outcomes.
Exploration explore(const Algorithm& algorithm, const Rounds& rounds, const State& from,
                    const ExploreOptions& options = {});

/// The acquisitions that a grant order means: (cpu, round, mode), from round 0 on.
struct Grant {
    unsigned cpu;
    unsigned round;
    Mode mode;

    bool operator==(const Grant&) const = default;
};
std::vector<Grant> grants(const GrantOrder& order, const Rounds& rounds);

}  // namespace forksim::oracle
