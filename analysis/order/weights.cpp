#include "analysis/order/weights.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "models/run.hpp"

namespace forksim {

Record brief_run(const Compiled& compiled) {
    CoreConfig config = compiled.core;
    config.warmup = std::min(config.warmup, Time::from_ms(20));
    config.duration = std::min(config.duration, Time::from_ms(50));
    return run_replication(compiled.program, compiled.model, compiled.topology, config, {compiled.measure.seed, 0});
}

EdgeWeights::EdgeWeights(const Compiled& compiled, const LockOrder& order, Record record)
    : order_(&order),
      record_(std::move(record)),
      acquisitions_(walk_held(compiled.program, compiled.model).acquisitions) {}

EdgeWeight EdgeWeights::of(std::span<const std::uint32_t> edges) const {
    std::set<std::uint16_t> sites;
    EdgeWeight weight;
    for (const std::uint32_t edge : edges) {
        for (const auto& [outer, inner] : order_->edges[edge].ways) sites.insert(inner);
        // A softirq comes by chance on top of a holder.
        if (order_->edges[edge].where == Where::over_task) weight.at_most = true;
    }
    const std::uint32_t outer = order_->edges[edges.front()].outer;
    weight.at_most |= std::ranges::any_of(acquisitions_, [&](const Acquisition& a) {
        return sites.count(a.taken.site) != 0 &&
               std::ranges::none_of(a.held, [&](const HeldLock& held) { return held.lock == outer; });
    });
    std::uint64_t acquisitions = 0;
    std::uint64_t contended = 0;
    uint128 wait_ps = 0;
    for (const std::uint16_t site : sites) {
        acquisitions += record_.sites[site].acquisitions;
        contended += record_.sites[site].contended;
        wait_ps += record_.sites[site].wait.sum_ps();
    }
    const std::uint64_t operations = record_.counts.empty() ? 0 : record_.counts[0];
    if (operations > 0) weight.per_op = static_cast<double>(acquisitions) / static_cast<double>(operations);
    if (acquisitions > 0) weight.contended_share = static_cast<double>(contended) / static_cast<double>(acquisitions);
    if (contended > 0) weight.wait_ps = static_cast<double>(wait_ps) / static_cast<double>(contended);
    return weight;
}

std::vector<std::vector<std::uint32_t>> edges_by_locks(const LockOrder& order) {
    std::vector<std::vector<std::uint32_t>> groups;
    for (std::uint32_t i = 0; i < order.edges.size(); ++i) {
        const LockEdge& edge = order.edges[i];
        const bool more = !groups.empty() && order.edges[groups.back().front()].outer == edge.outer &&
                          order.edges[groups.back().front()].inner == edge.inner;
        if (!more) groups.emplace_back();
        groups.back().push_back(i);
    }
    return groups;
}

}  // namespace forksim
