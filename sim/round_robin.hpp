#pragma once
#include <cstdint>
#include <vector>

#include "sim/core.hpp"

namespace forksim {

/// First come, first served on each CPU, with time slices; a woken task never displaces the current one.
/// Queues are circular buffers that grow to the largest number of tasks ever waiting.
class RoundRobin {
  public:
    RoundRobin(Cpu cpus, Time slice) : queues_(cpus), slice_(slice) {}

    void enqueue(Cpu cpu, Task t) {
        Queue& q = queues_[cpu];
        if (q.size == q.ring.size()) grow(q);
        q.ring[(q.first + q.size++) & (q.ring.size() - 1)] = t;
    }
    Task pick(Cpu cpu) {
        Queue& q = queues_[cpu];
        if (q.size == 0) return no_task;
        const Task t = q.ring[q.first];
        q.first = (q.first + 1) & (static_cast<std::uint32_t>(q.ring.size()) - 1);
        --q.size;
        return t;
    }
    std::uint32_t waiting(Cpu cpu) const { return queues_[cpu].size; }
    Time slice(Cpu, Task) const { return slice_; }
    bool preempts(Task, Task) const { return false; }

  private:
    struct Queue {
        std::vector<Task> ring = std::vector<Task>(4);  // size is a power of two
        std::uint32_t first = 0;
        std::uint32_t size = 0;
    };
    static void grow(Queue& q) {
        std::vector<Task> larger(q.ring.size() * 2);
        for (std::uint32_t i = 0; i < q.size; ++i) larger[i] = q.ring[(q.first + i) & (q.ring.size() - 1)];
        q.ring.swap(larger);
        q.first = 0;
    }

    std::vector<Queue> queues_;
    Time slice_;
};

}  // namespace forksim
