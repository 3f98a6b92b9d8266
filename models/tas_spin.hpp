#pragma once
#include <vector>

#include "models/memory.hpp"
#include "models/spec.hpp"
#include "sim/check.hpp"
#include "sim/core.hpp"
#include "sim/random.hpp"

namespace forksim {

/// A test-and-set lock: one locked instruction, and while that fails, reads until the word is free
/// (virt_spin_lock(), arch/x86/include/asm/qspinlock.h: what guests without paravirtual spinlocks use).
///
/// The releasing store takes the word away from everybody who polls. All fetch it again; whose copy arrives first tries
/// first and wins: the nearest, but for the turn of the polling loop that each is in, which is drawn. Pollers whose
/// copy arrives before the winner's instruction is done have seen a free lock too: theirs follow and fail, and move the
/// line each time. Nobody is in order: a newcomer, or the one that has just released, may come first.
class TasSpin {
  public:
    static constexpr Virt virt = Virt::tas;

    explicit TasSpin(const Making& making)
        : line_(making.line), turn_(making.model.spin.turn), name_(hash_name(making.spec.name)) {}

    /// One step of taking it by `t`; called again after each busy or spin until it grants.
    template <class C>
    Step acquire(C& core, Memory& memory, std::vector<Wait>& waits, Task t) {
        Wait& w = waits[t];
        const Cpu cpu = core.cpu_of(t);
        const Time now = core.now();
        switch (w.spin) {
            case start:
                return try_it(memory, w, t, cpu, now);
            case retry: {  // has seen the word free, unless somebody has come first
                if (owner_ != no_task) return look_again(memory, waits, t, cpu, now);
                const Step step = try_it(memory, w, t, cpu, now);
                follow(core, memory, waits, memory.lines.free_at(line_));
                return step;
            }
            case look:
                return look_again(memory, waits, t, cpu, now);
            default:
                w.spin = start;
                return Step::grant();
        }
    }

    /// A plain store of zero. Returns how long the CPU is busy with it: not at all.
    template <class C>
    Time release(C& core, Memory& memory, std::vector<Wait>& waits, Task t) {
        FORKSIM_CHECK(owner_ == t, "a spinlock released by a task that does not own it");
        owner_ = no_task;
        memory.store(line_, core.cpu_of(t), core.now());
        Task winner = no_task;
        for (Task p = first_; p != no_task; p = waits[p].next) {
            Wait& w = waits[p];
            w.linked = memory.lines.seen(memory.poller(p, core.cpu_of(p)));
            if (turn_ > Time{}) {
                const std::uint64_t bits = core.draw(p, mix(name_, ++w.turns));
                w.linked.ps += static_cast<std::int64_t>((bits >> 32) * static_cast<std::uint64_t>(turn_.ps) >> 32);
            }
            if (winner == no_task || w.linked < waits[winner].linked) winner = p;
        }
        if (winner != no_task) {
            remove(waits, winner);
            memory.lines.unwatch(line_, memory.poller(winner, core.cpu_of(winner)));
            waits[winner].spin = retry;
            core.resume(winner, waits[winner].linked - core.now(), t);
        }
        return {};
    }

    Task owner() const { return owner_; }

  private:
    enum Phase : std::uint8_t { start, look, retry, granted };

    Step try_it(Memory& memory, Wait& w, Task t, Cpu cpu, Time now) {
        const Time done = memory.rmw(line_, cpu, now);
        if (owner_ != no_task) {
            w.contended = true;
            w.spin = look;
            return Step::after(done - now, Part::handoff);
        }
        owner_ = t;
        w.spin = granted;
        if (done > now) return Step::after(done - now, w.contended ? Part::handoff : Part::lines);
        w.spin = start;
        return Step::grant();
    }

    /// A load of the word. Its own failed instruction has left it the line, unless somebody has taken it since.
    Step look_again(Memory& memory, std::vector<Wait>& waits, Task t, Cpu cpu, Time now) {
        Wait& w = waits[t];
        const Time done = memory.load(line_, cpu, now);
        if (owner_ == no_task) {
            w.spin = retry;
            return Step::after(done - now, Part::handoff);
        }
        w.spin = look;
        append(waits, t);
        memory.lines.watch_at_once(line_, memory.poller(t, cpu));
        return Step::spin();
    }

    /// Those whose look came before `until` try as well, one behind the other and in vain, then look again.
    template <class C>
    void follow(C& core, Memory& memory, std::vector<Wait>& waits, Time until) {
        for (Task p = first_; p != no_task; p = waits[p].next)
            if (waits[p].linked < until) memory.lines.unwatch(line_, memory.poller(p, core.cpu_of(p)));
        for (Task p = first_; p != no_task; p = waits[p].next)
            if (waits[p].linked < until) memory.rmw(line_, core.cpu_of(p), waits[p].linked);
        for (Task p = first_; p != no_task; p = waits[p].next) {
            if (waits[p].linked >= until) continue;
            memory.load(line_, core.cpu_of(p), waits[p].linked);
            memory.lines.watch_at_once(line_, memory.poller(p, core.cpu_of(p)));
            waits[p].linked = Time::never();
        }
    }

    void append(std::vector<Wait>& waits, Task t) {
        waits[t].next = no_task;
        waits[t].linked = Time::never();
        Task* link = &first_;
        while (*link != no_task) link = &waits[*link].next;
        *link = t;
    }
    void remove(std::vector<Wait>& waits, Task t) {
        Task* link = &first_;
        while (*link != t) link = &waits[*link].next;
        *link = waits[t].next;
    }

    LineId line_;
    Time turn_;
    std::uint64_t name_;
    Task owner_ = no_task;
    Task first_ = no_task;  // of those that poll, through Wait::next, by arrival
};

}  // namespace forksim
