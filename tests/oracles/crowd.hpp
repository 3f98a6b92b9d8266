#pragma once
#include <cstdint>

#include "sim/time.hpp"
#include "tests/oracles/algorithm.hpp"

namespace forksim::oracle {

/// What a crowd of CPUs does all the time.
struct CrowdScript {
    unsigned cpus = 1;     ///< 1..64
    unsigned turns = 100;  ///< acquisitions in all, of which the second half is measured
    Time pause;            ///< from a release to the next call of the lock function
    Time hold;
    Time transfer;  ///< of a line between any two CPUs
    std::uint32_t seed = 1;
};

/// Mean time from one grant to the next, over the second half of the grants.
///
/// The rule of replay_timed() with more CPUs than can be explored, and with ties drawn instead of decided by number: an
/// access that needs a transfer begins when its line is free and keeps line and CPU for `transfer`; a CPU
/// that waits reads again when the access that took its copy away completes, all such reads at once asked for, served
/// one after the other. Throws std::logic_error if two hold the lock, std::invalid_argument for a script out of range.
Time time_per_turn(const Algorithm& algorithm, const CrowdScript& script);

}  // namespace forksim::oracle
