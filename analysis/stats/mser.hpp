#pragma once
#include <cstdint>
#include <optional>
#include <span>

namespace forksim {

/// How many values at the head of a series belong to its transient, by the rule MSER-5: the series is cut into batches
/// of five, and those batches are dropped whose loss makes the standard error of the mean of the rest smallest (White,
/// Cobb and Spratt, "A comparison of five steady-state truncation heuristics for simulation", 2000). A cut that leaves
/// fewer than five batches is not looked at; of equal ones the shortest counts. Values behind the last whole batch are
/// left out.
struct Truncation {
    std::uint32_t values = 0;  ///< to drop, a multiple of 5
    bool settled = true;       ///< false: the cut lies in the second half, so that the series is too short to tell
};

/// Nothing for fewer than ten batches. Sums are exact, so equal series cut equally everywhere.
/// REQUIRES values below 2^48 and fewer than 2^16 of them.
std::optional<Truncation> mser5(std::span<const std::uint64_t> series);

}  // namespace forksim
