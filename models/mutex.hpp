#pragma once
#include <array>
#include <string_view>
#include <vector>

#include "models/memory.hpp"
#include "models/owner_spin.hpp"
#include "models/spec.hpp"
#include "models/task_queue.hpp"
#include "sim/check.hpp"
#include "sim/core.hpp"

namespace forksim {

/// `mutex`: kernel/locking/mutex.c. A fast path; then, while the owner runs and nobody else wants the CPU, spinning in
/// the OSQ; then a FIFO list to sleep in. An unlock wakes the first sleeper and lets anybody take the lock meanwhile. A
/// first sleeper that wakes up in vain sets HANDOFF and spins beside the OSQ; the next unlock then hands over to it.
///
/// The wait_lock is one locked instruction on the mutex's line: sections under it are too short to contend for.
class Mutex {
  public:
    static constexpr LockKind kind = LockKind::mutex;
    static constexpr bool spins = false;
    static constexpr bool releases_in_steps = true;
    static constexpr std::array<std::string_view, 2> wait_parts{"spinning", "sleeping"};

    explicit Mutex(const Making& making) : line_(making.line), spin_(making) {}

    /// mutex_lock(), __mutex_lock_common().
    template <class C>
    Step acquire(C& core, Memory& memory, std::vector<Wait>& waits, Task t, AcquireMode) {
        Wait& w = waits[t];
        switch (w.phase) {
            case start:
                return fast(core, memory, w, t);
            case slow:
                return slow_path(core, memory, waits, t);
            case in_osq:
                return spin_as_head(core, memory, waits, t);
            case enqueue: {
                const Time done = memory.rmw(line_, core.cpu_of(t), core.now());
                w.phase = listed;
                if (done > core.now()) return Step::after(done - core.now(), Part::handoff);
                return go_to_sleep(core, memory, waits, t);
            }
            case listed:
                return go_to_sleep(core, memory, waits, t);
            case woken:
                return after_wake_up(core, memory, waits, t);
            case first_spins:
                return spin_as_first(core, memory, waits, t);
            default:
                return granted_now(core, w, t);
        }
    }

    /// mutex_unlock(): called again until it grants, i.e. is over.
    template <class C>
    Step release(C& core, Memory& memory, std::vector<Wait>& waits, Task t) {
        Wait& w = waits[t];
        const Time now = core.now();
        if (w.phase == start) {
            FORKSIM_CHECK(owner_ == t, "a mutex released by a task that does not own it");
            const Time done = memory.rmw(line_, core.cpu_of(t), now);
            if (!handoff_) {
                owner_ = no_task;
                spin_.changed(core, memory, waits, t);
            }
            if (sleepers_.empty()) return last_step(w, done - now);
            w.phase = handoff_ ? hand_over : wake_first;
            return Step::after(done - now, Part::lines);
        }
        const Time done = memory.rmw(line_, core.cpu_of(t), now);  // wait_lock
        Time busy = done - now;
        const Task next = sleepers_.front();
        if (w.phase == hand_over) {  // __mutex_handoff()
            handoff_ = false;
            owner_ = next;
            spin_.changed(core, memory, waits, t);
        }
        if (next != no_task && waits[next].asleep) {
            waits[next].asleep = false;
            busy += core.wake(next, Time{}, t);
        }
        return last_step(w, busy);
    }

    /// The owner has lost its CPU: nobody spins for it any longer.
    template <class C>
    void owner_left(C& core, Memory& memory, std::vector<Wait>& waits, Task t) {
        if (owner_ != t) return;
        spin_.owner_left(core, memory, waits, t);
    }

    /// Somebody else is due on the CPU of `t`, which spins.
    template <class C>
    void give_up(C& core, Memory& memory, std::vector<Wait>& waits, Task t) {
        if (!spin_.look_again(core, memory, waits, t)) waits[t].phase = enqueue;
    }

    Task owner() const { return owner_; }

  private:
    enum Phase : std::uint8_t {
        start,
        slow,         // preemption is off from here on, but while it sleeps
        in_osq,       // its head, or about to be
        enqueue,      // at the wait_lock
        listed,       // has it
        woken,        // slept
        first_spins,  // first in the list, HANDOFF is set
        take,
        // Of a release:
        wake_first,  // at the wait_lock
        hand_over,   // the same, and HANDOFF was set
    };

    Step last_step(Wait& w, Time busy) {
        w.phase = start;
        return Step::over(busy);
    }

    template <class C>
    Step fast(C& core, Memory& memory, Wait& w, Task t) {
        const Time took = memory.rmw(line_, core.cpu_of(t), core.now()) - core.now();
        if (owner_ == no_task && sleepers_.empty()) {  // the whole word was zero
            owner_ = t;
            w.phase = take;
            return took == Time{} ? Step::grant() : Step::after(took, Part::lines);
        }
        w.contended = true;
        w.begin_parts(0);
        core.preempt(t, 1);
        w.phase = slow;
        return Step::after(took, Part::handoff);
    }

