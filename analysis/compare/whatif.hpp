#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/compare/differences_over_worlds.hpp"
#include "analysis/compare/explanation.hpp"
#include "analysis/compare/trust.hpp"
#include "analysis/compare/verdict.hpp"
#include "analysis/export/json_writer.hpp"
#include "analysis/export/result.hpp"

namespace forksim {

/// One variant at one CPU count.
struct WhatifVariant {
    std::string name;
    Result result;
    PairedDifference difference;
    std::optional<OverWorldsOfSide> model;  ///< if the worlds were run
    Verdict verdict = Verdict::undetermined;
    std::optional<Explanation> explanation;  ///< not with `--each-site`
};

/// The base and its variants at one CPU count.
struct WhatifPoint {
    std::uint32_t cpus = 0;
    Result base;
    std::vector<WhatifVariant> variants;   ///< as they were asked for, or ranked by what they gain
    Leaders base_leaders;                  ///< over the worlds
    std::uint32_t world_replications = 0;  ///< 0: the worlds were not run
    StopReason stopped = StopReason::not_yet;
    std::optional<Trust> trust;
};

/// All that a comparison says.
struct Whatif {
    bool with_work = false;
    bool ranked = false;   ///< `--each-site`
    bool removes = false;  ///< some variant removes a site
    double margin = default_margin;
    PairedPlan plan;
    std::vector<WhatifPoint> points;
    std::vector<std::string> notes;
    std::vector<std::string> warnings;
    bool interrupted = false;  ///< some of it is missing
};

/// The comparison for people, at most text_width columns wide.
std::string whatif_text(const Whatif& whatif);
/// As JSON of the schema "forksim-whatif/1".
std::string whatif_json(const Whatif& whatif);
/// One number per line: `cpus,variant,table,name,caller,metric,value`.
std::string whatif_csv(const Whatif& whatif);

}  // namespace forksim
