#pragma once
#include <algorithm>
#include <cstdint>
#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "models/spec.hpp"
#include "sim/check.hpp"
#include "sim/core.hpp"
#include "sim/error.hpp"
#include "sim/random.hpp"

namespace forksim {

/// Callbacks after a grace period (kernel/rcu/tree.c, rcu_do_batch): a callback waits for the first grace period
/// that begins after it was queued, then for the next tick of the CPU that queued it. There the first `batch` run in
/// softirq on top of the current task (blimit = 10 per round, MAX_SOFTIRQ_RESTART = 10 rounds, kernel/softirq.c), and
/// the rest in ksoftirqd when the CPU next changes tasks. A task in synchronize(), or a percpu-rwsem's rcu_sync, waits
/// for the end of such a grace period and no longer. Read sections are counted; grace periods have drawn lengths all
/// the same.
class Rcu {
  public:
    /// Timers of this class have these bits on top, or none, or all.
    static constexpr TimerId expedited_over = TimerId{1} << 62;

    Rcu(const RcuSpec& spec, Cpu cpus) : spec_(spec), cpus_(cpus) {}

    template <class C>
    Outcome call(C& core, Task t, const Op& op) {
        PerCpu& here = cpus_[core.cpu_of(t)];
        here.queue.push_back({core.callback_of(t, op.a), begun_ + 1});
        if (begun_ == completed_) begin_grace_period(core);
        return {};
    }

    /// Makes room for tasks up to `t`.
    void reserve(Task t) {
        if (t >= tasks_.size()) tasks_.resize(t + 1);
    }

    /// rcu_read_lock(), rcu_read_unlock(): they nest.
    template <class C>
    Outcome read_lock(C& core, Task t, const Op& op) {
        if (tasks_[t].readers++ == 0) core.record().passed(op.site, core.measured(t));
        return {};
    }
    Outcome read_unlock(Task t) {
        FORKSIM_CHECK(tasks_[t].readers > 0, "rcu_read_unlock() without rcu_read_lock()");
        --tasks_[t].readers;
        return {};
    }

    /// synchronize_rcu(): sleeps until a grace period that begins from now on is over.
    template <class C>
    Outcome synchronize(C& core, Task t) {
        if (is_back(t)) return {};
        wait(core, t);
        return {Outcome::block, Part::handoff, true, false, {}};
    }

    /// synchronize_rcu_expedited(): a short grace period of its own; every other CPU is interrupted for it.
    template <class C>
    Outcome synchronize_expedited(C& core, Task t) {
        if (is_back(t)) return {};
        refuse_reader(core, t);
        const Time length = length_of(core, spec_.expedited, core.draw(t, hash_name("rcu.expedited")));
        tasks_[t].waits = true;
        core.set_timer(expedited_over | t, length);
        for (Cpu cpu = 0; cpu < cpus_.size(); ++cpu)
            if (cpu != core.cpu_of(t)) core.steal(cpu, spec_.expedited_interrupt);
        return {Outcome::block, Part::handoff, true, false, {}};
    }

    /// The same for a part of an acquisition: `t` is going to sleep, and is woken when the grace period is over.
    template <class C>
    void wait(C& core, Task t) {
        refuse_reader(core, t);
        tasks_[t].waits = true;
        waiters_.push_back({t, begun_ + 1});
        if (begun_ == completed_) begin_grace_period(core);
    }
    /// After wait(): has it been woken? Only the first yes counts.
    bool is_back(Task t) { return std::exchange(tasks_[t].back, false); }

    /// call_rcu_hurry() of a lock's instance: timer() tells when a grace period that begins from now on is over.
    template <class C>
    void call_for_lock(C& core, std::uint32_t instance) {
        lock_calls_.push_back({instance, begun_ + 1});
        if (begun_ == completed_) begin_grace_period(core);
    }

    /// A task has ended.
    void exited(Task t) { FORKSIM_CHECK(tasks_[t].readers == 0, "a task ended in an RCU read section"); }

    bool is_waiting(Task t) const { return t < tasks_.size() && tasks_[t].waits; }
    std::uint64_t grace_periods() const { return completed_; }

