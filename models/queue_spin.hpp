#pragma once
#include <vector>

#include "models/memory.hpp"
#include "sim/check.hpp"
#include "sim/core.hpp"

namespace forksim {

/// The kernel's queue spinlock (kernel/locking/qspinlock.c, native): one word of locked byte, pending bit and tail, and
/// an MCS queue. Used by `spinlock`, and by `rwlock` for its wait_lock.
///
/// Every access to the word's line and to the nodes' lines is made in the kernel's order. What an atomic does takes
/// effect in the order in which the accesses are asked for, which is the order in which the line serves them; the CPU
/// goes on when its access is done. Simplifications: the trylock just before the tail swap is one access with it; the
/// owner's look at its node's `next` is free (it was prefetched while waiting).
class QueueSpin {
  public:
    static constexpr Virt virt = Virt::none;

    explicit QueueSpin(const Making& making) : line_(making.line) {}

    /// One step of queued_spin_lock() by `t`; called again after each busy or spin until it grants.
    template <class C>
    Step acquire(C& core, Memory& memory, std::vector<Wait>& waits, Task t) {
        Wait& w = waits[t];
        const Cpu cpu = core.cpu_of(t);
        const Time now = core.now();
        switch (w.spin) {
            case start: {  // cmpxchg 0 -> locked
                const Time done = memory.rmw(line_, cpu, now);
                if (free()) return claim_at(t, w, done - now, Part::lines);
                w.contended = true;
                look(w);
                w.spin = slowpath;
                return Step::after(done - now, Part::handoff);
            }
            case slowpath:
                if (w.saw_only_pending) return await_handover(memory, waits, t, cpu, now);
                if (w.saw_queue) return enqueue(core, memory, waits, t);
                return set_pending(core, memory, w, t);
            case handover:  // the pending waiter has taken the lock, or let go: look again
                look(w);
                w.spin = slowpath;
                return acquire(core, memory, waits, t);
            case queue:
                return enqueue(core, memory, waits, t);
            case pending:
                return clear_pending_set_locked(core, memory, waits, t);
            case head_read: {
                const Time done = memory.load(line_, cpu, now);
                w.spin = head;
                if (owner_ == no_task && pending_ == no_task) return Step::after(done - now, Part::handoff);
                return poll(memory, w, t, cpu, done);
            }
            case head:
                return claim_as_head(core, memory, waits, t);
            default:
                w.spin = start;
                return Step::grant();
        }
    }

    /// queued_spin_unlock(): a plain store of zero to the locked byte. Returns how long the CPU is busy with it: not at
    /// all.
    template <class C>
    Time release(C& core, Memory& memory, std::vector<Wait>& waits, Task t) {
        FORKSIM_CHECK(owner_ == t, "a spinlock released by a task that does not own it");
        owner_ = no_task;
        memory.store(line_, core.cpu_of(t), core.now());
        const Task first = pending_ != no_task ? pending_ : head_;
        if (first != no_task && waits[first].watching) let_go_on(core, memory, waits, first, t);
        return {};
    }

    Task owner() const { return owner_; }

  private:
    enum Phase : std::uint8_t { start, slowpath, handover, queue, pending, head_read, head, granted, node };

    bool free() const { return owner_ == no_task && pending_ == no_task && tail_ == no_task; }

    /// What the word's value, as just read, says: decides the way through queued_spin_lock_slowpath().
    void look(Wait& w) const {
        w.saw_only_pending = owner_ == no_task && pending_ != no_task && tail_ == no_task;
        w.saw_queue = pending_ != no_task || tail_ != no_task;
    }

    Step claim_at(Task t, Wait& w, Time after, Part part) {
        owner_ = t;
        w.spin = granted;
        if (after == Time{}) {
            w.spin = start;
            return Step::grant();
        }
        return Step::grant_after(after, part);
    }

    /// Polls the word, which it has looked at `since`.
    Step poll(Memory& memory, Wait& w, Task t, Cpu cpu, Time since) {
        memory.lines.watch(line_, memory.poller(t, cpu), since);
        w.watching = true;
        return Step::spin();
    }

    /// `cause` has just written to the word: `t`, which polls it, sees that and goes on.
    template <class C>
    void let_go_on(C& core, Memory& memory, std::vector<Wait>& waits, Task t, Task cause) {
        const Poller poller = memory.poller(t, core.cpu_of(t));
        const Time sees = memory.lines.seen(poller);
        memory.lines.unwatch(line_, poller);
        waits[t].watching = false;
        core.resume(t, sees - core.now(), cause);
    }

    /// val == _Q_PENDING_VAL: the pending waiter is about to take the lock; spin until the word changes: it takes the
    /// lock, or somebody queues. (The kernel gives up after _Q_PENDING_LOOPS = 512 reads, which takes longer than a
    /// hand-over.)
    Step await_handover(Memory& memory, std::vector<Wait>& waits, Task t, Cpu cpu, Time now) {
        Wait& w = waits[t];
        w.spin = handover;
        if (pending_ == no_task || owner_ != no_task || tail_ != no_task) return Step::after({}, Part::handoff);
        w.next = handover_;
        handover_ = t;
        return poll(memory, w, t, cpu, now);
    }

