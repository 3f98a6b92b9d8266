#include "analysis/stats/spread.hpp"

#include <algorithm>
#include <cmath>

namespace forksim {

Spread spread_of(std::span<const Estimate> estimates) {
    if (estimates.empty()) return {};
    Sample means;
    double noise = 0;  // variance of a mean, on average
    double lowest = estimates.front().mean;
    double highest = lowest;
    for (const Estimate& one : estimates) {
        means.add(one.mean);
        noise += one.stddev * one.stddev / one.n / static_cast<double>(estimates.size());
        lowest = std::min(lowest, one.mean);
        highest = std::max(highest, one.mean);
    }
    const Estimate all = means.estimate();
    const double seen = all.stddev * all.stddev;
    const double keep = seen > noise ? std::sqrt((seen - noise) / seen) : 0;
    return {static_cast<std::uint32_t>(estimates.size()), all.mean - keep * (all.mean - lowest),
            all.mean + keep * (highest - all.mean)};
}

}  // namespace forksim
