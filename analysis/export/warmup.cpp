#include "analysis/export/warmup.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "analysis/export/numbers.hpp"
#include "analysis/stats/estimate.hpp"
#include "analysis/stats/mser.hpp"

namespace forksim {
namespace {

/// Of counter 0, per replication.
Estimate window_count(const Record& record) {
    Sample sample;
    for (const auto& counts : record.counts_by_replication) sample.add(static_cast<double>(counts[0]));
    return sample.estimate();
}

}  // namespace

std::optional<std::string> warmup_warning(const Record& record, Time warmup, Time duration) {
    const std::vector<std::uint64_t>& series = record.count_over_time;
    const std::optional<Truncation> cut = mser5(series);
    if (!cut || record.counts_by_replication.size() < 2) return std::nullopt;
    const Time length = warmup + duration;
    const auto bins = static_cast<std::int64_t>(series.size());
    const Time settles{length.ps * cut->values / bins};
    if (settles <= warmup) return std::nullopt;
    const auto from = cut->settled ? static_cast<std::size_t>(cut->values) : series.size() / 2;
    const std::uint64_t after =
        std::accumulate(series.begin() + static_cast<std::ptrdiff_t>(from), series.end(), std::uint64_t{0});
    const Estimate window = window_count(record);
    // What the window would have counted at that rate.
    const double rest = static_cast<double>(bins - static_cast<std::int64_t>(from)) / static_cast<double>(bins);
    const double share = rest * static_cast<double>(length.ps) / static_cast<double>(duration.ps);
    const double steady = static_cast<double>(after) / record.replications / share;
    const double moved = steady - window.mean;
    if (!(std::abs(moved) > window.half_width)) return std::nullopt;
    const std::string by = short_text(100 * std::abs(moved) / window.mean) + " % " + (moved < 0 ? "lower" : "higher");
    if (!cut->settled) {
        return "throughput had not settled in the first half of the run (MSER-5), and was " + by +
               " in the second: take a longer --warmup and --duration";
    }
    return "warm-up too short: throughput settled " + time_text(static_cast<double>(settles.ps)) +
           " after the start (MSER-5), and was " + by + " from there on (--warmup)";
}

}  // namespace forksim
