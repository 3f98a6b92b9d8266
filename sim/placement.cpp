#include "sim/placement.hpp"

#include "sim/check.hpp"

namespace forksim {

Placement::Placement(const Topology& topology, const std::vector<CpuMask>& masks)
    : topology_(topology), masks_(masks), of_core_(topology.cores), of_llc_(topology.llcs) {
    for (const CpuMask& mask : masks) {
        std::vector<Cpu>& list = allowed_.emplace_back();
        for (Cpu cpu = 0; cpu < topology.cpu_count(); ++cpu)
            if (mask.test(cpu)) list.push_back(cpu);
        FORKSIM_CHECK(!list.empty(), "an affinity mask without a CPU");
    }
    for (Cpu cpu = 0; cpu < topology.cpu_count(); ++cpu) {
        of_core_[topology.cpus[cpu].core].push_back(cpu);
        of_llc_[topology.cpus[cpu].llc].push_back(cpu);
    }
}

Cpu Placement::for_fork(std::uint32_t mask, Cpu parent, const std::vector<CpuRecord>& cpus) const {
    const std::vector<Cpu>& list = allowed_[mask];
    if (list.size() == 1) return list.front();
    const Cpu count = topology_.cpu_count();
    Cpu best = list.front();
    const auto distance = [&](Cpu cpu) { return (cpu + count - parent) % count; };
    for (const Cpu cpu : list) {
        const CpuRecord& a = cpus[cpu];
        const CpuRecord& b = cpus[best];
        if (a.load != b.load) {
            if (a.load < b.load) best = cpu;
        } else if (a.load == 0 && a.idle_since != b.idle_since) {
            if (a.idle_since > b.idle_since) best = cpu;
        } else if (distance(cpu) < distance(best)) {
            best = cpu;
        }
    }
    return best;
}

Cpu Placement::for_wake(std::uint32_t mask, Cpu previous, const std::vector<CpuRecord>& cpus) const {
    const std::vector<Cpu>& list = allowed_[mask];
    if (list.size() == 1) return list.front();
    const CpuMask& allowed = masks_[mask];
    if (!allowed.test(previous)) previous = list.front();
    if (cpus[previous].load == 0) return previous;
    for (const Cpu cpu : of_core_[topology_.cpus[previous].core])
        if (cpus[cpu].load == 0 && allowed.test(cpu)) return cpu;
    const std::uint32_t llc = topology_.cpus[previous].llc;
    if (list.size() < of_llc_[llc].size()) {  // the same CPUs in the same order, found from the shorter list
        for (const Cpu cpu : list)
            if (cpus[cpu].load == 0 && topology_.cpus[cpu].llc == llc) return cpu;
        return previous;
    }
    for (const Cpu cpu : of_llc_[llc])
        if (cpus[cpu].load == 0 && allowed.test(cpu)) return cpu;
    return previous;
}

}  // namespace forksim
