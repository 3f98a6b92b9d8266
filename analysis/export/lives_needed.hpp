#pragma once
#include <cstdint>
#include <string>

#include "analysis/export/result.hpp"
#include "sim/topology.hpp"

namespace forksim {

/// How many lives a point needs before its mean can be trusted to `precision`, whatever its interval says.
///
/// Neighbours in a lock's queue keep each other for thousands of rounds, so replications that are short together
/// look more alike than they are right. Found by experiment: 30 thousand lives give 0.2 % on one socket, a
/// million 1 % on two; the need grows with 1 / precision^2.
std::uint64_t lives_needed(std::uint32_t sockets, double precision);

/// The warning when a run whose program creates tasks counted fewer operations than that; else "".
std::string too_few_lives(const Result& result, const Program& program, const Topology& topology);

}  // namespace forksim
