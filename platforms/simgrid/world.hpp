#pragma once
#include <cstdint>
#include <deque>
#include <exception>
#include <memory>
#include <set>
#include <vector>

#include "models/line_table.hpp"
#include "models/memory.hpp"
#include "models/objects/object_table.hpp"
#include "models/scope.hpp"
#include "models/spec.hpp"
#include "platforms/simgrid/actors.hpp"
#include "platforms/simgrid/cpus.hpp"
#include "platforms/simgrid/locks.hpp"
#include "platforms/simgrid/rcu.hpp"
#include "platforms/simgrid/reference.hpp"
#include "sim/program.hpp"
#include "sim/topology.hpp"

namespace forksim::reference {

class Context;
struct Process;

/// Everything that the actors of one run share. One actor acts at a time, until it waits (see Actors): what stands
/// between two waits is atomic.
struct World {
    World(const Program& program, const ModelSpec& spec, const Topology& topology, const CoreConfig& config,
          std::uint64_t stream);
    ~World();
    World(const World&) = delete;
    World& operator=(const World&) = delete;

    Time now() const { return actors.now(); }
    /// Whether the window is open: from the end of the warm-up on, until before its own end.
    bool open() const {
        const Time t = now();
        return t >= config.warmup && t < config.warmup + config.duration;
    }
    /// Makes `body` an actor on a CPU's host, which waits at `sleeper`; an exception that leaves it ends the run.
    void start_actor(Cpu cpu, const std::string& name, Sleeper& sleeper, std::function<void()> body);
    /// When what a CPU executes has its turn among the CPUs: an order drawn once per run, or that of their numbers.
    Turn turn(Cpu cpu) const { return {Turn::cpu, rank[cpu]}; }
    /// When a timer has its turn: that of a sleeping task by its number, that of a CPU's tick by the CPU's.
    Turn timer_turn(std::uint64_t number) const;

    /// A task that is not runnable yet, on the CPU of its parent, which is the context `parent` if there is one.
    std::shared_ptr<Context> new_task(Cpu cpu, std::shared_ptr<Process> process, std::uint32_t parent = no_task);
    /// A process without tasks, created by another.
    std::shared_ptr<Process> new_process(const std::shared_ptr<Process>& parent);
    /// The number of a task that has ended may be used again.
    void free_number(std::uint32_t number) { free_numbers.push_back(number); }
    std::uint32_t new_identity();
    void free_identity(std::uint32_t identity) { free_identities.push_back(identity); }
    /// The number of the instance of a scoped thing that a task uses now.
    std::uint32_t instance(const ScopeSpec& per, const Context& context) const;
    void born(const Birth& birth);

    /// What the context of that number noted last while it waited: its ticket, its place in a queue, a sequence, a
    /// timer's number, the end of a list of those to wake. Contexts that end leave it to those that get their number.
    std::uint32_t& noted(std::uint32_t number) {
        if (noted_.size() <= number) noted_.resize(number + 1, 0);
        return noted_[number];
    }
    /// How many turns of polling loops have been drawn for the contexts of that number.
    std::uint32_t& turns(std::uint32_t number) {
        if (turns_.size() <= number) turns_.resize(number + 1, 0);
        return turns_[number];
    }

    Time load(LineId line, Cpu cpu) { return memory.load(line, cpu, now()); }
    Time rmw(LineId line, Cpu cpu) { return memory.rmw(line, cpu, now()); }

    const Program& program;
    const ModelSpec& spec;
    const Topology& topology;
    const CoreConfig& config;
    const std::uint64_t stream;  ///< the run's number: seed mixed with replication

    Actors actors;
    Memory memory;
    ScopeIndex scopes;
    LineTable lines;
    std::vector<std::uint32_t> rank;  ///< by CPU
    Cpus cpus;
    Locks locks;
    ObjectTable objects;
    Rcu rcu;
    std::vector<std::vector<std::uint32_t>> pools;  ///< [pool][instance] objects in it

    std::uint32_t processes = 0;  ///< numbers of them so far
    std::vector<std::uint32_t> free_processes;
    std::shared_ptr<Process> init;  ///< the parent of whoever has no other
    std::uint32_t numbers = 0;      ///< of contexts so far
    std::vector<std::uint32_t> free_numbers;
    std::uint32_t identities = 0;  // of handles so far
    std::vector<std::uint32_t> free_identities;
    std::set<const Context*> tasks;  ///< that have begun and not ended
    std::exception_ptr failure;
    Answer answer;

  private:
    std::vector<std::uint32_t> noted_;
    std::vector<std::uint32_t> turns_;  // by number of the context
};

}  // namespace forksim::reference