    /// `on_lock(instance)`: the grace period of call_for_lock() is over.
    template <class C, class F>
    void timer(C& core, TimerId id, F on_lock) {
        if (id == grace_period_over) {
            completed_ = begun_;
            for (const Waiter& waiter : take_due(waiters_)) wake(core, waiter.who);
            for (const Waiter& call : take_due(lock_calls_)) on_lock(call.who);
            if (begun_ != completed_) {  // one of them has begun the next
                for (Cpu cpu = 0; cpu < cpus_.size(); ++cpu) arm(core, cpu);
                return;
            }
            bool more = !waiters_.empty() || !lock_calls_.empty();  // those that came too late for this one
            for (Cpu cpu = 0; cpu < cpus_.size(); ++cpu) {
                arm(core, cpu);
                more = more || (!cpus_[cpu].queue.empty() && cpus_[cpu].queue.back().grace_period > completed_);
            }
            if (more) begin_grace_period(core);
            return;
        }
        if ((id & expedited_over) != 0) {
            wake(core, static_cast<Task>(id & ~expedited_over));
            return;
        }
        const Cpu cpu = static_cast<Cpu>(id);
        PerCpu& here = cpus_[cpu];
        here.armed = false;
        if (spec_.report != no_op && here.reported != completed_) {
            here.reported = completed_;
            core.softirq(cpu, {spec_.report, mix(core.stream(), cpu), completed_});
        }
        for (std::uint32_t n = 0; n < spec_.batch && is_ready(here); ++n) {
            const Callback callback = here.queue.front().callback;
            here.queue.pop_front();
            core.softirq(cpu, callback);
        }
        while (is_ready(here)) {
            const Callback callback = here.queue.front().callback;
            here.queue.pop_front();
            core.softirq_later(cpu, callback);
        }
        arm(core, cpu);
    }

  private:
    static constexpr TimerId grace_period_over = ~TimerId{0};
    struct Queued {
        Callback callback;
        std::uint64_t grace_period;  // runs once this one has completed
    };
    struct PerCpu {
        std::deque<Queued> queue;
        bool armed = false;
        std::uint64_t reported = 0;  // grace period for which it has run RcuSpec::report
    };
    struct Waiter {
        std::uint32_t who;  // task, or instance of a lock
        std::uint64_t grace_period;
    };
    struct PerTask {
        std::uint32_t readers = 0;  // read sections that it is in
        bool waits = false;
        bool back = false;  // woken, and has not run since
    };

    bool is_ready(const PerCpu& here) const {
        return !here.queue.empty() && here.queue.front().grace_period <= completed_;
    }
    template <class C>
    void begin_grace_period(C& core) {
        ++begun_;
        const std::uint64_t bits = draw(core.stream(), begun_, hash_name("rcu.gp"), 0)[0];
        core.set_timer(grace_period_over, length_of(core, spec_.grace_period, bits));
    }
    template <class C>
    static Time length_of(const C& core, const Sampler& s, std::uint64_t bits) {
        return s.table == Sampler::constant ? Time{s.mean_ps} : sample(core.program().tables, s, bits);
    }

    template <class C>
    void wake(C& core, Task t) {
        tasks_[t].waits = false;
        tasks_[t].back = true;
        core.wake(t, Time{}, no_task);  // by a kernel thread, whose time is not accounted for
    }
    std::vector<Waiter> take_due(std::vector<Waiter>& from) const {
        const auto late = std::stable_partition(from.begin(), from.end(),
                                                [&](const Waiter& w) { return w.grace_period <= completed_; });
        std::vector<Waiter> due(from.begin(), late);
        from.erase(from.begin(), late);
        return due;
    }

    /// Waiting for readers inside a read section never ends.
    template <class C>
    void refuse_reader(const C& core, Task t) const {
        if (tasks_[t].readers == 0) return;
        throw ModelStuck("deadlock at " + std::to_string(core.now().ps / 1000) + " ns: " + core.name_of(t) +
                         " waits for a grace period inside an RCU read section");
    }

    template <class C>
    void arm(C& core, Cpu cpu) {
        PerCpu& here = cpus_[cpu];
        if (here.armed || !is_ready(here)) return;
        here.armed = true;
        core.set_timer(cpu, core.next_tick(cpu) - core.now());
    }

    const RcuSpec& spec_;
    std::vector<PerCpu> cpus_;
    std::vector<PerTask> tasks_;
    std::vector<Waiter> waiters_;
    std::vector<Waiter> lock_calls_;
    std::uint64_t begun_ = 0;  // grace periods, numbered from 1
    std::uint64_t completed_ = 0;
};

}  // namespace forksim
