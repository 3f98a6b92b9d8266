#include "analysis/export/over_worlds.hpp"

#include <algorithm>
#include <map>
#include <vector>

#include "analysis/export/leading.hpp"

namespace forksim {

WorldRun world_run(const Result& result) {
    const Leading leading = leading_demand(result);
    return {result.throughput, leading.first == nullptr ? "" : leading.first->lock};
}

OverWorlds over_worlds(std::span<const WorldRun> runs) {
    std::vector<Estimate> throughputs;
    std::map<std::string, std::uint32_t> leads;
    for (const WorldRun& run : runs) {
        throughputs.push_back(run.throughput);
        if (!run.leader.empty()) ++leads[run.leader];
    }
    OverWorlds over{spread_of(throughputs), {leads.begin(), leads.end()}};
    std::ranges::stable_sort(over.leaders, [](const auto& a, const auto& b) { return a.second > b.second; });
    return over;
}

}  // namespace forksim
