#include "analysis/export/lives_needed.hpp"

#include <cmath>
#include <set>

#include "analysis/export/numbers.hpp"

namespace forksim {

std::uint64_t lives_needed(std::uint32_t sockets, double precision) {
    const double at_one_percent = sockets > 1 ? 1e6 : 30e3 * 0.2 * 0.2;
    return static_cast<std::uint64_t>(std::ceil(at_one_percent * (0.01 / precision) * (0.01 / precision)));
}

std::string too_few_lives(const Result& result, const Program& program, const Topology& topology) {
    if (program.spawns.empty() || topology.cpu_count() == 1) return "";
    std::set<std::uint32_t> sockets;
    for (const CpuPlace& place : topology.cpus) sockets.insert(place.socket);
    const std::uint64_t needed = lives_needed(static_cast<std::uint32_t>(sockets.size()), result.run.plan.precision);
    if (result.operations >= needed) return "";
    return std::to_string(result.operations) + " lives simulated; " + number_12(100 * result.run.plan.precision) +
           " % on " + std::to_string(sockets.size()) + (sockets.size() == 1 ? " socket" : " sockets") + " takes " +
           std::to_string(needed) + ": the interval is too narrow (--duration, --replications)";
}

}  // namespace forksim
