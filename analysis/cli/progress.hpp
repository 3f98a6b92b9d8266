#pragma once
#include <chrono>
#include <string>

#include "analysis/cli/log.hpp"
#include "analysis/stats/estimate.hpp"
#include "analysis/stats/stopping.hpp"

namespace forksim {

/// A line about the work under way, drawn over itself: on a terminal only, after the first second, not with -q.
class Progress {
  public:
    Progress(const Log& log, const ReplicationPlan& plan);
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;
    ~Progress();  ///< wipes the line

    void update(const Estimate& so_far);

  private:
    ReplicationPlan plan_;
    bool wanted_;
    bool drawn_ = false;
    std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

/// "[#######.............] 7 of 10..40 replications, +-0.82 %".
std::string progress_line(const ReplicationPlan& plan, const Estimate& so_far);

}  // namespace forksim
