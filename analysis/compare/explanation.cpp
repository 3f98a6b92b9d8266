#include "analysis/compare/explanation.hpp"

#include <algorithm>
#include <future>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include "models/run.hpp"
#include "sim/check.hpp"

namespace forksim {
namespace {

using Turns = std::vector<TurnRange>;
using SiteKey = std::tuple<std::string, std::string, std::string>;  // lock, site, caller

/// Both runs of one replication, side by side if there are threads for it.
struct BothRuns {
    const RunSubject& base;
    const RunSubject& variant;
    const SimulationPlan& base_plan;
    const SimulationPlan& variant_plan;

    std::pair<LifeSums, LifeSums> run(std::uint32_t replication, std::optional<Turns> base_turns,
                                      std::optional<Turns> variant_turns) const {
        const auto one = [replication](const RunSubject& subject, const SimulationPlan& plan,
                                       std::optional<Turns> turns) {
            return run_lifecycles(subject.program, subject.model, subject.topology, plan.config,
                                  {plan.seed, replication}, std::move(turns));
        };
        const auto policy = base_plan.jobs > 1 ? std::launch::async : std::launch::deferred;
        std::future<LifeSums> second = std::async(policy, [&] { return one(variant, variant_plan, variant_turns); });
        LifeSums first = one(base, base_plan, std::move(base_turns));
        return {std::move(first), second.get()};
    }
};

/// The turns that both have, each in the order of its own root tasks: tasks of the same lineage belong together.
std::pair<Turns, Turns> common_turns(const Program& base, const Turns& base_whole, const Program& variant,
                                     const Turns& variant_whole) {
    std::map<std::uint64_t, std::size_t> base_root;
    for (std::size_t i = 0; i < base.roots.size(); ++i) base_root[base.roots[i].key] = i;
    std::pair<Turns, Turns> common{Turns(base_whole.size()), Turns(variant_whole.size())};
    for (std::size_t i = 0; i < variant.roots.size(); ++i) {
        const auto found = base_root.find(variant.roots[i].key);
        if (found == base_root.end()) continue;
        const TurnRange& a = base_whole[found->second];
        const TurnRange& b = variant_whole[i];
        const TurnRange both{std::max(a.first, b.first), std::min(a.last, b.last)};
        if (both.count() > 0) common.first[found->second] = common.second[i] = both;
    }
    return common;
}

/// Adds what one side spent.
void add(Explanation& to, std::map<SiteKey, ExplainedSite>& sites, const RunSubject& subject, const LifeSums& sums,
         std::int64_t BothSides::*side) {
    const Lifecycles layout(static_cast<std::uint32_t>(subject.program.sites.size()));
    const auto ps = [&](std::uint32_t component) { return sums.parts_ps[component]; };
    for (std::uint32_t i = 0; i < path_time_count; ++i)
        to.plain[i].*side += ps(CriticalPath::component(static_cast<PathTime>(i)));
    to.plain.back().*side += ps(layout.queued());
    for (std::uint32_t i = 0; i < subject.program.sites.size(); ++i) {
        const Site& site = subject.program.sites[i];
        const std::int64_t hold = ps(CriticalPath::component(i, Part::hold));
        const std::int64_t lines = ps(CriticalPath::component(i, Part::lines));
        const std::int64_t handoff = ps(CriticalPath::component(i, Part::handoff));
        const std::int64_t waiting = ps(layout.waiting(i));
        if (hold == 0 && lines == 0 && handoff == 0 && waiting == 0) continue;
        const std::string lock =
            site.resource < 0 ? "" : subject.model.locks[static_cast<std::size_t>(site.resource)].name;
        ExplainedSite& row = sites[{lock, site.name, site.caller}];
        row.hold.*side += hold;
        row.lines.*side += lines;
        row.handoff.*side += handoff;
        row.waiting.*side += waiting;
    }
    to.operations.*side += static_cast<std::int64_t>(sums.operations);
    to.total.*side += sums.total_ps;
}

}  // namespace

Explanation explain(const RunSubject& base, const RunSubject& variant, const SimulationPlan& base_plan,
                    const SimulationPlan& variant_plan, std::uint32_t replications) {
    FORKSIM_CHECK(base_plan.seed == variant_plan.seed && replications >= 1, "lifecycles of different seeds");
    const BothRuns runs{base, variant, base_plan, variant_plan};
    Explanation all;
    all.replications = replications;
    std::map<SiteKey, ExplainedSite> sites;
    for (std::uint32_t replication = 0; replication < replications; ++replication) {
        std::pair<LifeSums, LifeSums> sums = runs.run(replication, {}, {});
        auto [base_turns, variant_turns] =
            common_turns(base.program, sums.first.whole, variant.program, sums.second.whole);
        if (base_turns != sums.first.whole || variant_turns != sums.second.whole)
            sums = runs.run(replication, std::move(base_turns), std::move(variant_turns));
        FORKSIM_CHECK(sums.first.turns == sums.second.turns, "a lifecycle without its like");
        all.turns += sums.first.turns;
        add(all, sites, base, sums.first, &BothSides::base);
        add(all, sites, variant, sums.second, &BothSides::variant);
    }
    BothSides sum;
    const auto count = [&sum](const BothSides& part) {
        sum.base += part.base;
        sum.variant += part.variant;
    };
    for (auto& [key, row] : sites) {
        std::tie(row.lock, row.site, row.caller) = key;
        count(row.sum());
        all.sites.push_back(row);
    }
    for (const BothSides& part : all.plain) count(part);
    FORKSIM_CHECK(sum == all.total, "the parts of an explanation do not sum to the length of the lifecycles");
    return all;
}

}  // namespace forksim