    /// lock bts PENDING: become the one waiter without a queue node, unless somebody was first.
    template <class C>
    Step set_pending(C& core, Memory& memory, Wait& w, Task t) {
        const Cpu cpu = core.cpu_of(t);
        const Time done = memory.rmw(line_, cpu, core.now());
        if (pending_ != no_task || tail_ != no_task) {
            if (pending_ == no_task) memory.store(line_, cpu, done);  // undo our own bit: clear_pending()
            w.spin = queue;
            return Step::after(done - core.now(), Part::handoff);
        }
        pending_ = t;
        w.spin = pending;
        if (owner_ == no_task) return Step::after(done - core.now(), Part::handoff);
        return poll(memory, w, t, cpu, done);
    }

    template <class C>
    Step clear_pending_set_locked(C& core, Memory& memory, std::vector<Wait>& waits, Task t) {
        FORKSIM_CHECK(owner_ == no_task && pending_ == t, "the pending waiter was overtaken");
        owner_ = t;
        pending_ = no_task;
        memory.store(line_, core.cpu_of(t), core.now());
        end_handover_waits(core, memory, waits, t);
        waits[t].spin = start;
        return Step::grant();
    }

    /// The word is no longer _Q_PENDING_VAL: those that waited for that see it.
    template <class C>
    void end_handover_waits(C& core, Memory& memory, std::vector<Wait>& waits, Task cause) {
        while (handover_ != no_task) {
            const Task other = handover_;
            handover_ = waits[other].next;
            waits[other].next = no_task;
            let_go_on(core, memory, waits, other, cause);
        }
    }

    /// Initialises the node, swaps the tail, links to the predecessor.
    template <class C>
    Step enqueue(C& core, Memory& memory, std::vector<Wait>& waits, Task t) {
        Wait& w = waits[t];
        const Cpu cpu = core.cpu_of(t);
        memory.store(memory.mcs_node(t, cpu), cpu, core.now());
        const Time done = memory.rmw(line_, cpu, core.now());
        if (free()) return claim_at(t, w, done - core.now(), Part::handoff);
        const Task previous = tail_;
        tail_ = t;
        end_handover_waits(core, memory, waits, t);
        w.next = no_task;
        w.ticket = ++tickets_;
        if (previous == no_task) {
            head_ = t;
            w.spin = head;
            if (owner_ == no_task && pending_ == no_task) return Step::after(done - core.now(), Part::handoff);
            return poll(memory, w, t, cpu, done);
        }
        waits[previous].next = t;
        const Cpu behind = core.cpu_of(previous);
        w.linked = memory.store(memory.mcs_node(previous, behind), cpu, done);
        w.spin = node;
        memory.lines.watch(memory.mcs_node(t, cpu), memory.poller(t, cpu), done);
        return Step::spin();
    }

    /// The head saw locked == 0 and pending == 0: takes the lock and makes the next one head.
    template <class C>
    Step claim_as_head(C& core, Memory& memory, std::vector<Wait>& waits, Task t) {
        Wait& w = waits[t];
        FORKSIM_CHECK(owner_ == no_task && pending_ == no_task && head_ == t, "the queue head was overtaken");
        FORKSIM_CHECK(w.ticket == ++served_, "the queue is not first in, first out");
        const Cpu cpu = core.cpu_of(t);
        const Time now = core.now();
        if (tail_ == t) {  // nobody behind: cmpxchg clears the tail and sets locked
            const Time done = memory.rmw(line_, cpu, now);
            tail_ = head_ = no_task;
            return claim_at(t, w, done - now, Part::handoff);
        }
        owner_ = t;
        memory.store(line_, cpu, now);  // set_locked(): the section begins while the store drains
        const Task next = w.next;
        Wait& n = waits[next];
        const Cpu other = core.cpu_of(next);
        const LineId node_line = memory.mcs_node(next, other);
        const Poller poller = memory.poller(next, other);
        memory.store(node_line, cpu, later(now, n.linked));  // arch_mcs_spin_unlock_contended()
        const Time sees = memory.lines.seen(poller);
        memory.lines.unwatch(node_line, poller);
        head_ = next;
        n.spin = head_read;
        core.resume(next, sees - now, t);
        w.spin = start;
        return Step::grant();
    }

    LineId line_;
    Task owner_ = no_task;
    Task pending_ = no_task;
    Task head_ = no_task;  // first of the queue, once its predecessor has promoted it
    Task tail_ = no_task;
    Task handover_ = no_task;  // those that saw the pending bit alone, through Wait::next
    std::uint32_t tickets_ = 0;
    std::uint32_t served_ = 0;
};

}  // namespace forksim
