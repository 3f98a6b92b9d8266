#pragma once
#include <cstdint>
#include <span>

#include "analysis/stats/estimate.hpp"

namespace forksim {

/// How far apart several quantities lie of which each is known by an estimate only.
struct Spread {
    std::uint32_t n = 0;  ///< quantities
    double low = 0;
    double high = 0;
};

/// From the lowest to the highest mean, drawn towards their mean until the estimates' own variance is gone from
/// theirs: the low and the high of many noisy estimates of one number would lie apart too.
/// REQUIRES estimates of at least two values each. An empty spread if there are none.
Spread spread_of(std::span<const Estimate> estimates);

/// The same, wider at both ends by what the estimates' own variance leaves open of their mean (95 %): where that
/// variance hides all that they differ by, spread_of() is a point, and this is not.
Spread spread_with_noise(std::span<const Estimate> estimates);

}  // namespace forksim
