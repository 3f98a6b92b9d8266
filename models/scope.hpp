#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

#include "models/spec.hpp"
#include "sim/core.hpp"
#include "sim/topology.hpp"

namespace forksim {

/// Which instance of a scoped thing a task uses.
class ScopeIndex {
  public:
    ScopeIndex(const Topology& topology, std::uint32_t processes) : topology_(topology), processes_(processes) {}

    /// How many instances a scope has on this machine.
    std::uint32_t count(const ScopeSpec& per) const {
        switch (per.scope) {
            case Scope::global:
                return 1;
            case Scope::process:
                return processes_;
            case Scope::cpu:
                return topology_.cpu_count();
            case Scope::node:
                return topology_.sockets;
            case Scope::cpus:
                return (topology_.cpu_count() + per.every - 1) / per.every;
            case Scope::task:
                break;
        }
        return 1;
    }

    /// A scope made ready for at(): asked for before the run, for what is looked up in every event.
    std::uint32_t prepare(const ScopeSpec& per) {
        if (per.scope == Scope::process) return by_process;
        const auto row = static_cast<std::uint32_t>(by_cpu_.size());
        for (Cpu cpu = 0; cpu < topology_.cpu_count(); ++cpu) by_cpu_.push_back(of_cpu(per, cpu));
        for (std::uint32_t known = 0; known < row; known += topology_.cpu_count()) {
            if (!std::equal(by_cpu_.begin() + known, by_cpu_.begin() + known + topology_.cpu_count(),
                            by_cpu_.begin() + row))
                continue;
            by_cpu_.resize(row);
            return known;
        }
        return row;
    }
    /// The number of the instance that `t` uses now, of a prepared scope.
    template <class C>
    std::uint32_t at(const C& core, std::uint32_t prepared, Task t) const {
        return prepared == by_process ? core.process_of(t) : by_cpu_[prepared + core.cpu_of(t)];
    }

    /// `first` plus the number of the instance that `t` uses now.
    template <class C>
    std::uint32_t instance(const C& core, const ScopeSpec& per, std::uint32_t first, Task t) const {
        return first + (per.scope == Scope::process ? core.process_of(t) : of_cpu(per, core.cpu_of(t)));
    }

    /// The NUMA node that an instance lives on: its CPUs' for per-CPU and per-node things, else the kernel's home node.
    std::uint32_t home(const ScopeSpec& per, std::uint32_t index) const {
        switch (per.scope) {
            case Scope::cpu:
                return topology_.cpus[index].socket;
            case Scope::node:
                return index;
            case Scope::cpus:
                return topology_.cpus[index * per.every].socket;
            default:
                return topology_.home_node;
        }
    }

  private:
    static constexpr std::uint32_t by_process = ~std::uint32_t{0};

    std::uint32_t of_cpu(const ScopeSpec& per, Cpu cpu) const {
        switch (per.scope) {
            case Scope::cpu:
                return cpu;
            case Scope::node:
                return topology_.cpus[cpu].socket;
            case Scope::cpus:
                return cpu / per.every;
            case Scope::global:
            case Scope::process:
            case Scope::task:
                break;
        }
        return 0;
    }

    const Topology& topology_;
    std::uint32_t processes_;
    std::vector<std::uint32_t> by_cpu_;  // of each prepared scope, the instances of all CPUs in a row
};

}  // namespace forksim
