#pragma once
#include <cstdint>
#include <functional>

#include "analysis/stats/stopping.hpp"

namespace forksim {

/// What replicate() does with each replication, and whom it tells.
struct ReplicationWork {
    /// Simulates replication `index`, keeps what it measured and returns the value that the precision is about.
    /// Called once per index at most, on any thread, several at a time.
    std::function<double(std::uint32_t index)> run;
    /// Replication `index` counts. Called on the caller's thread with 0, 1, 2, ...
    std::function<void(std::uint32_t index)> accept;
    /// Optional, on the caller's thread, after accept(): how far the estimate has come.
    std::function<void(const Estimate& so_far)> progress;
    /// Optional, on the caller's thread, after each replication that counts and is not the last: end here? What runs on
    /// other threads is waited for and dropped. An error of a later replication ends it too, if this says so then.
    std::function<bool()> stop = {};
};

struct ReplicationOutcome {
    Estimate estimate;
    StopReason reason = StopReason::not_yet;
};

/// Calls run(0), run(1), ... on `jobs` threads, each once and several at a time, and accept(0), accept(1), ... on the
/// caller's thread in that order, until accept() returns false or `most` are accepted. What other threads have computed
/// beyond that is dropped, errors in it included. An exception of run(i) is rethrown once 0 .. i-1 are accepted.
/// REQUIRES jobs >= 1.
void replicate_while(std::uint32_t most, unsigned jobs, const std::function<void(std::uint32_t)>& run,
                     const std::function<bool(std::uint32_t)>& accept);

/// Runs replications on `jobs` threads until the plan is fulfilled.
///
/// The decision to stop and every accept() follow the order of the replications alone, so any `jobs` gives the
/// same outcome; a surplus that other threads have computed is dropped, errors in it included. An exception
/// thrown by run(i) is rethrown here once replications 0 .. i-1 are accepted. REQUIRES jobs >= 1.
ReplicationOutcome replicate(const ReplicationPlan& plan, unsigned jobs, const ReplicationWork& work);

}  // namespace forksim
