#pragma once
#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include "models/futex_pi.hpp"
#include "models/held_locks.hpp"
#include "models/line_table.hpp"
#include "models/memory.hpp"
#include "models/mutex.hpp"
#include "models/percpu_rwsem.hpp"
#include "models/rwlock.hpp"
#include "models/rwsem.hpp"
#include "models/scope.hpp"
#include "models/seqcount.hpp"
#include "models/spec.hpp"
#include "models/spinlock.hpp"
#include "models/ticket.hpp"
#include "sim/core.hpp"
#include "sim/error.hpp"
#include "sim/probe.hpp"

namespace forksim {

/// The list of lock kinds: a new one is a class in its own file, a LockKind, and a name here.
template <class... Kinds>
using LockPools = std::tuple<std::vector<Kinds>...>;
using AllLockPools = LockPools<Spinlock, Rwlock, Rwsem, PercpuRwsem, Ticket, TestAndSet, TasSpinlock, PvSpinlock,
                               TasRwlock, PvRwlock, Seqcount, Mutex, FutexPi>;

/// Every lock instance of a run, in pools by kind, with what all kinds have in common: interrupts and preemption off
/// while spinning or holding, the record, mutual exclusion checked from outside the algorithms, deadlocks found.
class LockTable {
  public:
    LockTable(const ModelSpec& spec, const Topology& topology, const LineTable& lines, ScopeIndex& scopes,
              Memory& memory, Rcu& rcu);

    /// The locks of a new process or task, which nobody holds.
    void born(const Birth& birth);

    /// Makes room for tasks up to `t`.
    void reserve(Task t) {
        if (t >= waits_.size()) {
            waits_.resize(t + 1);
            held_.reserve(t);
        }
    }

    template <class C>
    Outcome acquire(C& core, Task t, const Op& op) {
        return acquire(core, t, op, [&] { return scopes_.at(core, locks_[op.a].scope, t); });
    }
    /// Takes the instance with the given number; `number()` is called once.
    template <class C, class Number>
    Outcome acquire(C& core, Task t, const Op& op, Number number) {
        const std::uint32_t lock = op.a;
        const auto mode = static_cast<AcquireMode>(op.b & 0xFF);
        Wait& w = waits_[t];
        if (w.op == nullptr) {  // first call
            const Lock& known = locks_[lock];
            w.op = &op;
            w.instance = known.instances[number()];
            w.since = core.now();
            w.contended = false;
            if (known.spins) core.preempt(t, 1);
            if (known.irq_off) core.irq_off(t, 1);
            core.tried(t, grip(w, op, lock, sharing_of(mode)));
        }
        if (!w.granted) {
            const bool contended_before = w.contended;
            const Step step = visit(w.instance, [&](auto& l) { return l.acquire(core, memory_, waits_, t, mode); });
            if (w.contended && !contended_before) {
                core.record().queue(lock, w.since, core.now());
                core.queued(t);
                refuse_deadlock(core, t);
            }
            w.granted = step.grants_then();
            if (!step.granted()) return step.outcome;
        }
        granted(core, t, op, lock, mode);
        return {};
    }

    template <class C>
    Outcome release(C& core, Task t, const Op& op) {
        if (waits_[t].releasing) return step_release(core, t);
        const std::uint32_t lock = op.a;
        const Held held = take_held(t, lock);
        Common& common = common_[held.instance];
        common.holders -= 1;
        if (held.mode != AcquireMode::read) common.exclusive = false;
        common.last_release = core.now();
        core.record().released(lock, held.site, held.since, core.now(), common.holders == 0);
        core.released(t, {lock, held.instance, held.site, sharing_of(held.mode), false, held.since, {}});
        const Outcome outcome = visit(held.instance, [&](auto& l) { return release_from(core, l, t, held); });
        if (locks_[lock].irq_off) core.irq_off(t, -1);
        if (locks_[lock].spins) core.preempt(t, -1);
        return outcome;
    }

    /// A read section of a seqcount begins, behind any writer.
    template <class C>
    Outcome seq_begin(C& core, Task t, const Op& op);
    /// It ends: skips the next op, a jump back, if no writer has come in between.
    template <class C>
    Outcome seq_retry(C& core, Task t, const Op& op);
    template <class C>
    Outcome seq_write_begin(C& core, Task t, const Op& op) {
        FORKSIM_CHECK(holds(t, spec_.locks[op.a].guard), "a seqcount written without the lock that it goes with");
        return acquire(core, t, op);
    }

