#include "sim/record.hpp"

#include "sim/check.hpp"

namespace forksim {

RecordProbe::RecordProbe(const Program& program, std::size_t resources, Time length)
    : live_(resources), length_(length) {
    record_.replications = 1;
    record_.sites.resize(program.sites.size());
    record_.resources.resize(resources);
    record_.counts.resize(program.counters.size());
    record_.census_counts.resize(program.counters.size());
    record_.paths.resize(program.paths.size());
    if (length > Time{}) {
        record_.count_over_time.resize(time_bins);
        bin_end_ = length / time_bins;
    }
}

void RecordProbe::next_bin() {
    ++bin_;
    bin_end_ = bin_ < time_bins ? Time{length_.ps * (bin_ + 1) / time_bins} : Time::never();
}

void RecordProbe::open(Time now) {
    start_ = now;
    open_ = true;
    for (Live& live : live_) {
        live.last = now;
        live.waiting_since = static_cast<std::int64_t>(static_cast<std::uint64_t>(now.ps) * live.waiting);
        live.holding_since = static_cast<std::int64_t>(static_cast<std::uint64_t>(now.ps) * live.holders);
    }
}

void RecordProbe::close(Time now) {
    for (std::size_t i = 0; i < live_.size(); ++i) {
        Live& live = live_[i];
        ResourceRecord& r = record_.resources[i];
        advance(live, r, now);
        // What the tasks that still wait or hold have spent so far, by their own stamps.
        r.wait_sum +=
            static_cast<std::uint64_t>(now.ps) * live.waiting - static_cast<std::uint64_t>(live.waiting_since);
        r.hold_sum +=
            static_cast<std::uint64_t>(now.ps) * live.holders - static_cast<std::uint64_t>(live.holding_since);
        FORKSIM_CHECK(r.queue_integral == r.wait_sum,
                      "Little's law: integral of the queue length is not the sum of waits");
        FORKSIM_CHECK(r.hold_integral == r.hold_sum, "utilisation: integral of the holders is not the sum of holds");
    }
    record_.window = now - start_;
    open_ = false;
    record_.counts_by_replication.push_back(record_.counts);
}

void Record::merge(const Record& other) {
    FORKSIM_CHECK(sites.size() == other.sites.size() && resources.size() == other.resources.size(),
                  "merging records of different programs");
    FORKSIM_CHECK(count_over_time.size() == other.count_over_time.size(), "merging records of other lengths");
    replications += other.replications;
    window += other.window;
    for (std::size_t i = 0; i < sites.size(); ++i) {
        SiteRecord& s = sites[i];
        const SiteRecord& o = other.sites[i];
        s.acquisitions += o.acquisitions;
        s.contended += o.contended;
        s.releases += o.releases;
        s.census += o.census;
        s.retries += o.retries;
        s.handoff_ps += o.handoff_ps;
        for (std::size_t p = 0; p < max_wait_parts; ++p) s.wait_part_ps[p] += o.wait_part_ps[p];
        s.wait.merge(o.wait);
        s.hold.merge(o.hold);
    }
    for (std::size_t i = 0; i < resources.size(); ++i) {
        ResourceRecord& r = resources[i];
        const ResourceRecord& o = other.resources[i];
        r.queue_integral += o.queue_integral;
        r.wait_sum += o.wait_sum;
        r.hold_integral += o.hold_integral;
        r.hold_sum += o.hold_sum;
        r.busy_integral += o.busy_integral;
        r.longest_queue = r.longest_queue < o.longest_queue ? o.longest_queue : r.longest_queue;
    }
    for (std::size_t i = 0; i < counts.size(); ++i) counts[i] += other.counts[i];
    for (std::size_t i = 0; i < census_counts.size(); ++i) census_counts[i] += other.census_counts[i];
    census_complete = census_complete && other.census_complete;
    for (std::size_t i = 0; i < paths.size(); ++i) paths[i].merge(other.paths[i]);
    for (std::size_t i = 0; i < cpu_use_count; ++i) cpu_use_ps[i] += other.cpu_use_ps[i];
    for (std::size_t i = 0; i < critical_path_ps.size(); ++i) critical_path_ps[i] += other.critical_path_ps[i];
    critical_length_ps += other.critical_length_ps;
    events += other.events;
    effort.events += other.effort.events;
    effort.operations += other.effort.operations;
    ties += other.ties;
    line_ties += other.line_ties;
    transfers += other.transfers;
    wakes += other.wakes;
    tasks_created += other.tasks_created;
    for (std::size_t i = 0; i < count_over_time.size(); ++i) count_over_time[i] += other.count_over_time[i];
    counts_by_replication.insert(counts_by_replication.end(), other.counts_by_replication.begin(),
                                 other.counts_by_replication.end());
}

}  // namespace forksim
