#pragma once
#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "models/any_spin.hpp"
#include "models/memory.hpp"
#include "models/rcu.hpp"
#include "models/rcu_sync.hpp"
#include "models/spec.hpp"
#include "models/task_queue.hpp"
#include "sim/check.hpp"
#include "sim/core.hpp"

namespace forksim {

/// `percpu_rwsem`: a percpu_rw_semaphore (kernel/locking/percpu-rwsem.c, include/linux/percpu-rwsem.h). Readers count
/// on their CPU and touch no shared line as long as no writer has been about for a grace period. A writer waits for a
/// grace period if there was none, for `block`, and for the readers to leave; one after the other, told apart in the
/// record.
///
/// Waiters of both kinds sleep in one FIFO queue. With the policy `handoff` whoever clears `block` takes the lock for
/// the readers at the head of the queue and for the first writer behind them, and wakes them one by one under
/// waiters.lock, interrupts off. Between clearing it and taking it for that writer others can come in.
///
/// A reader that finds the lock blocked wakes the writer that waits for readers to leave, a real wake-up, and does so
/// again with waiters.lock, before it queues; so does each reader that leaves.
///
/// Lines: `block` with the queue and its lock; rcu_sync with the writer's rcuwait; one counter per CPU.
class PercpuRwsem {
  public:
    static constexpr LockKind kind = LockKind::percpu_rwsem;
    static constexpr bool spins = false;
    static constexpr bool releases_in_steps = true;
    static constexpr std::array<std::string_view, 3> wait_parts{"grace_period", "blocked_by_writer", "readers_drain"};

    explicit PercpuRwsem(const Making& making)
        : rcu_(making.rcu),
          line_(making.line),
          sync_line_(making.memory.lines.add(making.topology.home_node, LineUse::word)),
          sync_(making.instance, making.spec.always_slow),
          waiters_lock_(making) {
        FORKSIM_CHECK(making.spec.policy == PercpuPolicy::handoff, "percpu_rwsem: a policy that is not modelled");
        for (const CpuPlace& place : making.topology.cpus)
            counters_.push_back(making.memory.lines.add(place.socket, LineUse::word));
    }

    template <class C>
    Step acquire(C& core, Memory& memory, std::vector<Wait>& waits, Task t, AcquireMode mode) {
        Wait& w = waits[t];
        if (mode == AcquireMode::read && w.phase == start && sync_.is_idle()) {
            ++readers_;
            memory.store(counters_[core.cpu_of(t)], core.cpu_of(t), core.now());
            return Step::grant();
        }
        w.mode = mode;
        switch (w.phase) {
            case start:
                return mode == AcquireMode::read ? read_slow(core, memory, waits, t) : enter(core, memory, w, t);
            case grace_period:
                return back_from_grace_period(waits, t);
            case wake_entered:
                return wake_entered_step(core, waits, t);
            case write_try:
                return try_to_block(core, memory, w, t);
            case to_queue:
                core.preempt(t, 1);
                core.irq_off(t, 1);
                w.phase = queue_lock;
                [[fallthrough]];
            case queue_lock: {
                const Step step = waiters_lock_.acquire(core, memory, waits, t);
                if (!step.granted()) return step.inside();
                return queue(core, memory, waits, t);
            }
            case queued:
                return unlock_queue(core, memory, waits, t);
            case asleep:
                return sleep(w);
            case drain:
                return sum_readers(core, memory, waits, t);
            case summed:
                return judge_sum(core, memory, waits, t);
            case read_in:
                core.preempt(t, -1);
                return finish(w);
            default:
                return finish(w);
        }
    }

    /// percpu_up_read(), percpu_up_write(): called again until it grants, i.e. is over.
    template <class C>
    Step release(C& core, Memory& memory, std::vector<Wait>& waits, Task t) {
        Wait& w = waits[t];
        const Cpu cpu = core.cpu_of(t);
        const Time now = core.now();
        switch (w.phase) {
            case start:
                if (w.mode == AcquireMode::read) return leave_as_reader(core, memory, waits, t);
                FORKSIM_CHECK(owner_ == t, "a percpu_rwsem released by a writer that does not own it");
                owner_ = no_task;
                blocked_ = false;
                memory.store(line_, cpu, now);
                core.preempt(t, 1);
                core.irq_off(t, 1);
                w.phase = queue_lock;
                [[fallthrough]];
            case queue_lock: {  // __wake_up()
                const Step step = waiters_lock_.acquire(core, memory, waits, t);
                if (!step.granted()) return step.inside();
                w.phase = granting;
                [[fallthrough]];
            }
            case granting:
                return grant_next(core, memory, waits, t);
            case queued: {
                const Time took = waiters_lock_.release(core, memory, waits, t);
                core.irq_off(t, -1);
                core.preempt(t, -1);
                w.phase = leaving;
                return Step::after(took, Part::lines);
            }
            default: {  // rcu_sync_exit()
                w.phase = start;
                const Time took = memory.rmw(sync_line_, cpu, now) - now;
                sync_.exit(core, rcu_);
                return Step::over(took);
            }
        }
    }

