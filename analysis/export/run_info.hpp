#pragma once
#include <string>

#include "analysis/export/result.hpp"
#include "analysis/export/simulate.hpp"
#include "scenarios/scenario.hpp"

namespace forksim {

/// How a compiled scenario wants to be run.
SimulationPlan plan_of(const Compiled& compiled, unsigned jobs);

/// What heads its result.
RunInfo info_of(const Compiled& compiled, const SimulationPlan& plan, const std::string& engine,
                const std::string& version);

}  // namespace forksim
