#pragma once
#include <cstdint>
#include <optional>

#include "analysis/stats/paired.hpp"
#include "analysis/stats/spread.hpp"

namespace forksim {

/// What a comparison comes to.
enum class Verdict : std::uint8_t {
    identical,     ///< no difference in any replication
    equal,         ///< both intervals lie inside the margin
    faster,        ///< both intervals lie above zero
    slower,        ///< both intervals lie below zero
    undetermined,  ///< none of these
};

/// Differences closer to zero than this, in percent, are of no interest.
inline constexpr double default_margin = 0.5;

/// Read off the intervals that are shown: the sampling interval, and, where there are worlds, the model interval.
/// Whatever they say must hold of both.
Verdict verdict_of(const PairedDifference& difference, const std::optional<Spread>& model, double margin);

/// "identical", "equal", "faster", "slower", "undetermined".
const char* name_of(Verdict verdict);

}  // namespace forksim
