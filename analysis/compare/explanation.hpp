#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/export/json_writer.hpp"
#include "analysis/export/simulate.hpp"

namespace forksim {

/// Two numbers that are compared: the same quantity of the base and of the variant.
struct BothSides {
    std::int64_t base = 0;
    std::int64_t variant = 0;
    std::int64_t difference() const { return variant - base; }
    bool operator==(const BothSides&) const = default;
};

/// What the paired lifecycles spent at a site, ps.
struct ExplainedSite {
    std::string lock;    ///< "" if none is taken there
    std::string site;    ///< FUNCTION/STEP
    std::string caller;  ///< "" at the top
    BothSides hold;      ///< work inside the section
    BothSides lines;     ///< moving cache lines
    BothSides handoff;   ///< from the release to the grant
    BothSides waiting;   ///< from the first try to the release before the grant

    BothSides sum() const {
        return {hold.base + lines.base + handoff.base + waiting.base,
                hold.variant + lines.variant + handoff.variant + waiting.variant};
    }
};

/// What belongs to no site, in the order of PathTime; last, runnable but without a CPU.
inline constexpr std::array<std::string_view, 7> explained_plain_names = {
    "user", "kernel", "context_switch", "wake_up", "interrupt", "asleep", "queued"};

/// Where a difference between two variants of a scenario comes from: the same lifecycles laid side by side. A
/// lifecycle is one turn of a root task's `forever`; draws are keyed by it, so that it is the same one in both. All
/// times are whole picoseconds, summed over the paired lifecycles, and the differences of `sites` and `plain` sum
/// exactly to that of `total`.
struct Explanation {
    std::uint32_t replications = 0;
    std::uint64_t turns = 0;  ///< lifecycles that lie wholly inside the window in both; 0: the windows share none
    BothSides operations;     ///< of counter 0 in these; equal unless children outlive the turn that they come from
    std::vector<ExplainedSite> sites;  ///< by lock, site, caller; those where either side spent time
    std::array<BothSides, explained_plain_names.size()> plain;
    BothSides total;  ///< the length of the lifecycles
};

/// Runs base and variant `replications` times, each once to see which turns lie inside the window and once to sum up
/// those that do in both. Deterministic; on two threads if a plan has more than one job. REQUIRES plans of one seed,
/// and replications >= 1. Throws ModelStuck and InternalError as run_replication does.
Explanation explain(const RunSubject& base, const RunSubject& variant, const SimulationPlan& base_plan,
                    const SimulationPlan& variant_plan, std::uint32_t replications = 2);

/// At most 72 columns; times per operation: the largest gains and what of them comes back as waiting for locks that
/// cost more than before; then by lock and site, what is below a hundredth of the largest part under "others".
std::string explanation_text(const Explanation& explanation);

/// One object; times are ns summed over the lifecycles, exact.
void explanation_json(JsonWriter& json, const Explanation& explanation);

}  // namespace forksim
