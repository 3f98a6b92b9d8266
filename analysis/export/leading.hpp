#pragma once
#include <vector>

#include "analysis/export/result.hpp"

namespace forksim {

/// Service demands closer together than this are not told apart: leading / next - 1.
inline constexpr double unresolved_below = 0.15;

/// The locks by service demand, largest first (those without a known demand last), then by name.
std::vector<const LockResult*> by_demand(const Result& result);

/// The lock that bounds throughput, and what its order is worth.
struct Leading {
    const LockResult* first = nullptr;   ///< null: no demand is known
    const LockResult* second = nullptr;  ///< null: there is one lock only
    double bound_per_s = 0;              ///< 1 / demand of the first
    /// Locks that the first does not lead by unresolved_below or more: any of them may be the first. By demand.
    std::vector<const LockResult*> rivals;
};
Leading leading_demand(const Result& result);

}  // namespace forksim
