#pragma once
#include <string_view>
#include <vector>

#include "analysis/export/usage.hpp"
#include "sim/program.hpp"
#include "sim/record.hpp"

namespace forksim {

/// What one or more replications of the reference engine say: whole numbers only.
struct ReferenceRecord {
    Record record;  ///< acquisitions, contended, counts, window, events and ties; the rest is empty
    SummedTimes sums;

    void merge(const ReferenceRecord& other);
};

/// Reads what `forksim-simgrid run` prints about one replication of `program`, one fact per line:
///
///     forksim-reference/1
///     window_ps PICOSECONDS
///     events COUNT
///     ties COUNT                                        at a cache line
///     count COUNTER COUNT                               by index into Program::counters
///     site SITE ACQUISITIONS CONTENDED WAIT_PS HOLD_PS  by index into Program::sites; those not reached have none
///     end
///
/// Throws InternalError, with the line, if it reads otherwise.
ReferenceRecord parse_reference(std::string_view text, const Program& program, std::size_t resources);

}  // namespace forksim
