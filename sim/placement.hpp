#pragma once
#include <vector>

#include "sim/program.hpp"
#include "sim/task.hpp"
#include "sim/topology.hpp"

namespace forksim {

/// Where a task goes when it becomes runnable: two different choices, as in kernel/sched/fair.c.
class Placement {
  public:
    /// `masks` are those of the program; each must allow a CPU of the topology.
    Placement(const Topology& topology, const std::vector<CpuMask>& masks);

    /// Fork placement (wake_up_new_task, sched_balance_find_dst_cpu): the idlest CPU of the mask over all domains: the
    /// least loaded one, among idle ones the one that fell idle last, then the nearest by number behind `parent`.
    Cpu for_fork(std::uint32_t mask, Cpu parent, const std::vector<CpuRecord>& cpus) const;

    /// Wake-up placement (select_idle_sibling): the previous CPU if it is idle, else an idle sibling of its core, else
    /// an idle CPU of its last-level cache, else the previous CPU all the same.
    Cpu for_wake(std::uint32_t mask, Cpu previous, const std::vector<CpuRecord>& cpus) const;

    /// The first allowed CPU of the mask at or behind `ordinal` round the list: where root tasks start.
    Cpu spread(std::uint32_t mask, std::uint32_t ordinal) const {
        return allowed_[mask][ordinal % allowed_[mask].size()];
    }

  private:
    const Topology& topology_;
    std::vector<std::vector<Cpu>> allowed_;  // by mask, ascending
    std::vector<CpuMask> masks_;
    std::vector<std::vector<Cpu>> of_core_;
    std::vector<std::vector<Cpu>> of_llc_;
};

}  // namespace forksim
