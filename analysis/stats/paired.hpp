#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "analysis/stats/estimate.hpp"
#include "analysis/stats/stopping.hpp"

namespace forksim {

/// A variant against its base, replication by replication: both saw the same draws. In percent of the base's mean.
struct PairedDifference {
    std::uint32_t n = 0;
    double mean = 0;
    double stddev = 0;       ///< of one replication's difference; 0 if n < 2
    double half_width = 0;   ///< of the simultaneous Student t interval; infinity if n < 2
    bool identical = false;  ///< the difference is zero in every replication
    /// What the variance would be with independent seeds, over what it is: what common draws have gained. Infinity if
    /// all differences are equal; NaN if n < 2 or nothing varies at all.
    double variance_ratio = 0;

    double low() const { return mean - half_width; }
    double high() const { return mean + half_width; }
};

/// The difference of paired values. `comparisons` intervals are shown together and hold together with the confidence
/// of 95 % (Bonferroni). REQUIRES as many of both, comparisons >= 1.
PairedDifference difference_of(std::span<const double> base, std::span<const double> variant,
                               std::uint32_t comparisons);

/// How many paired replications a comparison needs.
struct PairedPlan {
    double precision = 0.5;         ///< half-width wanted of each simultaneous interval, in percent of the base
    std::uint32_t least = 10;       ///< never fewer
    std::uint32_t most = 40;        ///< never more
    std::uint32_t look_ahead = 5;   ///< how many more replications the precision must survive
    std::uint32_t comparisons = 1;  ///< intervals shown together
};

/// Decides after each paired replication, in their order, whether another one is needed: as StoppingRule does, for all
/// variants at once. Whether a difference is significant never matters.
class PairedRule {
  public:
    PairedRule(const PairedPlan& plan, std::size_t variants) : plan_(plan), values_(variants + 1) {}

    /// Takes the next replication: the base's value, then each variant's. REQUIRES reason() == not_yet.
    void add(std::span<const double> values);

    StopReason reason() const { return reason_; }
    std::uint32_t n() const { return static_cast<std::uint32_t>(values_[0].size()); }
    /// Of variant 0, 1, ...
    PairedDifference difference(std::size_t variant) const {
        return difference_of(values_[0], values_[variant + 1], plan_.comparisons);
    }
    /// Of the widest interval so far; infinity if n < 2.
    double widest() const;

  private:
    PairedPlan plan_;
    std::vector<std::vector<double>> values_;  // [0] is the base
    std::uint32_t held_ = 0;                   // for how many replications the precision has held
    StopReason reason_ = StopReason::not_yet;
};

}  // namespace forksim
