#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "models/spec.hpp"
#include "sim/lifecycles.hpp"
#include "sim/program.hpp"
#include "sim/record.hpp"
#include "sim/topology.hpp"

namespace forksim {

/// One replication's identity: every draw is a function of both.
struct RunSeed {
    std::uint64_t seed = 1;
    std::uint32_t replication = 0;
};

/// Simulates one replication and returns what its window measured. Pure: the same arguments give the same
/// bytes, on any thread. Throws ModelStuck (deadlock or livelock in the model) or InternalError (an invariant broke).
Record run_replication(const Program& program, const ModelSpec& model, const Topology& topology,
                       const CoreConfig& config, RunSeed seed);

/// Simulates the same replication, and tells what the lifecycles of its root tasks were spent on: of `turns` by root
/// task, or if not given, of all that lie wholly inside the window. REQUIRES as many ranges as root tasks.
LifeSums run_lifecycles(const Program& program, const ModelSpec& model, const Topology& topology,
                        const CoreConfig& config, RunSeed seed, std::optional<std::vector<TurnRange>> turns);

}  // namespace forksim
