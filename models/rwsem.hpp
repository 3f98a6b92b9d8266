#pragma once
#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "models/memory.hpp"
#include "models/owner_spin.hpp"
#include "models/rwsem_state.hpp"
#include "models/spec.hpp"
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

    explicit Rwsem(const Making& making) : line_(making.line), state_(making.spec.handoff_after), spin_(making) {}

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
            w.ticket = state_.mark_wake(waits, core.now(), Wake::any).first;
            w.spin = released;
            return go(w, waking, took);
        }
        if (w.mode == AcquireMode::read) {
            FORKSIM_CHECK(state_.readers > 0, "a rwsem released by a reader that it does not have");
            --state_.readers;
            if (state_.readers == 0 && !state_.sleepers.empty()) state_.nonspinnable = false;
        } else {
            FORKSIM_CHECK(state_.writer == t, "a rwsem released by a writer that does not own it");
            state_.disown();
        }
        stir(core, memory, waits, t);
        if (state_.sleepers.empty() || (w.mode == AcquireMode::read && !state_.is_free())) {
            w.phase = start;
            return Step::over(took);
        }
        w.phase = wait_lock;
        return Step::after(took, Part::lines);
    }

    /// The writer that owns it has lost its CPU: nobody spins for it any longer.
    template <class C>
    void owner_left(C& core, Memory& memory, std::vector<Wait>& waits, Task t) {
        if (state_.writer != t) return;
        spin_.owner_left(core, memory, waits, t);
    }

    /// Somebody else is due on the CPU of `t`, which spins.
    template <class C>
    void give_up(C& core, Memory& memory, std::vector<Wait>& waits, Task t) {
        if (!spin_.look_again(core, memory, waits, t)) waits[t].phase = enqueue;
    }

    /// The head of the OSQ has spun long enough on readers (rwsem_rspin_threshold).
    template <class C>
    void timed_out(C& core, Memory& memory, std::vector<Wait>& waits, Task t) {
        if (spin_.head_polls(t) && spins_on_readers_) spin_.look_again(core, memory, waits, t);
    }

    Task owner() const { return state_.writer; }

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
    using Wake = RwsemState::Wake;

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
        ++state_.readers;
        const bool got = state_.lets_readers_in();
        // rwsem_down_read_slowpath() judges by the count as the first try returned it; if it stands nobody can write.
        const bool readers_inside = state_.reader_owned && state_.readers > 1;
        const bool steals = state_.writer == no_task && !state_.handoff && !readers_inside;
        if (got || steals) state_.reader_owned = true;
        const Step step = first_try(core, w, t, got, took);
        if (!got) w.phase = steals ? steal : enqueue;
        return step;
    }

    /// The first of its kind inside lets the other readers of the list in.
    template <class C>
    Step steal_for_reader(C& core, Memory& memory, std::vector<Wait>& waits, Task t) {
        Wait& w = waits[t];
        if (state_.readers > 1 || state_.sleepers.empty()) return go(w, take, {});
        const Time took = memory.rmw(line_, core.cpu_of(t), core.now()) - core.now();
        w.ticket = state_.mark_wake(waits, core.now(), Wake::read_owned).first;
        w.spin = take;
        return go(w, waking, took);
    }

    template <class C>
    Step join_as_reader(C& core, Memory& memory, std::vector<Wait>& waits, Task t) {
        Wait& w = waits[t];
        if (state_.lets_readers_in()) {  // meanwhile, and its count stands
            state_.reader_owned = true;
            return go(w, take, {});
        }
        state_.join(waits, t, core.now());
        --state_.readers;
        if (state_.readers == 0) stir(core, memory, waits, t);
        w.ticket = state_.wake_by_newcomer(waits, core.now()).first;
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
        const bool got = state_.is_free() && state_.sleepers.empty();
        if (got) state_.own(t);
        const Step step = first_try(core, w, t, got, took);
        if (!got) w.phase = may_spin(core, t) ? in_osq : enqueue;
        return step;
    }

    /// rwsem_can_spin_on_owner(); readers count as running.
    template <class C>
    bool may_spin(const C& core, Task t) const {
        return !core.need_resched(core.cpu_of(t)) && !state_.nonspinnable &&
               (state_.writer == no_task || core.on_cpu(state_.writer));
    }

    /// rwsem_optimistic_spin(): enters the OSQ, and polls the semaphore as its head.
    template <class C>
    Step spin_as_head(C& core, Memory& memory, std::vector<Wait>& waits, Task t) {
        Wait& w = waits[t];
        if (spin_.osq.head() != t) {
            Time took;
            return spin_.osq.enter(core, memory, waits, t, took) ? Step::after(took, Part::handoff) : Step::spin();
        }
        const Time read = memory.load(line_, core.cpu_of(t), core.now());
        const bool too_long = spins_on_readers_ && state_.reader_owned && core.now() >= threshold_;
        if (too_long) state_.nonspinnable = true;
        if (may_spin(core, t)) {
            if (state_.is_free() && !state_.handoff) {
                state_.own(t);
                const Time done = osq_leave(core, memory, waits, t, memory.rmw(line_, core.cpu_of(t), read));
                return go(w, take, done - core.now());
            }
            if (state_.writer != no_task || !state_.reader_owned) {
                spins_on_readers_ = false;
            } else if (!spins_on_readers_) {
                spins_on_readers_ = true;
                const std::uint32_t counted = state_.readers < 30 ? state_.readers : 30;
                const Time length = Time::from_ns(500 * std::int64_t{20 + counted});
                threshold_ = core.now() + length;
                w.ticket = ++timers_;
                core.set_timer(lock_timer | std::uint64_t{t} << 32 | w.ticket, length);
            }
            return spin_.poll_as_head(core, memory, waits, t);
        }
        return go(w, enqueue, osq_leave(core, memory, waits, t, read) - core.now());
    }
    template <class C>
    Time osq_leave(C& core, Memory& memory, std::vector<Wait>& waits, Task t, Time from) {
        spins_on_readers_ = false;
        return spin_.osq.leave(core, memory, waits, t, from);
    }

    template <class C>
    Step join_as_writer(C& core, std::vector<Wait>& waits, Task t) {
        Wait& w = waits[t];
        state_.join(waits, t, core.now());
        if (state_.sleepers.front() == t) return go(w, write_try, {});
        const RwsemState::Chain chain = state_.wake_by_newcomer(waits, core.now());
        w.ticket = chain.first;
        if (chain.empty) return go(w, write_try, {});
        w.spin = relock;
        return go(w, waking, {});
    }

    /// rwsem_try_write_lock(), with the wait_lock.
    template <class C>
    Step try_to_write(C& core, Memory& memory, std::vector<Wait>& waits, Task t) {
        Wait& w = waits[t];
        const bool reserved = state_.is_reserved_for_another(t);
        if (!reserved && state_.is_free()) {
            state_.own(t);
            state_.handoff = false;
            state_.sleepers.remove(waits, t);
            return go(w, take, memory.rmw(line_, core.cpu_of(t), core.now()) - core.now());
        }
        if (!reserved && !state_.handoff && core.now() > w.linked) state_.set_handoff();
        if (state_.handoff && state_.handoff_for == t) return go(w, first_spins, {});
        w.phase = write_woken;
        return sleep(core, w, t);
    }

    /// Has set HANDOFF: spins beside the OSQ while a writer that owns it runs.
    template <class C>
    Step spin_as_first(C& core, Memory& memory, std::vector<Wait>& waits, Task t) {
        Wait& w = waits[t];
        if (state_.writer == no_task && !state_.reader_owned) return with_wait_lock(core, memory, w, t, write_try);
        if (state_.writer != no_task && may_spin(core, t)) {
            w.turn_to(0, core.now());
            memory.load(line_, core.cpu_of(t), core.now());
            return spin_.poll_as_first(core, memory, waits, t);
        }
        w.phase = write_woken;
        return sleep(core, w, t);
    }

    // --- both

    template <class C>
    Step sleep(C& core, Wait& w, Task t) {
        w.turn_to(1, core.now());
        w.asleep = true;
        core.preempt(t, -1);
        return Step::block();
    }

    /// By a write to the line just made it may have become free: those that spin look again.
    template <class C>
    void stir(C& core, Memory& memory, std::vector<Wait>& waits, Task cause) {
        if (state_.is_free()) spin_.changed(core, memory, waits, cause);
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
    RwsemState state_;
    OwnerSpin spin_;
    bool spins_on_readers_ = false;  // the head, until threshold_
    Time threshold_;
    std::uint32_t timers_ = 1u << 31;  // apart from the numbers of tasks
};

}  // namespace forksim
