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

/// `futex_pi`: a pthread mutex with PTHREAD_PRIO_INHERIT (kernel/futex/pi.c, kernel/locking/rtmutex.c). User space
/// takes a free one and gives back one that nobody waits for, with a locked instruction each. Everything else is up to
/// the kernel: waiters queue in the order in which they come, all being of equal priority; the first of them spins
/// while the owner runs (rtmutex_spin_on_owner), the others sleep; an unlock makes the first the owner, so nobody ever
/// overtakes.
///
/// The hash bucket's lock and the rt_mutex's are one locked instruction on the futex' line: sections under them are too
/// short to contend for. Priorities are not modelled.
class FutexPi {
  public:
    static constexpr LockKind kind = LockKind::futex_pi;
    static constexpr bool spins = false;
    static constexpr bool releases_in_steps = true;
    static constexpr std::array<std::string_view, 2> wait_parts{"spinning", "sleeping"};

    explicit FutexPi(const Making& making) : line_(making.line), spin_(making) {}

    template <class C>
    Step acquire(C& core, Memory& memory, std::vector<Wait>& waits, Task t, AcquireMode) {
        Wait& w = waits[t];
        const Time now = core.now();
        switch (w.phase) {
            case start: {
                const Time took = memory.rmw(line_, core.cpu_of(t), now) - now;
                w.phase = done;
                if (owner_ == no_task) {
                    owner_ = t;
                    return took > Time{} ? Step::after(took, Part::lines) : Step::grant();
                }
                w.contended = true;
                w.begin_parts(0);
                w.phase = queue;
                return Step::after(took, Part::handoff);
            }
            case queue: {  // futex_lock_pi()
                const Time took = memory.rmw(line_, core.cpu_of(t), now) - now;
                w.phase = wait;
                if (owner_ == no_task) {
                    owner_ = t;
                    w.given = true;
                } else {
                    waiters_.push(waits, t);
                }
                return Step::after(took, Part::handoff);
            }
            case wait:  // rt_mutex_slowlock_block()
                if (w.given) break;
                if (waiters_.front() == t && core.on_cpu(owner_) && !core.need_resched(core.cpu_of(t))) {
                    memory.load(line_, core.cpu_of(t), now);
                    return spin_.poll_as_first(core, memory, waits, t);
                }
                w.turn_to(1, now);
                w.asleep = true;
                return Step::block();
            default:
                break;
        }
        w.given = false;
        return Step::grant();
    }

    /// Called again until it grants, i.e. is over.
    template <class C>
    Step release(C& core, Memory& memory, std::vector<Wait>& waits, Task t) {
        Wait& w = waits[t];
        FORKSIM_CHECK(owner_ == t, "a futex released by a task that does not own it");
        const Time took = memory.rmw(line_, core.cpu_of(t), core.now()) - core.now();
        if (waiters_.empty()) {
            owner_ = no_task;
            w.phase = start;
            return Step::over(took);
        }
        if (w.phase == start) {
            w.phase = hand_over;
            return Step::after(took, Part::lines);
        }
        w.phase = start;  // futex_unlock_pi(), wake_futex_pi()
        const Task next = waiters_.pop(waits);
        owner_ = next;
        waits[next].given = true;
        spin_.changed(core, memory, waits, t);
        if (!waits[next].asleep) return Step::over(took);
        waits[next].asleep = false;
        return Step::over(took + core.wake(next, Time{}, t));
    }

    /// The owner has lost its CPU: the first waiter goes to sleep.
    template <class C>
    void owner_left(C& core, Memory& memory, std::vector<Wait>& waits, Task t) {
        if (owner_ == t) spin_.owner_left(core, memory, waits, t);
    }
    /// Somebody else is due on the CPU of `t`, which spins.
    template <class C>
    void give_up(C& core, Memory& memory, std::vector<Wait>& waits, Task t) {
        spin_.look_again(core, memory, waits, t);
    }

    Task owner() const { return owner_; }

  private:
    enum Phase : std::uint8_t { start, queue, wait, done, hand_over };

    LineId line_;
    OwnerSpin spin_;  // its OSQ stays empty
    Task owner_ = no_task;
    TaskQueue waiters_;
};

}  // namespace forksim
