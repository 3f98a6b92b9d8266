#pragma once
#include <cstdint>
#include <functional>

#include "analysis/export/build_result.hpp"
#include "analysis/stats/replicate.hpp"

namespace forksim {

/// How the replications of a subject are run.
struct SimulationPlan {
    CoreConfig config;
    std::uint64_t seed = 1;
    ReplicationPlan replications;
    unsigned jobs = 1;
};

/// All replications merged in their order, and how counter 0 per second came out.
struct Simulated {
    Record record;
    ReplicationOutcome outcome;
};

/// Runs the native engine until the plan is fulfilled, or `stop` (see ReplicationWork) says that it shall end; the same
/// bytes for any number of jobs. `progress` may be empty. Throws ModelStuck and InternalError as run_replication does.
Simulated simulate(const RunSubject& subject, const SimulationPlan& plan,
                   const std::function<void(const Estimate&)>& progress, const std::function<bool()>& stop = {});

/// Counter 0 per second of a record; 0 if there is none.
double throughput_of(const Record& record);

}  // namespace forksim
