#pragma once
#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "models/memory.hpp"
#include "models/osq.hpp"
#include "models/spec.hpp"
#include "models/task_queue.hpp"
#include "sim/check.hpp"
#include "sim/core.hpp"

namespace forksim {

/// `rwsem`: a rw_semaphore (kernel/locking/rwsem.c). A count of readers with three flags, a FIFO list to sleep in, and
/// an OSQ in which writers spin: as long as a writer that owns it runs, and (20 + readers) / 2 us at most, 25 us, for
/// readers that own it. Spinning writers overtake the list, but respect HANDOFF, which the first in the list sets when
/// it has waited longer than LockSpec::handoff_after. A wake-up that finds a reader first grants all readers of the
/// list, 256 at most. Readers never spin; they overtake the list only while no reader is inside.
///
/// The wait_lock is one locked instruction on the semaphore's line: sections under it are too short to contend for.
class Rwsem {
  public:
    static constexpr LockKind kind = LockKind::rwsem;
    static constexpr bool spins = false;
    static constexpr bool releases_in_steps = true;
    static constexpr std::array<std::string_view, 2> wait_parts{"spinning", "sleeping"};

    explicit Rwsem(const Making& making)
        : line_(making.line), handoff_after_(making.spec.handoff_after), osq_(making) {}

    /// down_read(), down_write() and their slow paths.
    template <class C>
    Step acquire(C& core, Memory& memory, std::vector<Wait>& waits, Task t, AcquireMode mode) {
        Wait& w = waits[t];
        switch (w.phase) {
            case start:
                w.mode = mode;
                return mode == AcquireMode::read ? read_fast(core, memory, w, t) : write_fast(core, memory, waits, t);
            case steal:
                return steal_for_reader(core, memory, waits, t);
            case waking:
                return wake_next(core, waits, t);
            case enqueue:
                return with_wait_lock(core, memory, w, t, mode == AcquireMode::read ? list_reader : list_writer);
            case list_reader:
                return join_as_reader(core, memory, waits, t);
            case read_sleep:
                return sleep_as_reader(core, w, t);
            case list_writer:
                return join_as_writer(core, waits, t);
            case relock:
                return with_wait_lock(core, memory, w, t, write_try);
            case write_try:
                return try_to_write(core, memory, waits, t);
            case in_osq:
                return spin_as_head(core, memory, waits, t);
            case first_spins:
                return spin_as_first(core, memory, waits, t);
            case write_woken:
                core.preempt(t, 1);
                return with_wait_lock(core, memory, w, t, write_try);
            case take:
                if (w.contended) core.preempt(t, -1);
                return finish(w);
            default:
                return finish(w);
        }
    }

    /// up_read(), up_write(): called again until it grants, i.e. is over.
    template <class C>
    Step release(C& core, Memory& memory, std::vector<Wait>& waits, Task t) {
        Wait& w = waits[t];
        if (w.phase == waking) return wake_next(core, waits, t);
        const Time took = memory.rmw(line_, core.cpu_of(t), core.now()) - core.now();
        if (w.phase == wait_lock) {  // rwsem_wake()
            w.ticket = mark_wake(core, waits, Wake::any);
            w.spin = released;
            return go(w, waking, took);
        }
        if (w.mode == AcquireMode::read) {
            FORKSIM_CHECK(readers_ > 0, "a rwsem released by a reader that it does not have");
            --readers_;
            if (readers_ == 0 && !sleepers_.empty()) nonspinnable_ = false;
        } else {
            FORKSIM_CHECK(writer_ == t, "a rwsem released by a writer that does not own it");
            writer_ = no_task;
            reader_owned_ = nonspinnable_ = false;
        }
        stir(core, memory, waits, t);
        if (readers_ > 0 || writer_ != no_task || sleepers_.empty()) {
            w.phase = start;
            return Step::over(took);
        }
        w.phase = wait_lock;
        return Step::after(took, Part::lines);
    }

    /// The writer that owns it has lost its CPU: nobody spins for it any longer.
    template <class C>
    void owner_left(C& core, Memory& memory, std::vector<Wait>& waits, Task t) {
        if (writer_ != t) return;
        for (Task* spinner : {&head_, &first_}) {
            if (*spinner == no_task) continue;
            const Cpu cpu = core.cpu_of(*spinner);
            const Time sees = memory.lines.transfer(cpu, core.cpu_of(t), core.topology().cpus[cpu].socket);
            end_spin(core, memory, waits, *spinner, sees, t);
        }
    }

