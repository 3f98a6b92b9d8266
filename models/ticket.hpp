#pragma once
#include <vector>

#include "models/memory.hpp"
#include "models/spec.hpp"
#include "sim/check.hpp"
#include "sim/core.hpp"
#include "sim/random.hpp"

namespace forksim {

/// `ticket`: the ticket spinlock that x86 had up to Linux 4.1 (arch/x86/include/asm/spinlock.h of that time): a
/// newcomer draws a ticket with a locked add, everybody polls the number being served, the unlock adds one to it.
///
/// Each write to the word, an unlock or a newcomer's add, takes it away from all who poll. They fetch it again
/// one after the other, in an order that starts anywhere, and until the last one has it nobody can write. So a
/// hand-off takes a time that grows with the number of waiters (Boyd-Wickizer et al., Non-scalable locks
/// are dangerous, Linux Symposium 2012).
class Ticket {
  public:
    static constexpr LockKind kind = LockKind::ticket;
    static constexpr bool spins = true;

    explicit Ticket(const Making& making) : line_(making.line), name_(hash_name(making.spec.name)) {
        making.memory.lines.serve_in_turn(line_);
    }

    template <class C>
    Step acquire(C& core, Memory& memory, std::vector<Wait>& waits, Task t, AcquireMode) {
        Wait& w = waits[t];
        const Cpu cpu = core.cpu_of(t);
        const Time now = core.now();
        switch (w.phase) {
            case start: {  // xadd
                const Time done = memory.rmw(line_, cpu, now);
                w.ticket = next_++;
                if (w.ticket == serving_) return grant_after(t, w, done - now, Part::lines);
                w.contended = true;
                w.phase = look;
                w.next = no_task;
                (first_ == no_task ? first_ : waits[last_].next) = t;
                last_ = t;
                return Step::after(done - now, Part::handoff);
            }
            case look: {
                const Time done = memory.load(line_, cpu, now);
                if (w.ticket == serving_) {
                    first_ = w.next;
                    return grant_after(t, w, done - now, Part::handoff);
                }
                memory.lines.watch_at_once(line_, memory.poller(t, cpu));
                w.watching = true;
                ++polling_;
                return Step::spin();
            }
            default:
                w.phase = start;
                return Step::grant();
        }
    }

    template <class C>
    Time release(C& core, Memory& memory, std::vector<Wait>& waits, Task t, AcquireMode) {
        FORKSIM_CHECK(owner_ == t, "a ticket lock released by a task that does not own it");
        owner_ = no_task;
        ++serving_;
        if (polling_ > 1) {
            const std::uint64_t bits = core.draw(first_, name_);
            memory.lines.turn_watchers(line_, static_cast<std::uint32_t>((bits >> 32) * polling_ >> 32));
        }
        memory.store(line_, core.cpu_of(t), core.now());
        if (first_ == no_task || !waits[first_].watching) return {};
        const Task next = first_;
        const Poller poller = memory.poller(next, core.cpu_of(next));
        first_ = waits[next].next;
        memory.lines.unwatch(line_, poller);
        waits[next].watching = false;
        --polling_;
        owner_ = next;
        waits[next].phase = granted;
        core.resume(next, memory.lines.seen(poller) - core.now(), t);
        return {};
    }

    Task owner() const { return owner_; }

  private:
    enum Phase : std::uint8_t { start, look, granted };

    Step grant_after(Task t, Wait& w, Time after, Part part) {
        owner_ = t;
        w.phase = granted;
        if (after > Time{}) return Step::after(after, part);
        w.phase = start;
        return Step::grant();
    }

    LineId line_;
    std::uint64_t name_;
    std::uint32_t next_ = 0;
    std::uint32_t serving_ = 0;
    std::uint32_t polling_ = 0;
    Task owner_ = no_task;
    Task first_ = no_task;  // of those that wait, by ticket, through Wait::next
    Task last_ = no_task;
};

}  // namespace forksim
