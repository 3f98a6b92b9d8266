#pragma once
#include <array>
#include <cstdint>
#include <vector>

#include "analysis/export/result.hpp"
#include "models/spec.hpp"
#include "sim/record.hpp"

namespace forksim {

/// What makes counters comparable: operations, windows, the length of the critical path.
struct UsageScale {
    std::uint64_t operations = 0;         ///< counted inside the windows
    std::uint64_t census_operations = 0;  ///< lifecycles followed to their end; 0: they were not
    std::int64_t window_ps = 0;           ///< all windows together
    std::int64_t critical_ps = 0;         ///< length of the critical path; 0: unknown
};

/// Sums of times by site, where they are all that is known (reference engine).
struct SummedTimes {
    std::vector<uint128> waits;  ///< of contended acquisitions, ps
    std::vector<uint128> holds;  ///< that ended inside the windows, ps
};

/// Adds up sites of one kind of row (a lock, a site, a site by caller) in whole numbers, so that the order in which
/// they are added does not matter.
class UsageTally {
  public:
    /// Adds the site with index `site` of `record`. `sums`, if not null, are all that is known of its times.
    /// `shared`: holders of this site may share the lock (mode read), so they serialise nothing.
    void add(const Record& record, std::uint32_t site, bool shared, const SummedTimes* sums);

    bool reached() const { return acquisitions_ > 0; }

    /// `instances`: of the lock; 0: unknown. `busy_ps`: the time, over all instances, during which one has a
    /// holder.
    Usage usage(const UsageScale& scale, std::uint32_t instances, uint128 busy_ps) const;
    uint128 hold_ps() const { return hold_.sum_ps(); }
    /// Adds what only locks of some kinds have: parts of waits, retries. Nothing where sums are all that is known.
    void add_details(Usage& usage, LockKind kind) const;

  private:
    std::uint64_t acquisitions_ = 0;
    std::uint64_t contended_ = 0;
    std::uint64_t census_ = 0;
    std::uint64_t outside_census_ = 0;  // acquisitions at sites that no lifecycle reaches: softirq
    bool any_shared_ = false;
    uint128 exclusive_hold_ps_ = 0;
    std::int64_t exclusive_handoff_ps_ = 0;
    std::int64_t critical_ps_ = 0;
    uint128 wait_sum_ps_ = 0;
    uint128 hold_sum_ps_ = 0;
    std::uint64_t retries_ = 0;
    std::array<std::int64_t, max_wait_parts> wait_part_ps_{};
    bool summed_only_ = false;
    Histogram wait_;
    Histogram hold_;
};

}  // namespace forksim
