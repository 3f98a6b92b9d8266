#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "models/spec.hpp"
#include "sim/program.hpp"
#include "sim/topology.hpp"
#include "sim/uint128.hpp"

namespace forksim::reference {

/// What happened at one site inside the window.
struct SiteAnswer {
    std::uint64_t acquisitions = 0;  ///< granted inside the window
    std::uint64_t contended = 0;     ///< of these, not granted at the first try
    uint128 wait_sum = 0;            ///< of these, from the first try to the grant, ps
    uint128 hold_sum = 0;            ///< holds that ended inside the window, from grant to release, ps
};

/// What one replication measured, in the simulator's terms (sim/record.hpp).
struct Answer {
    Time window;
    std::uint64_t events = 0;           ///< waits for a point in time
    std::uint64_t ties = 0;             ///< as Record::line_ties
    std::vector<std::uint64_t> counts;  ///< by Program::counters
    std::vector<SiteAnswer> sites;      ///< by Program::sites
};

/// Executes one replication with SimGrid: an implementation of locks, queues, wake-ups, time and programs that is
/// independent of the simulator's, on the same cache lines and the same draws.
///
/// `stream` is the run's number, seed mixed with replication. One call per process, which should then end by _exit().
/// Throws InputError "the reference engine does not model ..." for what it cannot do exactly, ModelStuck,
/// InternalError.
Answer run(const Program& program, const ModelSpec& spec, const Topology& topology, const CoreConfig& config,
           std::uint64_t stream);

/// The answer as text; see README.md of platforms/.
std::string format_answer(const Answer& answer);

}  // namespace forksim::reference
