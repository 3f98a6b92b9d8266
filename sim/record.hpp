#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "sim/check.hpp"
#include "sim/core.hpp"
#include "sim/critical_path.hpp"
#include "sim/histogram.hpp"
#include "sim/inline.hpp"
#include "sim/program.hpp"
#include "sim/time.hpp"
#include "sim/uint128.hpp"

namespace forksim {

/// Into how many spans a replication is divided to see whether its throughput has settled.
inline constexpr std::uint32_t time_bins = 200;

/// What a CPU does with its time.
enum class CpuUse : std::uint8_t { idle, user, kernel, spin, context_switch };
inline constexpr std::size_t cpu_use_count = 5;

/// Into how many parts a wait may be divided: what they are called is the model's business.
inline constexpr std::size_t max_wait_parts = 3;
using WaitParts = std::array<Time, max_wait_parts>;

/// What was measured at one site inside the window.
struct SiteRecord {
    std::uint64_t acquisitions = 0;  ///< granted inside the window
    std::uint64_t contended = 0;     ///< of these, not granted at the first try
    std::uint64_t releases = 0;
    std::uint64_t census = 0;   ///< acquisitions by lifecycles that began inside the window, see Record::census_counts
    std::uint64_t retries = 0;  ///< reads begun anew because a writer had come in between
    std::int64_t handoff_ps = 0;  ///< from the release before to the grant, over contended acquisitions
    std::array<std::int64_t, max_wait_parts> wait_part_ps{};  ///< what contended acquisitions waited for, if told apart
    Histogram wait;  ///< contended acquisitions: from the first try to the grant
    Histogram hold;  ///< from grant to release
};

/// What was measured of one resource (a lock, all its instances together) inside the window.
struct ResourceRecord {
    uint128 queue_integral = 0;  ///< integral of the number of waiters over time, ps
    uint128 wait_sum = 0;        ///< sum of waits, each clipped to the window, ps: Little's law says the same
    uint128 hold_integral = 0;   ///< integral of the number of holders over time, ps
    uint128 hold_sum = 0;        ///< sum of holds, each clipped to the window, ps
    uint128 busy_integral = 0;   ///< integral of the number of instances with a holder, ps
    std::uint32_t longest_queue = 0;
};

/// What a run cost to simulate, warm-up and the end after the window included: for speed, not for results.
struct Effort {
    std::uint64_t events = 0;
    std::uint64_t operations = 0;  ///< of counter 0
};

/// Everything that one replication, or several merged ones, measured. Counters are sums.
/// Filled by RecordProbe; plain data.
struct Record {
    std::uint32_t replications = 0;
    Time window;                    ///< length of the window, summed over replications
    std::vector<SiteRecord> sites;  ///< by Program::sites
    std::vector<ResourceRecord> resources;
    std::vector<std::uint64_t> counts;         ///< by Program::counters, inside the window
    std::vector<std::uint64_t> census_counts;  ///< by Program::counters, of lifecycles that began inside the window
    bool census_complete = true;               ///< all of those lifecycles ended before the run did
    std::vector<Histogram> paths;              ///< latencies, by Program::paths
    std::int64_t cpu_use_ps[cpu_use_count] = {};
    std::vector<std::int64_t> critical_path_ps;  ///< components of CriticalPath, of the path to the last count
    std::int64_t critical_length_ps = 0;         ///< their sum
    std::uint64_t events = 0;
    Effort effort;                ///< all that was simulated
    std::uint64_t ties = 0;       ///< events at the same picosecond as the one before
    std::uint64_t line_ties = 0;  ///< requests for one cache line at the same picosecond by two CPUs
    std::uint64_t transfers = 0;  ///< cache lines moved
    std::uint64_t wakes = 0;
    std::uint64_t tasks_created = 0;
    std::vector<std::vector<std::uint64_t>> counts_by_replication;  ///< [replication][counter]
    /// Counter 0 over time, from the start of the warm-up to the end of the window, in time_bins equal spans, summed
    /// over replications. Empty where it was not recorded.
    std::vector<std::uint64_t> count_over_time;

    /// Adds another replication of the same program.
    void merge(const Record& other);
};

/// The standard probe: fills a Record. Everything is counted inside [open, close) only.
/// Times passed to it never go backwards, but for `since`.
class RecordProbe {
  public:
    /// `length`: of warm-up and window together; 0: no count over time is kept.
    RecordProbe(const Program& program, std::size_t resources, Time length = {});

    void open(Time now);
    /// Ends the window and checks the identities; throws InternalError when one is violated.
    void close(Time now);
    bool is_open() const { return open_; }