    /// Somebody else is due on the CPU of `t`, which spins.
    template <class C>
    void give_up(C& core, Memory& memory, std::vector<Wait>& waits, Task t) {
        if (t == head_) {
            end_spin(core, memory, waits, head_, Time{}, no_task);
        } else if (t == first_) {
            end_spin(core, memory, waits, first_, Time{}, no_task);
        } else {
            waits[t].phase = enqueue;
            osq_.give_up(core, memory, waits, t);
        }
    }

    /// The head of the OSQ has spun long enough on readers (rwsem_rspin_threshold).
    template <class C>
    void timed_out(C& core, Memory& memory, std::vector<Wait>& waits, Task t) {
        if (t == head_ && spins_on_readers_) end_spin(core, memory, waits, head_, Time{}, no_task);
    }

    Task owner() const { return writer_; }

  private:
    enum Phase : std::uint8_t {
        start,
        steal,    // a reader whose count stands
        waking,   // wakes the chain that begins at Wait::ticket, then goes on with phase Wait::spin
        enqueue,  // at the wait_lock; has it in those that follow
        list_reader,
        list_writer,
        write_try,
        relock,  // at the wait_lock again
        read_sleep,
        in_osq,       // its head, or about to be
        first_spins,  // first in the list, has set HANDOFF
        write_woken,
        read_woken,
        take,
        // Of a release:
        wait_lock,
        released,
    };
    enum class Wake : std::uint8_t { any, read_owned };
    static constexpr std::uint32_t most_woken = 256;  // MAX_READERS_WAKEUP

    static Step go(Wait& w, Phase phase, Time took) {
        w.phase = phase;
        return Step::after(took, Part::handoff);
    }
    static Step finish(Wait& w) {
        w.spin = 0;
        w.given = false;
        return Step::grant();
    }

    template <class C>
    Step with_wait_lock(C& core, Memory& memory, Wait& w, Task t, Phase then) {
        return go(w, then, memory.rmw(line_, core.cpu_of(t), core.now()) - core.now());
    }

    /// The first try has got it, or goes on in the slow path, where preemption is off.
    template <class C>
    Step first_try(C& core, Wait& w, Task t, bool got, Time took) {
        w.phase = take;
        if (got) return took > Time{} ? Step::after(took, Part::lines) : finish(w);
        w.contended = true;
        w.begin_parts(0);
        core.preempt(t, 1);
        return Step::after(took, Part::handoff);
    }

    // --- readers

    template <class C>
    Step read_fast(C& core, Memory& memory, Wait& w, Task t) {
        const Time took = memory.rmw(line_, core.cpu_of(t), core.now()) - core.now();
        ++readers_;
        const bool got = writer_ == no_task && sleepers_.empty() && !handoff_;
        // rwsem_down_read_slowpath() judges by the count as the first try returned it; if it stands nobody can write.
        const bool readers_inside = reader_owned_ && readers_ > 1;
        const bool steals = writer_ == no_task && !handoff_ && !readers_inside;
        if (got || steals) reader_owned_ = true;
        const Step step = first_try(core, w, t, got, took);
        if (!got) w.phase = steals ? steal : enqueue;
        return step;
    }

    /// The first of its kind inside lets the other readers of the list in.
    template <class C>
    Step steal_for_reader(C& core, Memory& memory, std::vector<Wait>& waits, Task t) {
        Wait& w = waits[t];
        if (readers_ > 1 || sleepers_.empty()) return go(w, take, {});
        const Time took = memory.rmw(line_, core.cpu_of(t), core.now()) - core.now();
        w.ticket = mark_wake(core, waits, Wake::read_owned);
        w.spin = take;
        return go(w, waking, took);
    }

    template <class C>
    Step join_as_reader(C& core, Memory& memory, std::vector<Wait>& waits, Task t) {
        Wait& w = waits[t];
        if (sleepers_.empty() && writer_ == no_task &&
            !handoff_) {  // meanwhile nobody keeps it out, and its count stands
            reader_owned_ = true;
            return go(w, take, {});
        }
        join(core, waits, t);
        --readers_;
        if (readers_ == 0) stir(core, memory, waits, t);
        wake_by_newcomer(core, waits, w);
        w.spin = read_sleep;
        return go(w, waking, {});
    }

    template <class C>
    Step sleep_as_reader(C& core, Wait& w, Task t) {
        if (w.given) return go(w, take, {});
        w.phase = read_woken;
        return sleep(core, w, t);
    }

    // --- writers

