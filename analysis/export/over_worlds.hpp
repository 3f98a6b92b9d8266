#pragma once
#include <span>
#include <string>

#include "analysis/export/result.hpp"

namespace forksim {

/// What is kept of a run in one world.
struct WorldRun {
    Estimate throughput;
    std::string leader;  ///< the lock with the largest service demand, or empty
};
WorldRun world_run(const Result& result);

/// What the runs in all worlds say together.
OverWorlds over_worlds(std::span<const WorldRun> runs);

}  // namespace forksim