    /// A task that first tried at `since` is found to wait for `resource`.
    void queue(std::uint32_t resource, Time since, Time now) {
        Live& live = live_[resource];
        advance(live, record_.resources[resource], now);
        const Time from = later(since, start_);
        if (open_) record_.resources[resource].queue_integral += static_cast<std::uint64_t>((now - from).ps);
        live.waiting += 1;
        live.waiting_since += from.ps;
        if (live.waiting > record_.resources[resource].longest_queue && open_)
            record_.resources[resource].longest_queue = live.waiting;
    }
    /// The lock of `resource` is granted at `site`; `queued` says whether queue() was called before.
    /// `first_holder`: the instance had none. `handoff`: see SiteRecord.
    FORKSIM_INLINE void acquired(std::uint32_t resource, std::uint32_t site, Time since, Time now, bool queued,
                                 bool first_holder, Time handoff, bool in_census) {
        Live& live = live_[resource];
        ResourceRecord& r = record_.resources[resource];
        SiteRecord& s = record_.sites[site];
        advance(live, r, now);
        if (queued) {
            const Time from = later(since, start_);
            live.waiting -= 1;
            live.waiting_since -= from.ps;
            FORKSIM_CHECK(live.waiting != 0 || live.waiting_since == 0,
                          "a wait that began at another time than it was queued");
            if (open_) r.wait_sum += static_cast<std::uint64_t>((now - from).ps);
        }
        live.holders += 1;
        live.holding_since += now.ps;
        if (first_holder) live.busy += 1;
        if (in_census) s.census += 1;
        if (!open_) return;
        s.acquisitions += 1;
        if (queued) {
            s.contended += 1;
            s.wait.record(now - since);
            s.handoff_ps += handoff.ps;
        }
    }
    /// Of the acquisition granted last at `site`: its wait in parts.
    void wait_parts(std::uint32_t site, const WaitParts& parts) {
        if (!open_) return;
        for (std::size_t i = 0; i < max_wait_parts; ++i) record_.sites[site].wait_part_ps[i] += parts[i].ps;
    }
    void retried(std::uint32_t site) {
        if (open_) record_.sites[site].retries += 1;
    }
    /// A section that nobody can wait for was entered at `site`.
    void passed(std::uint32_t site, bool in_census) {
        if (in_census) record_.sites[site].census += 1;
        if (open_) record_.sites[site].acquisitions += 1;
    }
    FORKSIM_INLINE void released(std::uint32_t resource, std::uint32_t site, Time since, Time now, bool last_holder) {
        Live& live = live_[resource];
        ResourceRecord& r = record_.resources[resource];
        advance(live, r, now);
        const Time from = later(since, start_);
        live.holders -= 1;
        live.holding_since -= from.ps;
        FORKSIM_CHECK(live.holders != 0 || live.holding_since == 0,
                      "a hold that began at another time than it was granted");
        if (last_holder) live.busy -= 1;
        if (!open_) return;
        r.hold_sum += static_cast<std::uint64_t>((now - from).ps);
        SiteRecord& s = record_.sites[site];
        s.releases += 1;
        s.hold.record(now - since);
    }
    void counted(std::uint32_t counter, bool in_census, Time now) {
        if (counter == 0) {
            record_.effort.operations += 1;
            while (now >= bin_end_) [[unlikely]] next_bin();
            if (bin_ < record_.count_over_time.size()) record_.count_over_time[bin_] += 1;
        }
        if (in_census) record_.census_counts[counter] += 1;
        if (open_) record_.counts[counter] += 1;
    }
    void path(std::uint32_t path, Time since, Time now) {
        if (open_) record_.paths[path].record(now - since);
    }
    void cpu_used(CpuUse use, Time since, Time now) {
        if (open_ && now > since) record_.cpu_use_ps[static_cast<std::size_t>(use)] += (now - later(since, start_)).ps;
    }
    void woken() {
        if (open_) record_.wakes += 1;
    }

    Record& record() { return record_; }

  private:
    struct Live {
        Time last;
        std::uint32_t waiting = 0;
        std::uint32_t holders = 0;
        std::uint32_t busy = 0;
        std::int64_t waiting_since = 0;  // sum over the waiters; wraps harmlessly, only differences are used
        std::int64_t holding_since = 0;
    };
    void next_bin();
    void advance(Live& live, ResourceRecord& r, Time now) {
        const auto passed = static_cast<std::uint64_t>((now - live.last).ps);
        live.last = now;
        if (!open_ || passed == 0) return;
        r.queue_integral += uint128{passed} * live.waiting;
        r.hold_integral += uint128{passed} * live.holders;
        r.busy_integral += uint128{passed} * live.busy;
    }

    Record record_;
    std::vector<Live> live_;
    Time start_;
    bool open_ = false;
    Time length_;
    Time bin_end_ = Time::never();  // of the bin that is filled
    std::uint32_t bin_ = 0;
};

}  // namespace forksim
