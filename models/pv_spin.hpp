#pragma once
#include <utility>
#include <vector>

#include "models/memory.hpp"
#include "models/spec.hpp"
#include "sim/check.hpp"
#include "sim/core.hpp"

namespace forksim {

/// The paravirtual queue spinlock of KVM guests (kernel/locking/qspinlock_paravirt.h and
/// __pv_queued_spin_lock_slowpath()): no pending waiter; a newcomer steals the lock while there is a queue and
/// its head has not yet set the pending bit, else queues; the head sets the bit, which ends stealing, and polls.
/// The unlock is a locked instruction.
///
/// Halting: a waiter behind the head that has waited longer than SpinSpec::halt_after when it becomes head has halted
/// its virtual CPU: the next unlock kicks it. So has a head when the lock is released to it that late (in the kernel it
/// opens the lock to thieves meanwhile; here it does not). Virtual CPUs are never preempted.
class PvSpin {
  public:
    static constexpr Virt virt = Virt::pv;

    explicit PvSpin(const Making& making) : line_(making.line), spec_(making.model.spin) {}

    template <class C>
    Step acquire(C& core, Memory& memory, std::vector<Wait>& waits, Task t) {
        Wait& w = waits[t];
        const Cpu cpu = core.cpu_of(t);
        const Time now = core.now();
        switch (w.spin) {
            case start: {  // cmpxchg 0 -> locked
                const Time done = memory.rmw(line_, cpu, now);
                if (owner_ == no_task && !pending_ && tail_ == no_task) return take(t, w, done - now, Part::lines);
                w.contended = true;
                w.spin = steal;
                return Step::after(done - now, Part::handoff);
            }
            case steal:
                return try_to_steal(core, memory, waits, t);
            case looked:
                return stealing(core, memory, waits, t);
            case node: {  // promoted: reads the word; sets the pending bit
                const Time done = memory.load(line_, cpu, now);
                w.spin = head;
                return Step::after(done - now, Part::handoff);
            }
            case head:
                return wait_as_head(core, memory, waits, t);
            case claim:
                return claim_as_head(core, memory, waits, t);
            default:
                w.spin = start;
                return Step::grant();
        }
    }

    /// __pv_queued_spin_unlock(): a cmpxchg. Returns how long the CPU is busy with it, and with the kick.
    template <class C>
    Time release(C& core, Memory& memory, std::vector<Wait>& waits, Task t) {
        FORKSIM_CHECK(owner_ == t, "a spinlock released by a task that does not own it");
        const Time now = core.now();
        const Time done = memory.rmw(line_, core.cpu_of(t), now);
        owner_ = no_task;
        Time busy = done - now;
        if (halted_ != no_task) {  // the word said SLOW
            waits[halted_].spin = node;
            busy += spec_.kick;
            core.resume(halted_, busy + spec_.kick_wake, t);
            halted_ = no_task;
        } else if (pending_ && waits[head_].watching) {
            const Poller poller = memory.poller(head_, core.cpu_of(head_));
            Time sees = memory.lines.seen(poller) - now;
            stop_polling(memory, waits[head_], poller);
            if (now - waits[head_].linked > spec_.halt_after) {
                busy += spec_.kick;
                sees = later(sees, busy + spec_.kick_wake);
            }
            core.resume(head_, sees, t);
        }
        if (!pending_) wake_thieves(core, memory, waits, t);
        return busy;
    }

    Task owner() const { return owner_; }

  private:
    enum Phase : std::uint8_t { start, steal, looked, node, head, claim, granted };

    Step take(Task t, Wait& w, Time after, Part part) {
        owner_ = t;
        w.spin = granted;
        if (after > Time{}) return Step::after(after, part);
        w.spin = start;
        return Step::grant();
    }

    static Step on(Wait& w, Phase phase, Time after) {
        w.spin = phase;
        return Step::after(after, Part::handoff);
    }

    Step poll(Memory& memory, Wait& w, Task t, Cpu cpu, Time now) {
        memory.lines.watch(line_, memory.poller(t, cpu), now);
        w.watching = true;
        return Step::spin();
    }
    void stop_polling(Memory& memory, Wait& w, Poller poller) {
        memory.lines.unwatch(line_, poller);
        w.watching = false;
    }

    /// pv_hybrid_queued_unfair_trylock(): looks at the word. What it sees it acts on in stealing().
    template <class C>
    Step try_to_steal(C& core, Memory& memory, std::vector<Wait>& waits, Task t) {
        Wait& w = waits[t];
        const Cpu cpu = core.cpu_of(t);
        memory.store(memory.mcs_node(t, cpu), cpu, core.now());  // the node is made ready before
        const Time done = memory.load(line_, cpu, core.now());
        if (done > core.now()) return on(w, looked, done - core.now());
        return stealing(core, memory, waits, t);
    }