    /// `t` has given up its CPU, or lost it: who spins because it ran spins no more.
    template <class C>
    void left_cpu(C& core, Task t) {
        for (std::uint32_t i = 0; i < held_.count(t); ++i) {
            visit(held_.at(t, i).instance, [&](auto& l) {
                if constexpr (requires { l.owner_left(core, memory_, waits_, t); })
                    l.owner_left(core, memory_, waits_, t);
            });
        }
    }
    /// `t` spins, and somebody else is due on its CPU.
    template <class C>
    void resched_due(C& core, Task t) {
        if (!waits_[t].optimistic) return;
        visit(waits_[t].instance, [&](auto& l) {
            if constexpr (requires { l.give_up(core, memory_, waits_, t); }) l.give_up(core, memory_, waits_, t);
        });
    }
    /// A timer that a lock kind has set.
    template <class C>
    void timer(C& core, TimerId id) {
        const auto t = static_cast<Task>(id >> 32 & 0x0FFFFFFF);
        if (waits_[t].op == nullptr || waits_[t].ticket != static_cast<std::uint32_t>(id)) return;
        visit(waits_[t].instance, [&](auto& l) {
            if constexpr (requires { l.timed_out(core, memory_, waits_, t); }) l.timed_out(core, memory_, waits_, t);
        });
    }
    /// A grace period that an instance has asked for is over.
    template <class C>
    void grace_period_over(C& core, std::uint32_t instance) {
        visit(instance, [&](auto& l) {
            if constexpr (requires { l.grace_period_over(core, waits_); }) l.grace_period_over(core, waits_);
        });
    }

    /// A task has ended: it must hold nothing.
    void exited(Task t) { FORKSIM_CHECK(held_.count(t) == 0, "a task ended with a lock held"); }

    /// "waits for NAME at SITE, held by TASK", or "" if `t` waits for no lock.
    template <class C>
    std::string waiting_for(const C& core, Task t) const {
        if (t >= waits_.size() || waits_[t].op == nullptr) return "";
        const Op& op = *waits_[t].op;
        std::string text = "waits for " + spec_.locks[op.a].name + " at " + core.program().sites[op.site].name;
        const Task owner = common_[waits_[t].instance].owner;
        if (owner != no_task && common_[waits_[t].instance].exclusive) text += ", held by " + core.name_of(owner);
        return text;
    }

  private:
    /// What is known of every instance whatever its kind.
    struct Common {
        std::uint32_t kind;  // index into the pools
        std::uint32_t in_pool;
        LineId line;
        std::uint32_t holders = 0;
        bool exclusive = false;
        Task owner = no_task;  // the last one that took it exclusively
        Time last_release{-1};
    };
    /// What is looked up of a lock in every acquisition.
    struct Lock {
        Instances instances;
        std::uint32_t scope;  // ScopeIndex::prepare()
        bool spins;
        bool irq_off;
    };

    template <class F, std::size_t I = 0>
    auto visit(std::uint32_t instance, F f) {
        constexpr std::size_t last = std::tuple_size_v<AllLockPools> - 1;
        const Common& common = common_[instance];
        if constexpr (I == last) {
            return f(std::get<I>(pools_)[common.in_pool]);
        } else {
            if (common.kind == I) return f(std::get<I>(pools_)[common.in_pool]);
            return visit<F, I + 1>(instance, f);
        }
    }

    static Sharing sharing_of(AcquireMode mode) {
        return mode == AcquireMode::read ? Sharing::shared : Sharing::exclusive;
    }
    Grip grip(const Wait& w, const Op& op, std::uint32_t lock, Sharing sharing) const {
        return {lock, w.instance, op.site, sharing, w.contended, w.since, common_[w.instance].last_release};
    }

    template <class C, class Kind>
    Outcome release_from(C& core, Kind& kind, Task t, const Held& held) {
        if constexpr (requires { Kind::releases_in_steps; }) {
            waits_[t].releasing = true;
            waits_[t].mode = held.mode;
            waits_[t].instance = held.instance;
            return next_step(core, kind, t);
        } else {
            const Time busy = kind.release(core, memory_, waits_, t, held.mode);
            if (busy == Time{}) return {};
            return {Outcome::busy, Part::lines, false, false, busy};
        }
    }
    template <class C>
    Outcome step_release(C& core, Task t) {
        return visit(waits_[t].instance, [&](auto& l) { return next_step(core, l, t); });
    }
    template <class C, class Kind>
    Outcome next_step(C& core, Kind& kind, Task t) {
        if constexpr (requires { Kind::releases_in_steps; }) {
            const Step step = kind.release(core, memory_, waits_, t);
            if (step.granted()) waits_[t].releasing = false;
            return step.outcome;
        } else {
            return {};
        }
    }

    bool holds(Task t, std::uint32_t lock) const {
        if (lock == no_lock) return true;
        for (std::uint32_t i = 0; i < held_.count(t); ++i)
            if (held_.at(t, i).lock == lock) return true;
        return false;
    }

