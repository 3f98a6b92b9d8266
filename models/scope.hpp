#pragma once
#include <cstdint>

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

    /// `first` plus the number of the instance that `t` uses now.
    template <class C>
    std::uint32_t instance(const C& core, const ScopeSpec& per, std::uint32_t first, Task t) const {
        switch (per.scope) {
            case Scope::process:
                return first + core.process_of(t);
            case Scope::cpu:
                return first + core.cpu_of(t);
            case Scope::node:
                return first + topology_.cpus[core.cpu_of(t)].socket;
            case Scope::cpus:
                return first + core.cpu_of(t) / per.every;
            case Scope::global:
            case Scope::task:
                break;
        }
        return first;
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
    const Topology& topology_;
    std::uint32_t processes_;
};

}  // namespace forksim