    template <class C>
    Step write_fast(C& core, Memory& memory, std::vector<Wait>& waits, Task t) {
        Wait& w = waits[t];
        const Time took = memory.rmw(line_, core.cpu_of(t), core.now()) - core.now();
        const bool got = writer_ == no_task && readers_ == 0 && sleepers_.empty();
        if (got) own(t);
        const Step step = first_try(core, w, t, got, took);
        if (!got) w.phase = may_spin(core, t) ? in_osq : enqueue;
        return step;
    }

    void own(Task t) {
        writer_ = t;
        reader_owned_ = nonspinnable_ = false;
    }

    /// rwsem_can_spin_on_owner(); readers count as running.
    template <class C>
    bool may_spin(const C& core, Task t) const {
        return !core.need_resched(core.cpu_of(t)) && !nonspinnable_ && (writer_ == no_task || core.on_cpu(writer_));
    }

    /// rwsem_optimistic_spin(): enters the OSQ, and polls the semaphore as its head.
    template <class C>
    Step spin_as_head(C& core, Memory& memory, std::vector<Wait>& waits, Task t) {
        Wait& w = waits[t];
        if (osq_.head() != t) {
            Time took;
            return osq_.enter(core, memory, waits, t, took) ? Step::after(took, Part::handoff) : Step::spin();
        }
        const Time read = memory.load(line_, core.cpu_of(t), core.now());
        const bool too_long = spins_on_readers_ && reader_owned_ && core.now() >= threshold_;
        if (too_long) nonspinnable_ = true;
        if (may_spin(core, t)) {
            if (writer_ == no_task && readers_ == 0 && !handoff_) {
                own(t);
                const Time done = osq_leave(core, memory, waits, t, memory.rmw(line_, core.cpu_of(t), read));
                return go(w, take, done - core.now());
            }
            if (writer_ != no_task || !reader_owned_) {
                spins_on_readers_ = false;
            } else if (!spins_on_readers_) {
                spins_on_readers_ = true;
                const std::uint32_t counted = readers_ < 30 ? readers_ : 30;
                const Time length = Time::from_ns(500 * std::int64_t{20 + counted});
                threshold_ = core.now() + length;
                w.ticket = ++timers_;
                core.set_timer(lock_timer | std::uint64_t{t} << 32 | w.ticket, length);
            }
            return spin(core, memory, w, t, head_);
        }
        return go(w, enqueue, osq_leave(core, memory, waits, t, read) - core.now());
    }
    template <class C>
    Time osq_leave(C& core, Memory& memory, std::vector<Wait>& waits, Task t, Time from) {
        spins_on_readers_ = false;
        return osq_.leave(core, memory, waits, t, from);
    }

    template <class C>
    Step join_as_writer(C& core, std::vector<Wait>& waits, Task t) {
        Wait& w = waits[t];
        join(core, waits, t);
        if (sleepers_.front() == t) return go(w, write_try, {});
        wake_by_newcomer(core, waits, w);
        if (w.ticket == no_task) return go(w, write_try, {});
        w.spin = relock;
        return go(w, waking, {});
    }

    /// rwsem_try_write_lock(), with the wait_lock.
    template <class C>
    Step try_to_write(C& core, Memory& memory, std::vector<Wait>& waits, Task t) {
        Wait& w = waits[t];
        const bool reserved = handoff_ && handoff_for_ == sleepers_.front() && handoff_for_ != t;
        if (!reserved && writer_ == no_task && readers_ == 0) {
            own(t);
            handoff_ = false;
            sleepers_.remove(waits, t);
            return go(w, take, memory.rmw(line_, core.cpu_of(t), core.now()) - core.now());
        }
        if (!reserved && !handoff_ && core.now() > w.linked) {
            handoff_ = true;
            handoff_for_ = sleepers_.front();
        }
        if (handoff_ && handoff_for_ == t) return go(w, first_spins, {});
        w.phase = write_woken;
        return sleep(core, w, t);
    }

    /// Has set HANDOFF: spins beside the OSQ while a writer that owns it runs.
    template <class C>
    Step spin_as_first(C& core, Memory& memory, std::vector<Wait>& waits, Task t) {
        Wait& w = waits[t];
        if (writer_ == no_task && !reader_owned_) return with_wait_lock(core, memory, w, t, write_try);
        if (writer_ != no_task && may_spin(core, t)) {
            w.turn_to(0, core.now());
            memory.load(line_, core.cpu_of(t), core.now());
            return spin(core, memory, w, t, first_);
        }
        w.phase = write_woken;
        return sleep(core, w, t);
    }

    // --- both

    template <class C>
    void join(C& core, std::vector<Wait>& waits, Task t) {
        waits[t].linked = core.now() + handoff_after_;
        sleepers_.push(waits, t);
    }