    template <class C>
    void granted(C& core, Task t, const Op& op, std::uint32_t lock, AcquireMode mode) {
        Wait& w = waits_[t];
        Common& common = common_[w.instance];
        FORKSIM_CHECK(!common.exclusive && (mode == AcquireMode::read || common.holders == 0),
                      "mutual exclusion: " + spec_.locks[lock].name + " granted while held");
        const Time handoff = core.now() - later(w.since, common.last_release);
        common.holders += 1;
        if (mode != AcquireMode::read) {
            common.exclusive = true;
            common.owner = t;
        }
        core.record().acquired(lock, op.site, w.since, core.now(), w.contended, common.holders == 1,
                               common.holders == 1 ? handoff : Time{}, core.measured(t));
        core.granted(t, grip(w, op, lock, sharing_of(mode)));
        held_.push(t, {lock, w.instance, 0, op.site, mode, core.now()});
        w.op = nullptr;
        w.phase = w.spin = 0;
        w.granted = false;
        if (w.has_parts) {
            w.turn_to(w.part, core.now());
            core.record().wait_parts(op.site, w.parts);
            w.has_parts = false;
        }
    }

    Held take_held(Task t, std::uint32_t lock) {
        const Held* const last = held_.last(t, lock);
        FORKSIM_CHECK(last != nullptr, "released a lock that is not held: " + spec_.locks[lock].name);
        const Held held = *last;
        held_.remove(t, last);
        return held;
    }

    /// Follows owners from `t`: a circle of exclusive owners that spin or sleep for each other, or that stand
    /// interrupted by one of them, will never end.
    template <class C>
    void refuse_deadlock(const C& core, Task t) const {
        const auto goes_on_after = [&](Task waiter) {
            if (waits_[waiter].op == nullptr) return core.interrupted_by(waiter);
            const Common& common = common_[waits_[waiter].instance];
            return common.exclusive ? common.owner : no_task;
        };
        Task other = goes_on_after(t);
        for (int length = 0; other != t; ++length) {
            if (other == no_task || length == 64) return;
            other = goes_on_after(other);
        }
        std::string text = "deadlock at " + std::to_string(core.now().ps / 1000) + " ns";
        Task link = t;
        do {
            const std::string wait = waiting_for(core, link);
            text += (link == t ? ": " : "; ") + core.name_of(link) + " ";
            link = goes_on_after(link);
            text += wait.empty() ? "is interrupted by " + core.name_of(link) : wait;
        } while (link != t);
        throw ModelStuck(text);
    }

    void add(const LockSpec& lock, std::uint32_t number);

    const ModelSpec& spec_;
    const Topology& topology_;
    const LineTable& lines_;
    ScopeIndex& scopes_;
    Memory& memory_;
    Rcu& rcu_;
    AllLockPools pools_;
    std::vector<Lock> locks_;     // by lock
    std::vector<Common> common_;  // by instance
    std::vector<Wait> waits_;     // by task
    HeldLocks held_;
};

template <class C>
Outcome LockTable::seq_begin(C& core, Task t, const Op& op) {
    Wait& w = waits_[t];
    if (w.op == nullptr) {
        w.op = &op;
        w.instance = locks_[op.a].instances[scopes_.at(core, locks_[op.a].scope, t)];
        w.since = core.now();
        w.contended = false;
        core.tried(t, grip(w, op, op.a, Sharing::unheeded));
    }
    const bool contended_before = w.contended;
    Seqcount& seqcount = std::get<std::vector<Seqcount>>(pools_)[common_[w.instance].in_pool];
    const Step step = seqcount.begin(core, memory_, waits_, t);
    if (w.contended && !contended_before) {
        core.record().queue(op.a, w.since, core.now());
        core.queued(t);
        refuse_deadlock(core, t);
    }
    if (!step.granted()) return step.outcome;
    const Time handoff = w.contended ? core.now() - later(w.since, common_[w.instance].last_release) : Time{};
    core.record().acquired(op.a, op.site, w.since, core.now(), w.contended, false, handoff, core.measured(t));
    core.granted(t, grip(w, op, op.a, Sharing::unheeded));
    held_.push(t, {op.a, w.instance, w.ticket, op.site, AcquireMode::read, core.now()});
    w.op = nullptr;
    w.phase = 0;
    return {};
}

template <class C>
Outcome LockTable::seq_retry(C& core, Task t, const Op& op) {
    const Held held = take_held(t, op.a);
    Seqcount& seqcount = std::get<std::vector<Seqcount>>(pools_)[common_[held.instance].in_pool];
    Time took;
    const bool changed = seqcount.changed(core, memory_, t, held.number, took);
    if (changed) core.record().retried(held.site);
    core.record().released(op.a, held.site, held.since, core.now(), false);
    core.released(t, {op.a, held.instance, held.site, Sharing::unheeded, false, held.since, {}});
    if (took == Time{}) return {Outcome::proceed, Part::lines, false, !changed, {}};
    return {Outcome::busy, Part::lines, false, !changed, took};
}

}  // namespace forksim
