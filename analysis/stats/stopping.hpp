#pragma once
#include <cstdint>

#include "analysis/stats/estimate.hpp"

namespace forksim {

/// How many replications a result needs.
struct ReplicationPlan {
    double precision = 0.01;       ///< g: half-width of the 95 % interval wanted, as a share of the true mean, > 0
    std::uint32_t least = 10;      ///< never fewer, >= 1
    std::uint32_t most = 40;       ///< never more, >= least; most = least: exactly that many
    std::uint32_t look_ahead = 5;  ///< how many more replications the precision must survive
};

/// Why the replications ended.
enum class StopReason : std::uint8_t {
    not_yet,
    precise,      ///< the precision was reached and held
    cap,          ///< the most that the plan allows, before the precision was reached
    fixed,        ///< the plan left no choice
    interrupted,  ///< somebody asked for an end before the plan was fulfilled
};

/// Decides after each replication, in their order, whether another one is needed.
///
/// Stops at the first n >= least at which half-width / |mean| <= g / (1 + g) has held for the last
/// look_ahead + 1 values of n, so that one lucky step does not end it (Hoad, Robinson and Davies, "Automated
/// selection of the number of replications", 2010; Law, Simulation Modeling and Analysis, for the g / (1 + g)
/// that turns a share of the estimated mean into one of the true mean). Whether a difference is significant
/// never matters.
class StoppingRule {
  public:
    explicit StoppingRule(const ReplicationPlan& plan);

    /// Takes the next replication's value. REQUIRES reason() == not_yet.
    void add(double value);

    StopReason reason() const { return reason_; }
    Estimate estimate() const { return sample_.estimate(); }

  private:
    ReplicationPlan plan_;
    Sample sample_;
    std::uint32_t held_ = 0;  // for how many replications, the last one included, the precision has held
    StopReason reason_ = StopReason::not_yet;
};

/// "precise", "cap", "fixed", "interrupted" (or "not_yet").
const char* name_of(StopReason reason);

}  // namespace forksim