    template <class C>
    Step granted_now(C& core, Wait& w, Task t) {
        if (w.contended) core.preempt(t, -1);
        return Step::grant();
    }

    /// Takes the mutex, which is free or handed to `t`; `took`: what came before it in this step.
    template <class C>
    Step take_it(C& core, Memory& memory, Wait& w, Task t, Time from) {
        const Time done = memory.rmw(line_, core.cpu_of(t), from);
        owner_ = t;
        w.phase = take;
        return Step::after(done - core.now(), Part::handoff);
    }

    bool can_take(Task t) const { return owner_ == no_task || owner_ == t; }

    template <class C>
    bool may_spin(const C& core, Task t) const {
        return !core.need_resched(core.cpu_of(t)) && (owner_ == no_task || core.on_cpu(owner_));
    }

    /// __mutex_trylock() || mutex_optimistic_spin().
    template <class C>
    Step slow_path(C& core, Memory& memory, std::vector<Wait>& waits, Task t) {
        Wait& w = waits[t];
        const Time read = memory.load(line_, core.cpu_of(t), core.now());
        if (can_take(t)) return take_it(core, memory, w, t, read);
        if (!may_spin(core, t)) {
            w.phase = enqueue;
            return Step::after(read - core.now(), Part::handoff);
        }
        w.phase = in_osq;
        Time took;
        if (spin_.osq.enter(core, memory, waits, t, took)) return Step::after(took, Part::handoff);
        return Step::spin();
    }

    /// The head of the OSQ spins on the owner (mutex_spin_on_owner) and takes the mutex once it is free.
    template <class C>
    Step spin_as_head(C& core, Memory& memory, std::vector<Wait>& waits, Task t) {
        Wait& w = waits[t];
        const Time read = memory.load(line_, core.cpu_of(t), core.now());
        if (can_take(t)) {
            const Step step = take_it(core, memory, w, t, read);
            spin_.osq.leave(core, memory, waits, t, core.now() + step.outcome.busy_for());
            return step;
        }
        if (may_spin(core, t)) return spin_.poll_as_head(core, memory, waits, t);
        w.phase = enqueue;
        return Step::after(spin_.osq.leave(core, memory, waits, t, read) - core.now(), Part::handoff);
    }

    /// With the wait_lock: tries once more, and joins the list.
    template <class C>
    Step go_to_sleep(C& core, Memory& memory, std::vector<Wait>& waits, Task t) {
        Wait& w = waits[t];
        if (can_take(t)) return take_it(core, memory, w, t, core.now());
        sleepers_.push(waits, t);
        return sleep(core, w, t);
    }
    template <class C>
    Step sleep(C& core, Wait& w, Task t) {
        w.phase = woken;
        w.asleep = true;
        w.turn_to(1, core.now());
        core.preempt(t, -1);
        return Step::block();
    }

    /// __mutex_trylock_or_handoff(), and spinning if it is first and the owner runs.
    template <class C>
    Step after_wake_up(C& core, Memory& memory, std::vector<Wait>& waits, Task t) {
        Wait& w = waits[t];
        core.preempt(t, 1);
        const bool first = sleepers_.front() == t;
        if (can_take(t)) return take_from_list(core, memory, waits, t);
        if (!first) return sleep(core, w, t);
        const Time done = memory.rmw(line_, core.cpu_of(t), core.now());
        handoff_ = true;
        w.phase = first_spins;
        w.turn_to(0, core.now());
        return Step::after(done - core.now(), Part::handoff);
    }

    template <class C>
    Step spin_as_first(C& core, Memory& memory, std::vector<Wait>& waits, Task t) {
        Wait& w = waits[t];
        if (can_take(t)) return take_from_list(core, memory, waits, t);
        if (may_spin(core, t)) {
            memory.load(line_, core.cpu_of(t), core.now());
            return spin_.poll_as_first(core, memory, waits, t);
        }
        return sleep(core, w, t);
    }

    /// A cmpxchg, then the wait_lock to leave the list.
    template <class C>
    Step take_from_list(C& core, Memory& memory, std::vector<Wait>& waits, Task t) {
        sleepers_.remove(waits, t);
        if (sleepers_.empty()) handoff_ = false;
        return take_it(core, memory, waits[t], t, core.now());
    }

    LineId line_;
    OwnerSpin spin_;
    Task owner_ = no_task;  // also of whom it is handed to and who has not taken it yet (MUTEX_FLAG_PICKUP)
    bool handoff_ = false;  // MUTEX_FLAG_HANDOFF
    TaskQueue sleepers_;    // also those woken that have not taken it yet
};

}  // namespace forksim
