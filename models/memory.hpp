#pragma once
#include <vector>

#include "models/line.hpp"
#include "models/spec.hpp"
#include "sim/core.hpp"
#include "sim/record.hpp"
#include "sim/time.hpp"
#include "sim/topology.hpp"

namespace forksim {

/// The cache lines of a machine and the store buffers in front of them.
///
/// A plain store to a lock's word retires at once and drains in program order: the CPU goes on, the line follows.
/// A locked read-modify-write waits until the CPU's buffer is empty (x86; Intel SDM volume 3, 9.2.2).
class Memory {
  public:
    /// `word_factor`: see Lines.
    explicit Memory(const Topology& topology, std::uint32_t word_factor = 1024)
        : lines(topology, word_factor), drained_(topology.cpu_count()) {
        nodes_.reserve(2 * drained_.size());
        for (Cpu cpu = 0; cpu < topology.cpu_count(); ++cpu)
            for (int level = 0; level < 2; ++level)
                nodes_.push_back(lines.add(topology.cpus[cpu].socket, LineUse::word));
    }

    Time load(LineId line, Cpu cpu, Time now) { return lines.read(line, cpu, now); }

    /// A locked read-modify-write: returns when it is done.
    Time rmw(LineId line, Cpu cpu, Time now) { return lines.write(line, cpu, later(now, drained_[cpu])); }

    /// A plain store, entering the buffer at `now`: returns when others can see it.
    Time store(LineId line, Cpu cpu, Time now) {
        drained_[cpu] = lines.write(line, cpu, later(now, drained_[cpu]));
        return drained_[cpu];
    }

    /// The MCS node that `t` queues with on `cpu` (per-CPU qnodes, kernel/locking/qspinlock.c): softirq contexts, which
    /// have the lowest task numbers, use the second of the nesting levels.
    LineId mcs_node(Task t, Cpu cpu) const { return nodes_[2 * cpu + (t < drained_.size() ? 1 : 0)]; }

    /// As whom `t` polls on `cpu`: a softirq context may poll while the task under it does.
    Poller poller(Task t, Cpu cpu) const {
        return t < drained_.size() ? cpu + static_cast<Poller>(drained_.size()) : cpu;
    }

    /// The node that a task on `cpu` queues with to spin optimistically (osq_node, kernel/locking/osq_lock.c).
    LineId osq_node(Cpu cpu) const { return osq_nodes_[cpu]; }
    /// Makes these nodes, if they are not there.
    void need_osq_nodes(const Topology& topology) {
        for (Cpu cpu = static_cast<Cpu>(osq_nodes_.size()); cpu < topology.cpu_count(); ++cpu)
            osq_nodes_.push_back(lines.add(topology.cpus[cpu].socket, LineUse::word));
    }

    Lines lines;

  private:
    std::vector<Time> drained_;  // by CPU: its store buffer is empty from then on
    std::vector<LineId> nodes_;
    std::vector<LineId> osq_nodes_;
};

class Rcu;

/// Timers of lock kinds have this bit, the task from bit 32 on, and a number that must still be its Wait::ticket.
inline constexpr TimerId lock_timer = TimerId{1} << 61;

/// What an instance of a lock is made from.
struct Making {
    const LockSpec& spec;
    const ModelSpec& model;
    const Topology& topology;
    LineId line;  ///< of the lock's word
    Memory& memory;
    Rcu& rcu;
    std::uint32_t instance;  ///< number among all instances of locks: who asks for a grace period
};

/// What a lock kind remembers of a task between two calls while it acquires. What every try looks at comes first.
struct alignas(64) Wait {
    const Op* op = nullptr;      ///< that it is in the middle of, if that is an acquisition
    std::uint32_t instance = 0;  ///< of the lock that it acquires or releases, among all instances of locks
    Time since;                  ///< first try
    Time linked;                 ///< its link to the predecessor's node is visible
    Task next = no_task;         ///< behind it in a queue
    std::uint32_t ticket = 0;
    std::uint8_t phase = 0;  ///< of the lock kind's algorithm; 0 = not begun
    std::uint8_t spin = 0;   ///< of the queue spinlock inside it
    bool contended = false;
    bool granted = false;   ///< the lock is its own once the CPU is no longer busy
    bool watching = false;  ///< spins on a line
    bool saw_only_pending = false;
    bool saw_queue = false;
    bool releasing = false;   ///< in the middle of a release that takes several steps
    bool given = false;       ///< the lock is its own already: somebody else has seen to it
    bool asleep = false;      ///< has given up its CPU and has not been woken
    bool optimistic = false;  ///< spins only as long as the owner runs and nobody else wants the CPU
    bool has_parts = false;   ///< its wait is told apart, as follows
    std::uint8_t part = 0;    ///< what it waits for now
    AcquireMode mode{};       ///< in which it waits or releases; kinds with modes whose waiters sleep
    std::uint32_t turns = 0;  ///< of polling loops drawn for it so far, at whatever test-and-set lock
    Time part_since;
    WaitParts parts;

    void begin_parts(std::uint8_t first) {
        has_parts = true;
        part = first;
        part_since = since;
        parts = {};
    }
    /// From now on it waits for something else.
    void turn_to(std::uint8_t next_part, Time now) {
        parts[part] += now - part_since;
        part_since = now;
        part = next_part;
    }
};

/// Outcome of one step of an acquisition: what the task does, or that the lock is granted now.
struct Step {
    Outcome outcome;

    bool granted() const { return outcome.note() == grants; }
    /// Whether the lock is granted once the CPU has been busy: there is no need to ask again.
    bool grants_then() const { return outcome.note() == grants_after; }

    /// The same for a lock inside another one, whose grant is not that one's.
    Step inside() const { return grants_then() ? after(outcome.busy_for(), outcome.part()) : *this; }

    static Step grant() { return {{Outcome::proceed, Part::lines, false, false, {}, grants}}; }
    static Step grant_after(Time d, Part part) { return {{Outcome::busy, part, true, false, d, grants_after}}; }
    static Step after(Time d, Part part) { return {{Outcome::busy, part, true, false, d}}; }
    /// Of a release: it is over, with the CPU busy for a last `d`.
    static Step over(Time d) {
        if (d == Time{}) return grant();
        return {{Outcome::busy, Part::lines, false, false, d, grants}};
    }
    static Step block() { return {{Outcome::block, Part::handoff, true, false, {}}}; }
    static Step spin() { return {{Outcome::spin, Part::handoff, true, false, {}}}; }

  private:
    static constexpr std::uint8_t grants = 1;
    static constexpr std::uint8_t grants_after = 2;
};

}  // namespace forksim