    template <class C>
    void grace_period_over(C& core, std::vector<Wait>&) {
        sync_.grace_period_over(core, rcu_);
    }

    Task owner() const { return owner_; }

    /// It belongs to a new process or task, made by `maker`, which has filled in its lines but for that of the word.
    void renew(Lines& lines, Cpu maker) {
        lines.renew(sync_line_, maker);
        for (const LineId counter : counters_) lines.refill(counter, maker);  // alloc_percpu() zeroes them
    }

  private:
    enum Phase : std::uint8_t {
        start,
        grace_period,  // sleeps in rcu_sync_enter()
        wake_entered,  // wakes those that have waited for its grace period
        write_try,
        to_queue,
        queue_lock,  // at waiters.lock, interrupts off; a release too
        queued,      // in the queue, or in by the second try: gives waiters.lock back; a release too
        asleep,      // about to sleep, or back
        drain,       // has `block`: waits for readers to leave
        summed,
        read_in,
        in,
        // Of a release by a writer:
        granting,
        leaving,
    };
    enum Part_ : std::uint8_t { part_grace_period, part_blocked, part_drain };

    static Step go(Wait& w, Phase phase, Time took) {
        w.phase = phase;
        return Step::after(took, Part::handoff);
    }
    static Step finish(Wait& w) {
        w.spin = 0;
        w.given = false;
        return Step::grant();
    }
    static void contend(Wait& w, std::uint8_t part, Time now) {
        if (!w.contended || !w.has_parts) {
            w.contended = true;
            w.begin_parts(part);
        } else {
            w.turn_to(part, now);
        }
    }

    /// rcuwait_wake_up(): the writer that waits for readers looks again. Returns what it costs.
    template <class C>
    Time prod(C& core, Memory& memory, std::vector<Wait>& waits, Task t, Time from) {
        const Time took = memory.load(sync_line_, core.cpu_of(t), from) - from;
        if (drainer_ == no_task || !waits[drainer_].asleep) return took;
        waits[drainer_].asleep = false;
        return took + core.wake(drainer_, Time{}, t);
    }

    // --- readers

    /// __percpu_down_read_trylock(): counts, looks at `block`, and takes the count back if that is set.
    template <class C>
    bool try_to_read(C& core, Memory& memory, std::vector<Wait>& waits, Task t, Time& took) {
        const Cpu cpu = core.cpu_of(t);
        const Time counted = memory.rmw(counters_[cpu], cpu, core.now());  // an increment and a barrier
        const Time seen = memory.load(line_, cpu, counted);
        took = seen - core.now();
        if (!blocked_) {
            ++readers_;
            return true;
        }
        memory.store(counters_[cpu], cpu, seen);
        took += prod(core, memory, waits, t, seen);
        return false;
    }

    template <class C>
    Step read_slow(C& core, Memory& memory, std::vector<Wait>& waits, Task t) {
        Wait& w = waits[t];
        Time took;
        if (try_to_read(core, memory, waits, t, took)) {
            if (took == Time{}) return finish(w);
            core.preempt(t, 1);
            w.phase = read_in;
            return Step::after(took, Part::lines);
        }
        contend(w, part_blocked, core.now());
        return go(w, to_queue, took);
    }

    template <class C>
    Step leave_as_reader(C& core, Memory& memory, std::vector<Wait>& waits, Task t) {
        const Cpu cpu = core.cpu_of(t);
        FORKSIM_CHECK(readers_ > 0, "a percpu_rwsem released by a reader that it does not have");
        --readers_;
        if (sync_.is_idle()) {
            memory.store(counters_[cpu], cpu, core.now());
            return Step::over({});
        }
        const Time counted = memory.rmw(counters_[cpu], cpu, core.now());  // a barrier and a decrement
        return Step::over(counted - core.now() + prod(core, memory, waits, t, counted));
    }

    // --- writers

    /// rcu_sync_enter().
    template <class C>
    Step enter(C& core, Memory& memory, Wait& w, Task t) {
        const Time took = memory.rmw(sync_line_, core.cpu_of(t), core.now()) - core.now();
        const RcuSync::Entry entry = sync_.enter(core, rcu_, t);
        if (entry == RcuSync::Entry::go_on) {
            w.phase = write_try;
            return Step::after(took, Part::lines);
        }
        contend(w, part_grace_period, core.now());
        w.phase = grace_period;
        w.asleep = entry == RcuSync::Entry::wait_for_first;
        return Step::block();
    }

