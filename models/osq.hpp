#pragma once
#include <vector>

#include "models/memory.hpp"
#include "models/task_queue.hpp"
#include "sim/core.hpp"

namespace forksim {

/// The queue of those that spin for a sleeping lock because its owner runs (kernel/locking/osq_lock.c): an MCS queue
/// whose head polls the lock, and which everybody leaves as soon as somebody else is due on its CPU. The tail stands on
/// the lock's line.
class Osq {
  public:
    explicit Osq(const Making& making) : line_(making.line) { making.memory.need_osq_nodes(making.topology); }

    /// osq_lock(): swaps the tail and queues. Returns whether `t` is head at once; else it has to spin (Step::spin())
    /// until it becomes head or gives up. `took` is how long the swap took.
    template <class C>
    bool enter(C& core, Memory& memory, std::vector<Wait>& waits, Task t, Time& took) {
        const Cpu cpu = core.cpu_of(t);
        const Time done = memory.rmw(line_, cpu, core.now());
        took = done - core.now();
        const Task previous = last_;
        queue_.push(waits, t);
        last_ = t;
        if (previous == no_task) return true;
        Wait& w = waits[t];
        w.linked = memory.store(memory.osq_node(core.cpu_of(previous)), cpu, done);
        memory.lines.watch(memory.osq_node(cpu), memory.poller(t, cpu), done);
        w.optimistic = true;
        return false;
    }

    Task head() const { return queue_.front(); }

    /// osq_unlock() by the head: tries to clear the tail, else makes the next one head. Returns when the lock's line
    /// has been tried.
    template <class C>
    Time leave(C& core, Memory& memory, std::vector<Wait>& waits, Task t, Time now) {
        const Cpu cpu = core.cpu_of(t);
        const Time done = memory.rmw(line_, cpu, now);
        queue_.pop(waits);
        if (queue_.empty()) {
            last_ = no_task;
            return done;
        }
        const Task next = queue_.front();
        const Cpu other = core.cpu_of(next);
        const LineId node = memory.osq_node(other);
        memory.store(node, cpu, later(done, waits[next].linked));
        const Poller poller = memory.poller(next, other);
        const Time sees = memory.lines.seen(poller);
        memory.lines.unwatch(node, poller);
        waits[next].optimistic = false;
        core.resume(next, sees - core.now(), t);
        return done;
    }

    /// `t`, not the head, unlinks its node and goes on at once.
    template <class C>
    void give_up(C& core, Memory& memory, std::vector<Wait>& waits, Task t) {
        const Cpu cpu = core.cpu_of(t);
        const Task next = waits[t].next;
        queue_.remove(waits, t);
        if (t == last_) {
            last_ = queue_.front();
            while (last_ != no_task && waits[last_].next != no_task) last_ = waits[last_].next;
        } else {
            memory.store(memory.osq_node(core.cpu_of(next)), cpu, core.now());
        }
        memory.lines.unwatch(memory.osq_node(cpu), memory.poller(t, cpu));
        waits[t].optimistic = false;
        core.resume(t, Time{}, no_task);
    }

  private:
    LineId line_;
    TaskQueue queue_;
    Task last_ = no_task;
};

}  // namespace forksim
