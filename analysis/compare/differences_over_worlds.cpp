#include "analysis/compare/differences_over_worlds.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "analysis/export/build_result.hpp"
#include "analysis/export/over_worlds.hpp"
#include "analysis/export/run_info.hpp"
#include "models/run.hpp"

namespace forksim {
namespace {

/// One replication of one world, all sides.
struct Seen {
    std::vector<double> throughputs;
    std::vector<std::string> leaders;
};

Seen simulate_world(std::span<const Request> sides, std::uint32_t world, std::uint32_t replication,
                    const WorldPlan& plan) {
    Seen seen;
    for (const Request& side : sides) {
        Request request = side;
        request.world = world;
        request.warmup = std::to_string(plan.warmup.ps) + "ps";
        request.duration = std::to_string(plan.duration.ps) + "ps";
        const Compiled compiled = compile(request);
        const Record record = run_replication(compiled.program, compiled.model, compiled.topology, compiled.core,
                                              {compiled.measure.seed, replication});
        seen.throughputs.push_back(throughput_of(record));
        Sample one;
        one.add(seen.throughputs.back());
        const RunSubject subject{compiled.program, compiled.model, compiled.topology};
        const Result result = build_result(info_of(compiled, plan_of(compiled, 1), "native", ""), subject, record,
                                           {one.estimate(), StopReason::fixed});
        seen.leaders.push_back(world_run(result).leader);
    }
    return seen;
}

/// The differences of one side, world by world.
std::vector<Estimate> estimates_of(const std::vector<std::vector<Seen>>& worlds, std::size_t side) {
    std::vector<Estimate> estimates;
    for (const std::vector<Seen>& replications : worlds) {
        Sample base;
        for (const Seen& seen : replications) base.add(seen.throughputs[0]);
        Sample percent;
        const double mean = base.estimate().mean;
        for (const Seen& seen : replications)
            percent.add(mean == 0 ? 0 : 100 * (seen.throughputs[side] - seen.throughputs[0]) / mean);
        estimates.push_back(percent.estimate());
    }
    return estimates;
}

/// Does what one world leaves open hide what the worlds differ by?
bool hidden_by_noise(std::span<const Estimate> estimates) {
    Sample means;
    double noise = 0;
    for (const Estimate& one : estimates) {
        means.add(one.mean);
        noise += one.stddev * one.stddev / one.n / static_cast<double>(estimates.size());
    }
    const double seen = means.estimate().stddev;
    return std::sqrt(noise) > 0.25 && 4 * noise > seen * seen;
}

Leaders count_leaders(const std::vector<std::vector<Seen>>& worlds, std::size_t side) {
    std::map<std::string, std::uint32_t> leads;
    for (const std::vector<Seen>& replications : worlds) {
        if (!replications.front().leaders[side].empty()) ++leads[replications.front().leaders[side]];
    }
    Leaders leaders{leads.begin(), leads.end()};
    std::ranges::stable_sort(leaders, [](const auto& a, const auto& b) { return a.second > b.second; });
    return leaders;
}

}  // namespace

WorldPlan world_plan(const Compiled& base, double throughput, double margin, std::uint32_t lives) {
    WorldPlan plan;
    plan.margin = margin;
    plan.warmup = base.measure.warmup;
    plan.duration = base.measure.duration;
    const double wanted = throughput > 0 ? lives / throughput * 1e12 : 0;
    if (throughput > 0 && wanted < static_cast<double>(plan.duration.ps)) {
        plan.duration.ps = static_cast<std::int64_t>(std::ceil(wanted / 1e9)) * 1'000'000'000;
    }
    return plan;
}

DifferencesOverWorlds differences_over_worlds(std::span<const Request> sides, std::uint32_t worlds,
                                              const WorldPlan& plan, unsigned jobs, const WorkHooks& hooks) {
    DifferencesOverWorlds over;
    std::vector<std::vector<Seen>> by_world(worlds);
    const auto run_rounds = [&](std::uint32_t first, std::uint32_t count) {
        std::vector<Seen> seen(std::size_t{worlds} * count);
        replicate_while(
            worlds * count, jobs,
            [&](std::uint32_t i) { seen[i] = simulate_world(sides, i % worlds, first + i / worlds, plan); },
            [&](std::uint32_t i) {
                by_world[i % worlds].push_back(std::move(seen[i]));
                if (hooks.progress && first == 0) hooks.progress((i + 1.0) / (worlds * count));
                over.complete = !(hooks.stop && hooks.stop());
                return over.complete;
            });
        over.replications = first + count;
    };
    run_rounds(0, plan.least);
    while (over.complete && over.replications < plan.most) {
        bool hidden = false;
        for (std::size_t side = 1; side < sides.size(); ++side)
            hidden = hidden || hidden_by_noise(estimates_of(by_world, side));
        if (!hidden) break;
        run_rounds(over.replications, 1);
    }
    if (!over.complete) return over;
    for (std::size_t side = 0; side < sides.size(); ++side) {
        OverWorldsOfSide& of_side = over.sides.emplace_back();
        const std::vector<Estimate> estimates = estimates_of(by_world, side);
        of_side.percent = spread_with_noise(estimates);
        of_side.leaders = count_leaders(by_world, side);
        for (const Estimate& one : estimates) {
            of_side.means.push_back(one.mean);
            of_side.faster += one.mean > plan.margin ? 1 : 0;
            of_side.slower += one.mean < -plan.margin ? 1 : 0;
        }
    }
    return over;
}

}  // namespace forksim
