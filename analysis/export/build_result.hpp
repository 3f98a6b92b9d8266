#pragma once
#include "analysis/export/result.hpp"
#include "analysis/export/usage.hpp"
#include "models/spec.hpp"
#include "sim/record.hpp"
#include "sim/topology.hpp"

namespace forksim {

/// What was run.
struct RunSubject {
    const Program& program;
    const ModelSpec& model;
    const Topology& topology;
};

/// Turns the merged record of all replications into the numbers that people read. `outcome` is about counter 0 per
/// second. `sums`, if not null, are all that is known of waits and holds (reference engine); then utilisation and
/// service demand are unknown, and so is what the record leaves empty. The mean hold is then per acquisition.
Result build_result(const RunInfo& run, const RunSubject& subject, const Record& record,
                    const ReplicationOutcome& outcome, const SummedTimes* sums = nullptr);

/// How many instances of something with this scope there are, or 0 if that is not known (one per task; one per
/// process when processes are created).
std::uint32_t instances_of(const ScopeSpec& scope, const RunSubject& subject);

/// "spinlock", "rwlock", "rwsem", "percpu_rwsem"; "none", "voluntary", "lazy", "full"; "random", "id".
const char* name_of(LockKind kind);
const char* name_of(PreemptModel model);
const char* name_of(TieBreak tie_break);

/// The critical path of a record by parts, in ps; all zero if it has none.
PathParts critical_parts(const Record& record);

}  // namespace forksim
