#pragma once
#include <functional>
#include <string>
#include <vector>

#include "analysis/export/reference.hpp"
#include "analysis/export/simulate.hpp"
#include "scenarios/scenario.hpp"

namespace forksim {

/// All replications of the reference engine merged in their order.
struct ReferenceSimulated {
    ReferenceRecord measured;
    ReplicationOutcome outcome;
};

/// Runs the helper `forksim-simgrid run` once per replication, on plan.jobs threads; see README.md of analysis/.
/// `request` is what `subject` was compiled from. Throws what the helper's exit status says: InputError,
/// ModelStuck, else InternalError.
ReferenceSimulated simulate_reference(const Request& request, const RunSubject& subject, const SimulationPlan& plan,
                                      const std::function<void(const Estimate&)>& progress,
                                      const std::function<bool()>& stop = {});

/// The arguments of the helper for one replication: the request's options as they were typed.
std::vector<std::string> reference_arguments(const Request& request, const SimulationPlan& plan, std::uint32_t index);

}  // namespace forksim
