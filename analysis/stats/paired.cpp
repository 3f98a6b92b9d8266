#include "analysis/stats/paired.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "analysis/stats/student_t.hpp"
#include "sim/check.hpp"

namespace forksim {
namespace {

Estimate estimate_of(std::span<const double> values) {
    Sample sample;
    for (const double value : values) sample.add(value);
    return sample.estimate();
}

}  // namespace

PairedDifference difference_of(std::span<const double> base, std::span<const double> variant,
                               std::uint32_t comparisons) {
    FORKSIM_CHECK(base.size() == variant.size() && comparisons >= 1, "values that do not pair");
    PairedDifference difference;
    difference.n = static_cast<std::uint32_t>(base.size());
    difference.identical = std::ranges::equal(base, variant) && !base.empty();
    difference.half_width = std::numeric_limits<double>::infinity();
    difference.variance_ratio = std::numeric_limits<double>::quiet_NaN();
    const Estimate of_base = estimate_of(base);
    if (of_base.mean == 0) return difference;
    Sample differences;
    for (std::size_t i = 0; i < base.size(); ++i) differences.add(100 * (variant[i] - base[i]) / of_base.mean);
    const Estimate e = differences.estimate();
    difference.mean = e.mean;
    difference.stddev = e.stddev;
    if (e.n < 2) return difference;
    const double level = 1 - (1 - confidence) / comparisons;
    difference.half_width = student_t(level, e.n - 1) * e.stddev / std::sqrt(static_cast<double>(e.n));
    const double spread_of_variant = estimate_of(variant).stddev;
    const double apart = of_base.stddev * of_base.stddev + spread_of_variant * spread_of_variant;
    const double together = e.stddev * of_base.mean / 100;
    if (apart > 0) difference.variance_ratio = apart / (together * together);
    return difference;
}

void PairedRule::add(std::span<const double> values) {
    FORKSIM_CHECK(values.size() == values_.size() && reason_ == StopReason::not_yet, "a paired value too many");
    for (std::size_t i = 0; i < values.size(); ++i) values_[i].push_back(values[i]);
    held_ = widest() <= plan_.precision ? held_ + 1 : 0;
    if (plan_.least == plan_.most) {
        if (n() >= plan_.most) reason_ = StopReason::fixed;
    } else if (n() >= plan_.least && held_ > plan_.look_ahead) {
        reason_ = StopReason::precise;
    } else if (n() >= plan_.most) {
        reason_ = StopReason::cap;
    }
}

double PairedRule::widest() const {
    double widest = 0;
    for (std::size_t i = 0; i + 1 < values_.size(); ++i) widest = std::max(widest, difference(i).half_width);
    return widest;
}

}  // namespace forksim
