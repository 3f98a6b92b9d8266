#pragma once
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "analysis/export/result.hpp"
#include "analysis/stats/paired.hpp"
#include "scenarios/scenario.hpp"
#include "sim/record.hpp"

namespace forksim {

/// What long work tells and asks on the way. All may be empty; called on the caller's thread.
struct WorkHooks {
    std::function<void(double share_done)> progress;
    std::function<bool()> stop;  ///< true: end with what is there
};

/// A base and its variants, run with the same draws.
struct PairedRun {
    std::vector<Result> results;  ///< of the base, then of each variant
    Record base;                  ///< merged
    std::vector<PairedDifference> differences;
    StopReason stopped = StopReason::not_yet;  ///< not_yet: it was told to stop
};

/// Simulates `sides` (the base first; each of its own machine and configuration) replication by replication until the
/// plan is fulfilled. The same bytes for any number of jobs. Throws ModelStuck, InternalError.
PairedRun run_paired(std::span<const Compiled* const> sides, const PairedPlan& plan, unsigned jobs,
                     const std::string& version, const WorkHooks& hooks);

}  // namespace forksim
