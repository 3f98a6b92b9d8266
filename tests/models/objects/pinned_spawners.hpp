#pragma once
#include <vector>

#include "models/objects/rb_tree.hpp"
#include "tests/models/objects/counted_copies.hpp"

namespace forksim::test {

/// Mean dependent transfers of an insertion: stores weigh nothing. Each CPU in turn adds one pid and then erases its
/// previous one.
inline double transfers_of_pinned_spawners(Cpu cpus, std::uint32_t resident) {
    const Topology machine = uniform_machine(cpus);
    Lines lines(machine);
    RbTree tree(lines, lines.add(0), cpus, resident);
    std::vector<RbTree::Node> last(cpus, RbTree::none);
    const Time apart = Time::from_us(1);
    Time now = apart;
    std::int64_t cost_ps = 0;
    constexpr std::int64_t warm_up = 100;
    constexpr std::int64_t rounds = 400;
    for (std::int64_t round = 0; round < warm_up + rounds; ++round) {
        for (Cpu cpu = 0; cpu < cpus; ++cpu) {
            TouchCost insertion{lines, cpu, now += apart, 0};
            const RbTree::Node node = tree.insert(insertion);
            if (round >= warm_up) cost_ps += (insertion.at - now).ps;
            TouchCost removal{lines, cpu, now += apart, 0};
            if (last[cpu] != RbTree::none) tree.erase(last[cpu], removal);
            last[cpu] = node;
        }
    }
    return static_cast<double>(cost_ps) / 1000.0 / static_cast<double>(rounds * cpus);
}

}  // namespace forksim::test