    template <class C>
    Step stealing(C& core, Memory& memory, std::vector<Wait>& waits, Task t) {
        Wait& w = waits[t];
        const Cpu cpu = core.cpu_of(t);
        const Time now = core.now();
        if (owner_ == no_task && !pending_) return take(t, w, memory.rmw(line_, cpu, now) - now, Part::handoff);
        if (tail_ == no_task || pending_) return enqueue(core, memory, waits, t);
        w.spin = looked;
        thieves_.push_back(t);
        return poll(memory, w, t, cpu, now);
    }

    /// The word has changed: those that wait for a chance to steal see it, or see that it has passed.
    template <class C>
    void wake_thieves(C& core, Memory& memory, std::vector<Wait>& waits, Task cause) {
        for (const Task thief : thieves_) {
            const Poller poller = memory.poller(thief, core.cpu_of(thief));
            const Time sees = memory.lines.seen(poller);
            stop_polling(memory, waits[thief], poller);
            core.resume(thief, sees - core.now(), cause);
        }
        thieves_.clear();
    }

    /// Swaps the tail, links to the predecessor.
    template <class C>
    Step enqueue(C& core, Memory& memory, std::vector<Wait>& waits, Task t) {
        Wait& w = waits[t];
        const Cpu cpu = core.cpu_of(t);
        const Time done = memory.rmw(line_, cpu, core.now());
        const Task previous = std::exchange(tail_, t);
        w.next = no_task;
        if (previous == no_task) {
            head_ = t;
            return on(w, head, done - core.now());
        }
        waits[previous].next = t;
        const Cpu behind = core.cpu_of(previous);
        w.linked = memory.store(memory.mcs_node(previous, behind), cpu, done);
        w.spin = node;
        memory.lines.watch(memory.mcs_node(t, cpu), memory.poller(t, cpu), done);
        return Step::spin();
    }

    /// pv_wait_head_or_lock(): sets the pending bit, polls the locked byte, takes both in one cmpxchg.
    template <class C>
    Step wait_as_head(C& core, Memory& memory, std::vector<Wait>& waits, Task t) {
        Wait& w = waits[t];
        const Cpu cpu = core.cpu_of(t);
        const Time now = core.now();
        if (!pending_) {
            pending_ = true;
            w.linked = now;
            memory.store(line_, cpu, now);
            wake_thieves(core, memory, waits, t);
        }
        if (owner_ != no_task) return poll(memory, w, t, cpu, now);
        const Time done = memory.rmw(line_, cpu, now);  // trylock_clear_pending()
        owner_ = t;
        pending_ = false;
        return on(w, claim, done - now);
    }

    /// Has the lock; takes itself out of the queue and makes the next one head.
    template <class C>
    Step claim_as_head(C& core, Memory& memory, std::vector<Wait>& waits, Task t) {
        Wait& w = waits[t];
        const Cpu cpu = core.cpu_of(t);
        const Time now = core.now();
        w.spin = granted;
        if (tail_ == t) {  // cmpxchg clears the tail
            const Time done = memory.rmw(line_, cpu, now);
            tail_ = head_ = no_task;
            return take(t, w, done - now, Part::handoff);
        }
        const Task next = w.next;
        Wait& n = waits[next];
        const Cpu other = core.cpu_of(next);
        const LineId node_line = memory.mcs_node(next, other);
        const Poller poller = memory.poller(next, other);
        memory.store(line_, cpu, now);                       // set_locked()
        memory.store(node_line, cpu, later(now, n.linked));  // arch_mcs_spin_unlock_contended()
        head_ = next;
        if (now - n.since > spec_.halt_after) {
            halted_ = next;  // pv_kick_node(): enters it in the hash table, the unlock will kick it
        } else {
            core.resume(next, memory.lines.seen(poller) - now, t);
        }
        memory.lines.unwatch(node_line, poller);
        w.spin = start;
        return Step::grant();
    }

    LineId line_;
    SpinSpec spec_;
    Task owner_ = no_task;
    bool pending_ = false;  // set by the head: no more stealing
    Task head_ = no_task;
    Task tail_ = no_task;
    Task halted_ = no_task;      // the head, if its virtual CPU is halted
    std::vector<Task> thieves_;  // poll the word, outside the queue
};

}  // namespace forksim
