#include "analysis/compare/compare_point.hpp"

#include <memory>

#include "analysis/export/build_result.hpp"
#include "analysis/export/run_info.hpp"
#include "models/run.hpp"

namespace forksim {
namespace {

/// One replication of all sides.
struct Replication {
    std::vector<Record> records;
    std::vector<double> throughputs;
};

Replication simulate_all(std::span<const Compiled* const> sides, std::uint32_t index) {
    Replication replication;
    for (const Compiled* side : sides) {
        replication.records.push_back(
            run_replication(side->program, side->model, side->topology, side->core, {side->measure.seed, index}));
        replication.throughputs.push_back(throughput_of(replication.records.back()));
    }
    return replication;
}

}  // namespace

PairedRun run_paired(std::span<const Compiled* const> sides, const PairedPlan& plan, unsigned jobs,
                     const std::string& version, const WorkHooks& hooks) {
    PairedRule rule(plan, sides.size() - 1);
    std::vector<std::unique_ptr<Replication>> replications(plan.most);  // until they are merged
    std::vector<Record> merged;
    std::vector<Sample> throughputs(sides.size());
    replicate_while(
        plan.most, jobs,
        [&](std::uint32_t index) { replications[index] = std::make_unique<Replication>(simulate_all(sides, index)); },
        [&](std::uint32_t index) {
            const std::unique_ptr<Replication> one = std::move(replications[index]);
            rule.add(one->throughputs);
            for (std::size_t i = 0; i < sides.size(); ++i) {
                throughputs[i].add(one->throughputs[i]);
                if (index > 0) merged[i].merge(one->records[i]);
            }
            if (index == 0) merged = std::move(one->records);
            if (hooks.progress) hooks.progress(static_cast<double>(rule.n()) / std::max(plan.least, rule.n() + 1));
            return rule.reason() == StopReason::not_yet && !(hooks.stop && hooks.stop());
        });
    PairedRun run;
    run.stopped = rule.reason();
    for (std::size_t i = 0; i < sides.size(); ++i) {
        const RunSubject subject{sides[i]->program, sides[i]->model, sides[i]->topology};
        const SimulationPlan side_plan = plan_of(*sides[i], jobs);
        run.results.push_back(build_result(info_of(*sides[i], side_plan, "native", version), subject, merged[i],
                                           {throughputs[i].estimate(), rule.reason()}));
        run.results.back().notes = sides[i]->notes;
        if (i > 0) run.differences.push_back(rule.difference(i - 1));
    }
    run.base = std::move(merged[0]);
    return run;
}

}  // namespace forksim