    Step back_from_grace_period(std::vector<Wait>& waits, Task t) {
        if (!rcu_.is_back(t)) return go(waits[t], write_try, {});  // somebody else's
        entered_ = sync_.passed();
        return go(waits[t], wake_entered, {});
    }
    template <class C>
    Step wake_entered_step(C& core, std::vector<Wait>& waits, Task t) {
        if (entered_.empty()) return go(waits[t], write_try, {});
        const Task next = entered_.front();
        entered_.erase(entered_.begin());
        waits[next].asleep = false;
        return Step::after(core.wake(next, Time{}, t), Part::handoff);
    }

    /// __percpu_down_write_trylock().
    template <class C>
    Step try_to_block(C& core, Memory& memory, Wait& w, Task t) {
        const Cpu cpu = core.cpu_of(t);
        const Time seen = memory.load(line_, cpu, core.now());
        if (blocked_) {
            contend(w, part_blocked, core.now());
            return go(w, to_queue, seen - core.now());
        }
        blocked_ = true;
        return go(w, drain, memory.rmw(line_, cpu, seen) - core.now());
    }

    /// rcuwait_wait_event(): sums the counters of all CPUs. A core has about ten loads under way at a time.
    template <class C>
    Step sum_readers(C& core, Memory& memory, std::vector<Wait>& waits, Task t) {
        Wait& w = waits[t];
        const Cpu cpu = core.cpu_of(t);
        const Time now = core.now();
        if (drainer_ == no_task) memory.store(sync_line_, cpu, now);
        drainer_ = t;
        Time sum{};
        Time longest{};
        for (const LineId counter : counters_) {
            const Time took = memory.load(counter, cpu, now) - now;
            sum += took;
            longest = later(longest, took);
        }
        return go(w, summed, later(longest, sum / loads_under_way));
    }
    template <class C>
    Step judge_sum(C& core, Memory& memory, std::vector<Wait>& waits, Task t) {
        Wait& w = waits[t];
        if (readers_ == 0) {
            memory.store(sync_line_, core.cpu_of(t), core.now());
            drainer_ = no_task;
            owner_ = t;
            return finish(w);
        }
        contend(w, part_drain, core.now());
        w.phase = drain;
        w.asleep = true;
        return Step::block();
    }

    // --- the queue

    /// percpu_rwsem_wait(), with waiters.lock: tries again, and joins the queue.
    template <class C>
    Step queue(C& core, Memory& memory, std::vector<Wait>& waits, Task t) {
        Wait& w = waits[t];
        Time took{};
        if (w.mode == AcquireMode::read) {
            w.given = try_to_read(core, memory, waits, t, took);
        } else {
            took = memory.rmw(line_, core.cpu_of(t), core.now()) - core.now();
            w.given = !std::exchange(blocked_, true);
        }
        if (!w.given) queue_.push(waits, t);
        return go(w, queued, took);
    }
    template <class C>
    Step unlock_queue(C& core, Memory& memory, std::vector<Wait>& waits, Task t) {
        const Time took = waiters_lock_.release(core, memory, waits, t);
        core.irq_off(t, -1);
        core.preempt(t, -1);
        return go(waits[t], asleep, took);
    }
    static Step sleep(Wait& w) {
        if (w.given) {
            if (w.mode == AcquireMode::read) return finish(w);
            w.given = false;
            return go(w, drain, {});
        }
        w.asleep = true;
        return Step::block();
    }

    /// percpu_rwsem_wake_function() for the head of the queue, with waiters.lock: takes the lock for it and wakes it.
    template <class C>
    Step grant_next(C& core, Memory& memory, std::vector<Wait>& waits, Task t) {
        Wait& w = waits[t];
        const Task next = queue_.front();
        if (next == no_task) return go(w, queued, {});
        const bool reads = waits[next].mode == AcquireMode::read;
        Time took{};
        if (reads) {
            if (!try_to_read(core, memory, waits, t, took)) return go(w, queued, took);  // a writer has come in
        } else {
            took = memory.rmw(line_, core.cpu_of(t), core.now()) - core.now();
            if (std::exchange(blocked_, true)) return go(w, queued, took);
            w.phase = queued;  // readers until the first writer
        }
        queue_.pop(waits);
        waits[next].given = true;
        if (std::exchange(waits[next].asleep, false)) took += core.wake(next, Time{}, t);
        return Step::after(took, Part::lines);
    }

    static constexpr std::int64_t loads_under_way = 10;

    Rcu& rcu_;
    LineId line_;       // block, waiters
    LineId sync_line_;  // rss, writer
    RcuSync sync_;
    AnySpin waiters_lock_;
    std::vector<LineId> counters_;  // by CPU
    std::uint32_t readers_ = 0;     // the sum of the counters
    bool blocked_ = false;
    Task owner_ = no_task;    // the writer that is inside
    Task drainer_ = no_task;  // the writer that has `block` and waits for readers to leave
    TaskQueue queue_;
    std::vector<Task> entered_;  // to be woken by the first to enter
};

}  // namespace forksim
