#pragma once
#include <optional>
#include <string>

#include "sim/record.hpp"
#include "sim/time.hpp"

namespace forksim {

/// The warning when the throughput of merged replications had not settled when the warm-up was over; else nothing.
///
/// That is so if the truncation point of MSER-5 over the count of all replications lies behind the warm-up, and what
/// comes after it (after the middle of the run, if it lies behind that) differs from the window's throughput by more
/// than the half-width of its sampling interval. The second condition is there because the minimum that MSER-5 looks
/// for is a flat one: of stationary series it cuts one in ten behind the sixth part, of correlated ones more than half,
/// for nothing. With it fewer than one run in fifty without a transient is warned of. Never for a single replication,
/// and only for records of the native engine.
std::optional<std::string> warmup_warning(const Record& record, Time warmup, Time duration);

}  // namespace forksim
