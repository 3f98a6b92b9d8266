#pragma once
#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "sim/core.hpp"

namespace forksim::test {

/// A second policy, to show that the core knows none: the most urgent task first, then the one that came first; a more
/// urgent task displaces the current one, and slices never end.
class FixedPriority {
  public:
    /// `urgency` by task, larger is more urgent; tasks beyond the list have 0.
    FixedPriority(Cpu cpus, std::vector<int> urgency) : queues_(cpus), urgency_(std::move(urgency)) {}

    void enqueue(Cpu cpu, Task t) {
        std::vector<Task>& q = queues_[cpu];
        const auto behind = std::find_if(q.begin(), q.end(), [&](Task other) { return urgency(other) < urgency(t); });
        q.insert(behind, t);
    }
    Task pick(Cpu cpu) {
        std::vector<Task>& q = queues_[cpu];
        if (q.empty()) return no_task;
        const Task t = q.front();
        q.erase(q.begin());
        return t;
    }
    std::uint32_t waiting(Cpu cpu) const { return static_cast<std::uint32_t>(queues_[cpu].size()); }
    Time slice(Cpu, Task) const { return Time::from_s(1); }
    bool preempts(Task woken, Task current) const { return urgency(woken) > urgency(current); }

  private:
    int urgency(Task t) const { return t < urgency_.size() ? urgency_[t] : 0; }

    std::vector<std::vector<Task>> queues_;  // by CPU, most urgent first
    std::vector<int> urgency_;
};

}  // namespace forksim::test
