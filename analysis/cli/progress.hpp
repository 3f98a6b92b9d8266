#pragma once
#include <chrono>
#include <cstdint>
#include <string>

#include "analysis/cli/log.hpp"
#include "analysis/stats/estimate.hpp"
#include "analysis/stats/stopping.hpp"

namespace forksim {

/// A line about the work under way, drawn over itself: on a terminal only, after the first second, not with -q.
class Progress {
  public:
    explicit Progress(const Log& log);
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;
    ~Progress();  ///< wipes the line

    void update(const std::string& line);

  private:
    bool wanted_;
    bool drawn_ = false;
    std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

/// "[#######.............] 7 of 10..40 replications, +-0.82 %".
std::string progress_line(const ReplicationPlan& plan, const Estimate& so_far);
/// "[#######.............] 7 of 20 worlds".
std::string progress_line(std::uint32_t done, std::uint32_t all, const std::string& what);

}  // namespace forksim
