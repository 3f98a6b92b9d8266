#pragma once
#include <vector>

#include "models/pv_spin.hpp"
#include "models/queue_spin.hpp"
#include "models/spec.hpp"
#include "models/tas_spin.hpp"

namespace forksim {

/// `rwlock`: the kernel's qrwlock (kernel/locking/qrwlock.c). `cnts` and `wait_lock` share one cache line, so
/// whoever queues disturbs whoever holds or polls. In guests the wait_lock is what every spinlock is there.
template <class WaitLock>
class RwlockOf {
  public:
    static constexpr LockKind kind = LockKind::rwlock;
    static constexpr bool spins = true;

    static constexpr bool suits(Virt virt) { return virt == WaitLock::virt; }

    explicit RwlockOf(const Making& making) : line_(making.line), claim_(making.spec.claim), wait_lock_(making) {}

    template <class C>
    Step acquire(C& core, Memory& memory, std::vector<Wait>& waits, Task t, AcquireMode mode) {
        return mode == AcquireMode::read ? read_lock(core, memory, waits, t) : write_lock(core, memory, waits, t);
    }

    template <class C>
    Time release(C& core, Memory& memory, std::vector<Wait>& waits, Task t, AcquireMode mode) {
        const Cpu cpu = core.cpu_of(t);
        if (mode == AcquireMode::read) {  // atomic_sub_return_release(_QR_BIAS)
            FORKSIM_CHECK(readers_ > 0, "an rwlock released by a reader it does not have");
            const Time done = memory.rmw(line_, cpu, core.now());
            --readers_;
            let_poller_go(core, memory, waits, t);
            return done - core.now();
        }
        FORKSIM_CHECK(writer_ == t, "an rwlock released by a writer that does not own it");
        memory.store(line_, cpu, core.now());  // smp_store_release(&wlocked, 0)
        writer_ = no_task;
        let_poller_go(core, memory, waits, t);
        for (const Task reader : interrupt_readers_) {
            let_go_on(core, memory, waits, reader, t);
        }
        interrupt_readers_.clear();
        return {};
    }

    Task owner() const { return writer_; }

  private:
    enum Phase : std::uint8_t { start, undo, queue, add, poll_free, poll_waiting, claim, unlock, granted };

    bool idle() const { return writer_ == no_task && readers_ == 0 && !waiting_; }

    /// queued_read_lock() and its slowpath.
    template <class C>
    Step read_lock(C& core, Memory& memory, std::vector<Wait>& waits, Task t) {
        Wait& w = waits[t];
        const Cpu cpu = core.cpu_of(t);
        const Time now = core.now();
        switch (w.phase) {
            case start: {
                const Time done = memory.rmw(line_, cpu, now);
                ++readers_;
                if (writer_ == no_task && !waiting_) return after(w, granted, done - now, Part::lines);
                w.contended = true;
                if (t < core.topology().cpu_count()) {  // in_interrupt(): ignores WAITING
                    if (writer_ == no_task) return after(w, granted, done - now, Part::handoff);
                    interrupt_readers_.push_back(t);
                    return poll(memory, w, t, cpu, done, granted);
                }
                return after(w, undo, done - now, Part::handoff);
            }
            case undo: {
                const Time done = memory.rmw(line_, cpu, now);
                --readers_;
                let_poller_go(core, memory, waits, t);
                return after(w, queue, done - now, Part::handoff);
            }
            case queue: {
                const Step inner = wait_lock_.acquire(core, memory, waits, t);
                if (!inner.granted()) return inner.inside();
                const Time done = memory.rmw(line_, cpu, now);
                ++readers_;
                if (writer_ == no_task) return after(w, unlock, done - now, Part::handoff);
                poller_ = t;
                return poll(memory, w, t, cpu, done, unlock);
            }
            case unlock:
                return unlock_queue(core, memory, waits, t);
            default:
                w.phase = start;
                return Step::grant();
        }
    }

