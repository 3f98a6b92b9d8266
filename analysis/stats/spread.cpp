#include "analysis/stats/spread.hpp"

#include <algorithm>
#include <cmath>

#include "analysis/stats/student_t.hpp"

namespace forksim {

namespace {

/// Variance of one of the means, on average.
double noise_of(std::span<const Estimate> estimates) {
    double noise = 0;
    for (const Estimate& one : estimates)
        noise += one.stddev * one.stddev / one.n / static_cast<double>(estimates.size());
    return noise;
}

}  // namespace

Spread spread_of(std::span<const Estimate> estimates) {
    if (estimates.empty()) return {};
    Sample means;
    const double noise = noise_of(estimates);
    double lowest = estimates.front().mean;
    double highest = lowest;
    for (const Estimate& one : estimates) {
        means.add(one.mean);
        lowest = std::min(lowest, one.mean);
        highest = std::max(highest, one.mean);
    }
    const Estimate all = means.estimate();
    const double seen = all.stddev * all.stddev;
    const double keep = seen > noise ? std::sqrt((seen - noise) / seen) : 0;
    return {static_cast<std::uint32_t>(estimates.size()), all.mean - keep * (all.mean - lowest),
            all.mean + keep * (highest - all.mean)};
}

Spread spread_with_noise(std::span<const Estimate> estimates) {
    Spread spread = spread_of(estimates);
    if (estimates.empty()) return spread;
    std::uint32_t degrees = 0;
    for (const Estimate& one : estimates) degrees += one.n - 1;
    const double open = std::sqrt(noise_of(estimates) / static_cast<double>(estimates.size()));
    if (degrees == 0 || open == 0) return spread;
    const double half_width = student_t(confidence, degrees) * open;
    spread.low -= half_width;
    spread.high += half_width;
    return spread;
}

}  // namespace forksim