    template <class C>
    Step sleep(C& core, Wait& w, Task t) {
        w.turn_to(1, core.now());
        w.asleep = true;
        core.preempt(t, -1);
        return Step::block();
    }

    template <class C>
    Step spin(C& core, Memory& memory, Wait& w, Task t, Task& as) {
        as = t;
        w.optimistic = true;
        memory.lines.watch(line_, memory.poller(t, core.cpu_of(t)));
        return Step::spin();
    }
    template <class C>
    void end_spin(C& core, Memory& memory, std::vector<Wait>& waits, Task& spinner, Time after, Task cause) {
        const Task t = spinner;
        spinner = no_task;
        waits[t].optimistic = false;
        memory.lines.unwatch(line_, memory.poller(t, core.cpu_of(t)));
        core.resume(t, after, cause);
    }
    /// By a write to the line just made it has become free: those that spin look again.
    template <class C>
    void stir(C& core, Memory& memory, std::vector<Wait>& waits, Task cause) {
        if (readers_ > 0 || writer_ != no_task) return;
        for (Task* spinner : {&first_, &head_}) {
            if (*spinner == no_task) continue;
            const Time sees = memory.lines.seen(memory.poller(*spinner, core.cpu_of(*spinner))) - core.now();
            end_spin(core, memory, waits, *spinner, sees, cause);
        }
    }

    /// rwsem_cond_wake_waiter(): a newcomer to the list wakes those in front of it if nobody writes.
    template <class C>
    void wake_by_newcomer(C& core, std::vector<Wait>& waits, Wait& w) {
        w.ticket = no_task;
        if (writer_ != no_task) return;
        if (readers_ == 0) nonspinnable_ = false;
        const bool readers_only = readers_ > 0;
        if (readers_only && waits[sleepers_.front()].mode != AcquireMode::read) return;
        w.ticket = mark_wake(core, waits, Wake::any);
    }

    /// rwsem_mark_wake(), with the wait_lock: grants what can be granted and returns the first of the chain to wake,
    /// which is one writer, not granted, or readers linked through Wait::next.
    template <class C>
    Task mark_wake(C& core, std::vector<Wait>& waits, Wake type) {
        const Task first = sleepers_.front();
        if (first == no_task) return no_task;
        if (waits[first].mode != AcquireMode::read) return type == Wake::any ? first : no_task;
        if (writer_ != no_task) {
            if (core.now() > waits[first].linked) {
                handoff_ = true;
                handoff_for_ = first;
            }
            return no_task;
        }
        reader_owned_ = true;
        TaskQueue chain;
        std::uint32_t woken = 0;
        for (Task t = first; t != no_task && woken < most_woken;) {
            const Task behind = waits[t].next;
            if (waits[t].mode == AcquireMode::read) {
                sleepers_.remove(waits, t);
                chain.push(waits, t);
                waits[t].given = true;
                ++readers_;
                ++woken;
            }
            t = behind;
        }
        handoff_ = false;
        return chain.front();
    }

    /// wake_up_q(): one after the other, each at the waker's cost.
    template <class C>
    Step wake_next(C& core, std::vector<Wait>& waits, Task t) {
        Wait& w = waits[t];
        const Task next = w.ticket;
        if (next == no_task) {
            const auto then = static_cast<Phase>(w.spin);
            w.spin = 0;
            w.phase = then == released ? start : then;
            return then == released ? Step::over({}) : Step::after({}, Part::handoff);
        }
        w.ticket = waits[next].given ? waits[next].next : no_task;
        Time cost{};
        if (waits[next].asleep) {  // not itself, and not woken by somebody else already
            waits[next].asleep = false;
            cost = core.wake(next, Time{}, t);
        }
        return Step::after(cost, Part::handoff);
    }

    LineId line_;
    Time handoff_after_;
    Osq osq_;
    Task writer_ = no_task;
    std::uint32_t readers_ = 0;      // reader biases in the count: also of those that are about to give up
    bool reader_owned_ = false;      // RWSEM_READER_OWNED: the last owner was a reader
    bool nonspinnable_ = false;      // RWSEM_NONSPINNABLE
    bool handoff_ = false;           // RWSEM_FLAG_HANDOFF
    Task handoff_for_ = no_task;     // the waiter that has set it
    TaskQueue sleepers_;             // also writers that are awake and have not taken it yet
    Task head_ = no_task;            // of the OSQ, while it polls
    Task first_ = no_task;           // of the list, while it polls
    bool spins_on_readers_ = false;  // the head, until threshold_
    Time threshold_;
    std::uint32_t timers_ = 1u << 31;  // apart from the numbers of tasks
};

}  // namespace forksim
