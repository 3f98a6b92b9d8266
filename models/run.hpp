#pragma once
#include <cstdint>

#include "models/spec.hpp"
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

}  // namespace forksim
