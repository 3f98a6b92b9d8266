#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "analysis/export/result.hpp"
#include "analysis/stats/paired.hpp"

namespace forksim {

/// The times of one site, or of several together, at one share of what they are.
struct SpeedupStep {
    double factor = 1;  ///< 1: as it is, 0: no time at all
    Estimate throughput;
    PairedDifference difference;
    double predicted_percent = 0;  ///< from the critical share of the holds in the base alone; NaN: unknown
};

struct SpeedupCurve {
    std::string name;                ///< a site, or "all of them"
    double hold_share = 0;           ///< of the critical path: work done in these sections; NaN: unknown
    std::vector<SpeedupStep> steps;  ///< from 1 - 1/n to 0
};

struct SpeedupPoint {
    std::uint32_t cpus = 0;
    Result base;
    std::vector<SpeedupCurve> curves;
};

/// What a shorter hold would buy, from all of it to none.
struct Speedup {
    PairedPlan plan;
    double margin = 0;
    std::vector<SpeedupPoint> points;
    std::vector<std::string> notes;
    bool interrupted = false;
};

/// The last step that gains more than `margin` percent over the step before it: behind it, shortening no longer pays.
/// 1 if none does.
double pays_down_to(const SpeedupCurve& curve, double margin);

/// Critical shares predict small changes: the throughput if the path became shorter by `share` * (1 - factor).
double predicted_percent(double share, double factor);

/// At most text_width columns: a table and a plot for each site.
std::string speedup_text(const Speedup& speedup);
/// As JSON of the schema "forksim-speedup/1".
std::string speedup_json(const Speedup& speedup);
/// `cpus,site,factor,metric,value`.
std::string speedup_csv(const Speedup& speedup);

}  // namespace forksim
