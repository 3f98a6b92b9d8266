#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "analysis/compare/compare_point.hpp"
#include "analysis/stats/spread.hpp"
#include "scenarios/scenario.hpp"

namespace forksim {

/// How often a lock leads in service demand, the most frequent first.
using Leaders = std::vector<std::pair<std::string, std::uint32_t>>;

/// What the worlds say of one side of a comparison.
struct OverWorldsOfSide {
    Spread percent;            ///< of the differences from the base, as spread_with_noise() says; base: none
    std::uint32_t faster = 0;  ///< worlds whose mean difference lies above the margin
    std::uint32_t slower = 0;  ///< below it
    Leaders leaders;
    std::vector<double> means;  ///< by world, in percent
};

struct DifferencesOverWorlds {
    std::vector<OverWorldsOfSide> sides;  ///< the base, then each variant
    std::uint32_t replications = 0;       ///< in each world
    bool complete = true;                 ///< false: told to stop; then sides is empty
};

/// How long a world is simulated.
struct WorldPlan {
    Time warmup;
    Time duration;
    std::uint32_t least = 2;  ///< replications in each world
    std::uint32_t most = 4;   ///< more than `least` where their own variance hides what the worlds differ by
    double margin = 0.5;      ///< percent
};
/// A window that holds about `lives` operations at the throughput found in world 0, never longer than the scenario's,
/// after the scenario's own warm-up: grace periods and their bursts of callbacks take that long to come into step.
WorldPlan world_plan(const Compiled& base, double throughput, double margin, std::uint32_t lives = 10000);

/// Runs the base (first) and its variants in every world, with the same draws in all of them.
DifferencesOverWorlds differences_over_worlds(std::span<const Request> sides, std::uint32_t worlds,
                                              const WorldPlan& plan, unsigned jobs, const WorkHooks& hooks);

}  // namespace forksim
