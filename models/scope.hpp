#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

#include "models/spec.hpp"
#include "sim/core.hpp"
#include "sim/topology.hpp"

namespace forksim {

/// Which instance of a scoped thing a task uses. Those of processes are numbered as the core numbers processes, those
/// of tasks by identity (Completions).
class ScopeIndex {
  public:
    ScopeIndex(const Topology& topology, std::uint32_t processes)
        : topology_(topology), processes_(processes), identities_(topology.cpu_count(), 0) {}

    /// How many instances a scope has on this machine when the run begins: processes and tasks may bring more.
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
        return 0;
    }

    /// From now on the instances of tasks that `t` uses have this number.
    void identify(Task t, std::uint32_t identity) {
        if (t >= identities_.size()) identities_.resize(t + 1, 0);
        identities_[t] = identity;
    }

    /// A scope made ready for at(): asked for before the run, for what is looked up in every event.
    std::uint32_t prepare(const ScopeSpec& per) {
        if (per.scope == Scope::process) return by_process;
        if (per.scope == Scope::task) return by_task;
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
        if (prepared >= by_task) return prepared == by_process ? core.process_of(t) : identities_[t];
        return by_cpu_[prepared + core.cpu_of(t)];
    }

    /// The number of the instance that `t` uses now.
    template <class C>
    std::uint32_t number(const C& core, const ScopeSpec& per, Task t) const {
        if (per.scope == Scope::process) return core.process_of(t);
        if (per.scope == Scope::task) return identities_[t];
        return of_cpu(per, core.cpu_of(t));
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
    static constexpr std::uint32_t by_task = by_process - 1;

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
    std::vector<std::uint32_t> identities_;  // by task
    std::vector<std::uint32_t> by_cpu_;      // of each prepared scope, the instances of all CPUs in a row
};

/// Where the instances of one scoped thing are: those that there were when the run began side by side, those that
/// processes and tasks have brought one by one.
class Instances {
  public:
    Instances() = default;
    Instances(std::uint32_t first, std::uint32_t count) : first_(first), count_(count) {}

    std::uint32_t count() const { return count_ + static_cast<std::uint32_t>(more_.size()); }
    /// REQUIRES number < count().
    std::uint32_t operator[](std::uint32_t number) const {
        return number < count_ ? first_ + number : more_[number - count_];
    }
    void add(std::uint32_t instance) { more_.push_back(instance); }

  private:
    std::uint32_t first_ = 0;
    std::uint32_t count_ = 0;
    std::vector<std::uint32_t> more_;
};

/// What comes into being with a new process or task: the instances with its number.
struct Birth {
    Scope scope = Scope::process;  ///< or task
    std::uint32_t number = 0;      ///< may have belonged to one that is gone
    Cpu maker = no_cpu;            ///< on which it is created; no_cpu: it exists when the run begins, untouched
};

}  // namespace forksim