    /// queued_write_lock() and its slowpath.
    template <class C>
    Step write_lock(C& core, Memory& memory, std::vector<Wait>& waits, Task t) {
        Wait& w = waits[t];
        const Cpu cpu = core.cpu_of(t);
        const Time now = core.now();
        switch (w.phase) {
            case start: {
                const Time done = memory.rmw(line_, cpu, now);
                if (idle()) {
                    writer_ = t;
                    return after(w, granted, done - now, Part::lines);
                }
                w.contended = true;
                return after(w, queue, done - now, Part::handoff);
            }
            case queue: {
                const Step inner = wait_lock_.acquire(core, memory, waits, t);
                if (!inner.granted()) return inner.inside();
                const Time done = memory.rmw(line_, cpu, now);  // cmpxchg if zero, else atomic_or(WAITING)
                if (idle()) {
                    writer_ = t;
                    return after(w, unlock, done - now, Part::handoff);
                }
                waiting_ = true;
                poller_ = t;
                return poll(memory, w, t, cpu, done, claim);
            }
            case claim: {  // saw cnts == WAITING: cmpxchg to LOCKED
                const Time done = memory.rmw(line_, cpu, now);
                if (writer_ != no_task || readers_ > 0) {  // a reader's passing try got in between
                    poller_ = t;
                    return poll(memory, w, t, cpu, done, claim);
                }
                writer_ = t;
                waiting_ = false;
                return after(w, unlock, Time{(done - now).ps * claim_ / 1024}, Part::handoff);
            }
            case unlock:
                return unlock_queue(core, memory, waits, t);
            default:
                w.phase = start;
                return Step::grant();
        }
    }

    Step after(Wait& w, Phase phase, Time d, Part part) {
        w.phase = phase;
        if (phase != granted) return Step::after(d, part);
        if (d > Time{}) return Step::grant_after(d, part);
        w.phase = start;
        return Step::grant();
    }

    /// Polls the line, which it has looked at `since`.
    Step poll(Memory& memory, Wait& w, Task t, Cpu cpu, Time since, Phase phase) {
        memory.lines.watch(line_, memory.poller(t, cpu), since);
        w.watching = true;
        w.phase = phase;
        return Step::spin();
    }

    /// `cause` has just written to the line: `t`, which polls it, sees that and goes on.
    template <class C>
    void let_go_on(C& core, Memory& memory, std::vector<Wait>& waits, Task t, Task cause) {
        const Poller poller = memory.poller(t, core.cpu_of(t));
        const Time sees = memory.lines.seen(poller);
        memory.lines.unwatch(line_, poller);
        waits[t].watching = false;
        core.resume(t, sees - core.now(), cause);
    }

    /// The holder of wait_lock polls cnts: a reader until nobody writes, a writer until cnts == WAITING.
    template <class C>
    void let_poller_go(C& core, Memory& memory, std::vector<Wait>& waits, Task cause) {
        if (poller_ == no_task || writer_ != no_task) return;
        const bool writes = waits[poller_].phase == claim;
        if (writes && readers_ > 0) return;
        const Task t = poller_;
        poller_ = no_task;
        let_go_on(core, memory, waits, t, cause);
    }

    template <class C>
    Step unlock_queue(C& core, Memory& memory, std::vector<Wait>& waits, Task t) {
        return after(waits[t], granted, wait_lock_.release(core, memory, waits, t), Part::handoff);
    }

    LineId line_;
    std::uint32_t claim_;  // in 1/1024: how much of the head's last access delays it
    WaitLock wait_lock_;
    Task writer_ = no_task;
    std::uint32_t readers_ = 0;
    bool waiting_ = false;
    Task poller_ = no_task;
    std::vector<Task> interrupt_readers_;
};

using Rwlock = RwlockOf<QueueSpin>;
using TasRwlock = RwlockOf<TasSpin>;
using PvRwlock = RwlockOf<PvSpin>;

}  // namespace forksim
