#pragma once
#include <cstdint>
#include <deque>
#include <vector>

#include "models/spec.hpp"
#include "sim/core.hpp"
#include "sim/random.hpp"

namespace forksim {

/// Callbacks after a grace period (kernel/rcu/tree.c, rcu_do_batch): a callback waits for the first grace period
/// that begins after it was queued, then for the next tick of the CPU that queued it. There the first `batch` run in
/// softirq on top of the current task (blimit = 10 per round, MAX_SOFTIRQ_RESTART = 10 rounds, kernel/softirq.c), and the
/// rest in ksoftirqd when the CPU next changes tasks.
class Rcu {
  public:
    Rcu(const RcuSpec& spec, Cpu cpus) : spec_(spec), cpus_(cpus) {}

    template <class C>
    Outcome call(C& core, Task t, const Op& op) {
        PerCpu& here = cpus_[core.cpu_of(t)];
        here.queue.push_back({core.callback_of(t, op.a), begun_ + 1});
        if (begun_ == completed_) begin_grace_period(core);
        return {};
    }

    template <class C>
    void timer(C& core, TimerId id) {
        if (id == grace_period_over) {
            completed_ = begun_;
            bool more = false;  // callbacks that came too late for this one
            for (Cpu cpu = 0; cpu < cpus_.size(); ++cpu) {
                arm(core, cpu);
                more = more || (!cpus_[cpu].queue.empty() && cpus_[cpu].queue.back().grace_period > completed_);
            }
            if (more) begin_grace_period(core);
            return;
        }
        const Cpu cpu = static_cast<Cpu>(id);
        PerCpu& here = cpus_[cpu];
        here.armed = false;
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
    };

    bool is_ready(const PerCpu& here) const {
        return !here.queue.empty() && here.queue.front().grace_period <= completed_;
    }
    template <class C>
    void begin_grace_period(C& core) {
        ++begun_;
        const Sampler& s = spec_.grace_period;
        Time length{s.mean_ps};
        if (s.table != Sampler::constant)
            length = sample(core.program().tables, s, draw(core.stream(), begun_, hash_name("rcu.gp"), 0)[0]);
        core.set_timer(grace_period_over, length);
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
    std::uint64_t begun_ = 0;      // grace periods, numbered from 1
    std::uint64_t completed_ = 0;
};

}  // namespace forksim
