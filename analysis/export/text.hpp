#pragma once
#include <span>
#include <string>

#include "analysis/export/histogram_text.hpp"
#include "analysis/export/result.hpp"

namespace forksim {

/// The result for people, at most text_width columns wide: banner, throughput, tables, histograms.
std::string to_text(const Result& result, std::span<const NamedHistogram> histograms);

// Its parts.

/// What must be known to repeat the run; the seed first.
std::string banner_text(const RunInfo& run);
/// Throughput with its interval, why the replications ended, further counters, warnings.
std::string throughput_text(const Result& result);
/// The leading service demand and the bound that it sets.
std::string demand_text(const Result& result);
/// Two tables over locks, two over sites: use, and waiting.
std::string lock_tables(const Result& result);
std::string site_tables(const Result& result);
std::string path_table(const Result& result);
/// Shares of CPU time and of the critical path, the one-task anchor, events, host.
std::string shares_text(const Result& result);
std::string anchor_text(const Result& result);
std::string events_text(const Result& result);

}  // namespace forksim
