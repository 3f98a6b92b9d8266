#pragma once
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analysis/compare/trust.hpp"
#include "analysis/stats/replicate.hpp"
#include "analysis/stats/spread.hpp"
#include "sim/histogram.hpp"
#include "sim/program.hpp"
#include "sim/time.hpp"
#include "sim/uint128.hpp"

namespace forksim {

/// A number that is not known in this result: null in JSON, "-" in text.
inline constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

/// Many durations summed up: the same shape for waits, holds and latencies. Times in ps.
struct Durations {
    std::uint64_t count = 0;
    uint128 sum_ps = 0;
    bool detailed = true;  ///< false: count and sum are all that is known
    std::int64_t min_ps = 0;
    std::int64_t max_ps = 0;
    double mean_ps = 0;    ///< 0 if count = 0
    double stddev_ps = 0;  ///< of all of them as a population
    std::int64_t p50_ps = 0;
    std::int64_t p90_ps = 0;
    std::int64_t p99_ps = 0;
    std::int64_t p999_ps = 0;
};
Durations durations_of(const Histogram& histogram);
Durations durations_of_sum(std::uint64_t count, uint128 sum_ps);

/// A part of all waits at a lock or site, such as `grace_period` (models/wait_parts.hpp).
struct WaitPart {
    std::string name;
    std::int64_t sum_ps = 0;
};

/// How a lock or a site was used inside the windows. An operation is what the first `count:` counts.
struct Usage {
    std::uint64_t acquisitions = 0;
    std::uint64_t contended = 0;  ///< of these, not granted at the first try
    /// Acquisitions per operation: by whole lifecycles where they were followed to their end, so an exact ratio.
    double per_op = unknown;
    /// Service demand: time of one instance that an operation takes, holds and hand-offs; throughput <= 1 / demand.
    /// Readers share a lock and serialise nothing: they are not in it. Instances are assumed to be used alike.
    /// Unknown where their number is.
    double serial_ps_per_op = unknown;
    double utilization = unknown;     ///< share of the time that an instance has a holder
    double critical_share = unknown;  ///< share of the critical path: holds, lines and hand-offs at these sites
    Durations wait;                   ///< of contended acquisitions
    Durations hold;
    std::vector<WaitPart> wait_parts;      ///< of a kind whose waits are told apart: they add up to the waits
    std::optional<std::uint64_t> retries;  ///< of a seqcount: reads begun anew because a writer had come in between
};

struct LockResult {
    std::string lock;
    std::string kind;
    Usage usage;
};

/// What `caller` is in the row that sums up the callers of a site; there only if it has several.
inline constexpr const char* all_callers = "*";

struct SiteResult {
    std::string site;    ///< FUNCTION/STEP
    std::string caller;  ///< the function that called FUNCTION; empty: none did; or all_callers
    std::string lock;
    std::string mode;  ///< "", "read", "write"
    Usage usage;
};

struct PathResult {
    std::string path;
    Durations latency;
};

struct CountResult {
    std::string name;
    std::uint64_t count = 0;  ///< over all windows
    Estimate per_second;
};

/// Shares of the time of all CPUs; they sum to 1.
struct CpuShares {
    double user = 0;
    double kernel = 0;
    double spin = 0;
    double context_switch = 0;
    double idle = 0;
};

/// The parts of a critical path, in ps (or, divided by its length, as shares).
struct PathParts {
    double user = 0;
    double kernel = 0;  ///< outside of sections
    double hold = 0;
    double lines = 0;
    double handoff = 0;
    double context_switch = 0;
    double wake_up = 0;
    double interrupt = 0;
    double asleep = 0;

    PathParts divided_by(double by) const;
};

/// One operation by a single task on a single CPU of this machine, nothing contended.
struct Anchor {
    std::uint64_t operations = 0;
    double length_ps = 0;  ///< per operation
    PathParts parts;       ///< per operation; they sum to the length
};

/// What the reader must know to repeat the run. Stands at the top of every output.
struct RunInfo {
    std::string version;  ///< of forksim
    std::string scenario;
    std::string hash;  ///< of the compiled program and options
    std::string kernel;
    std::vector<std::string> base_patches;  ///< the scenario's own and --base-patch, in the order of application
    std::vector<std::string> patches;       ///< --patch, on top of those
    std::vector<std::string> settings;      ///< --set, as typed
    std::string platform;
    std::string composition;  ///< sockets, cores, siblings in words
    std::uint32_t cpus = 0;
    std::uint64_t seed = 0;
    std::string engine = "native";
    std::uint32_t worlds = 0;  ///< how many the kernel has
    std::uint32_t world = 0;   ///< which one this is
    TieBreak tie_break = TieBreak::random;
    PreemptModel preempt = PreemptModel::lazy;
    Time warmup;
    Time duration;
    ReplicationPlan plan;
};

/// What other worlds say: sets of values that the numbers nobody has measured may have together.
struct OverWorlds {
    Spread throughput;
    /// How often a lock leads in service demand, the most frequent first, then by name.
    std::vector<std::pair<std::string, std::uint32_t>> leaders;
};

/// What the host did: the only part that differs between two runs of the same thing.
struct HostInfo {
    double wall_s = 0;
    double events_per_s = 0;
    double ops_per_s = 0;
};

/// All that a run says. Rows are ordered by name, so that the order in a file never shows.
struct Result {
    RunInfo run;
    Time simulated;    ///< all windows together
    std::string unit;  ///< of the throughput: "threads/s"
    Estimate throughput;
    std::optional<OverWorlds> worlds;  ///< if they were asked for
    StopReason stopped = StopReason::not_yet;
    std::uint64_t operations = 0;     ///< over all windows
    std::vector<CountResult> counts;  ///< further counters
    std::vector<LockResult> locks;    ///< those that were acquired
    std::vector<SiteResult> sites;    ///< those that were acquired
    std::vector<PathResult> paths;    ///< those that were measured
    std::optional<CpuShares> cpu;
    std::optional<PathParts> critical_path;  ///< shares; they sum to 1
    std::optional<Anchor> anchor;
    std::uint64_t events = 0;
    std::uint64_t ties = 0;
    std::uint64_t line_ties = 0;
    std::vector<std::string> notes;     ///< what the compiler of the scenario has to tell
    std::vector<std::string> warnings;  ///< what casts doubt on the numbers
    std::optional<Trust> trust;         ///< what was published that this can be held against
    std::optional<HostInfo> host;
};

}  // namespace forksim
