#include "analysis/stats/estimate.hpp"

#include <cmath>
#include <limits>

#include "analysis/stats/student_t.hpp"

namespace forksim {

bool Estimate::within(double relative) const { return n >= 2 && half_width <= relative * std::abs(mean); }

void Sample::add(double value) {
    n_ += 1;
    const double before = value - mean_;
    mean_ += before / n_;
    const double after = value - mean_;
    squares_ += before * after;
}

Estimate Sample::estimate() const {
    Estimate e{n_, mean_, 0, std::numeric_limits<double>::infinity()};
    if (n_ < 2) return e;
    e.stddev = std::sqrt(squares_ / (n_ - 1));
    e.half_width = student_t(confidence, n_ - 1) * e.stddev / std::sqrt(static_cast<double>(n_));
    return e;
}

}  // namespace forksim
