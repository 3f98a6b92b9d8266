#pragma once
#include <cstdint>
#include <vector>

#include "sim/core.hpp"
#include "sim/ring.hpp"

namespace forksim {

/// First come, first served on each CPU, with time slices; a woken task never displaces the current one.
class RoundRobin {
  public:
    RoundRobin(Cpu cpus, Time slice) : queues_(cpus), slice_(slice) {}

    void enqueue(Cpu cpu, Task t) { queues_[cpu].push(t); }
    Task pick(Cpu cpu) { return queues_[cpu].empty() ? no_task : queues_[cpu].pop(); }
    std::uint32_t waiting(Cpu cpu) const { return queues_[cpu].size(); }
    Time slice(Cpu, Task) const { return slice_; }
    bool preempts(Task, Task) const { return false; }

  private:
    std::vector<Ring<Task>> queues_;
    Time slice_;
};

}  // namespace forksim
