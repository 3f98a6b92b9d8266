#include "analysis/export/usage.hpp"

#include <string>
#include <string_view>

#include "models/wait_parts.hpp"
#include "sim/check.hpp"

namespace forksim {

Durations durations_of(const Histogram& h) {
    Durations d;
    d.count = h.count();
    d.sum_ps = h.sum_ps();
    d.min_ps = h.min().ps;
    d.max_ps = h.max().ps;
    d.mean_ps = h.mean_ps();
    d.stddev_ps = h.stddev_ps();
    d.p50_ps = h.percentile(50).ps;
    d.p90_ps = h.percentile(90).ps;
    d.p99_ps = h.percentile(99).ps;
    d.p999_ps = h.percentile(99.9).ps;
    return d;
}

Durations durations_of_sum(std::uint64_t count, uint128 sum_ps) {
    Durations d;
    d.count = count;
    d.sum_ps = sum_ps;
    d.detailed = false;
    d.mean_ps = count == 0 ? 0 : static_cast<double>(sum_ps) / static_cast<double>(count);
    return d;
}

void UsageTally::add(const Record& record, std::uint32_t site, bool shared, const SummedTimes* sums) {
    const SiteRecord& s = record.sites[site];
    acquisitions_ += s.acquisitions;
    contended_ += s.contended;
    census_ += s.census;
    if (s.census == 0) outside_census_ += s.acquisitions;
    any_shared_ = any_shared_ || shared;
    if (!shared) {
        exclusive_hold_ps_ += s.hold.sum_ps();
        exclusive_handoff_ps_ += s.handoff_ps;
    }
    retries_ += s.retries;
    for (std::size_t i = 0; i < max_wait_parts; ++i) wait_part_ps_[i] += s.wait_part_ps[i];
    wait_.merge(s.wait);
    hold_.merge(s.hold);
    if (sums != nullptr) {
        summed_only_ = true;
        wait_sum_ps_ += sums->waits[site];
        hold_sum_ps_ += sums->holds[site];
    }
    if (record.critical_path_ps.empty()) return;
    for (const Part part : {Part::hold, Part::lines, Part::handoff}) {
        const std::uint32_t component = CriticalPath::component(site, part);
        FORKSIM_CHECK(component < record.critical_path_ps.size(), "a critical path without all sites");
        critical_ps_ += record.critical_path_ps[component];
    }
}

void UsageTally::add_details(Usage& usage, LockKind kind) const {
    if (summed_only_) return;
    if (kind == LockKind::seqcount) usage.retries = retries_;
    const std::vector<std::string_view> names = wait_part_names(kind);
    for (std::size_t i = 0; i < names.size(); ++i)
        usage.wait_parts.push_back({std::string(names[i]), wait_part_ps_[i]});
}

Usage UsageTally::usage(const UsageScale& scale, std::uint32_t instances, uint128 busy_ps) const {
    Usage u;
    u.acquisitions = acquisitions_;
    u.contended = contended_;
    u.wait = summed_only_ ? durations_of_sum(contended_, wait_sum_ps_) : durations_of(wait_);
    u.hold = summed_only_ ? durations_of_sum(acquisitions_, hold_sum_ps_) : durations_of(hold_);
    const auto operations = static_cast<double>(scale.operations);
    if (scale.census_operations > 0 && census_ > 0) {
        u.per_op = static_cast<double>(census_) / static_cast<double>(scale.census_operations);
        if (outside_census_ > 0) u.per_op += static_cast<double>(outside_census_) / operations;
    } else if (scale.operations > 0) {
        u.per_op = static_cast<double>(acquisitions_) / operations;
    }
    if (scale.critical_ps > 0)
        u.critical_share = static_cast<double>(critical_ps_) / static_cast<double>(scale.critical_ps);
    if (instances == 0 || summed_only_) return u;
    if (scale.operations > 0) {
        // Without readers the busy time is that of the holds, and exact at the edges of the window.
        const uint128 held = any_shared_ ? exclusive_hold_ps_ : busy_ps;
        const auto demand = static_cast<double>(held + static_cast<std::uint64_t>(exclusive_handoff_ps_));
        u.serial_ps_per_op = demand / operations / instances;
    }
    if (scale.window_ps > 0)
        u.utilization = static_cast<double>(busy_ps) / static_cast<double>(scale.window_ps) / instances;
    return u;
}

}  // namespace forksim
