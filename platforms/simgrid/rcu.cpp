#include "platforms/simgrid/rcu.hpp"

#include <utility>

#include "platforms/simgrid/context.hpp"
#include "platforms/simgrid/world.hpp"
#include "sim/distribution.hpp"
#include "sim/error.hpp"
#include "sim/random.hpp"

namespace forksim::reference {

Rcu::Rcu(World& world) : world_(world), ticks_(world.topology.cpu_count()), sleeper_(world.actors) {
    for (Cpu cpu = 0; cpu < ticks_.size(); ++cpu) {
        const std::uint64_t bits = draw(world.stream, cpu, hash_name("tick"), 0)[0];
        ticks_[cpu].phase = scale(world.config.tick.ps, static_cast<std::uint32_t>(bits >> 48));
        ticks_[cpu].sleeper = std::make_unique<Sleeper>(world.actors);
    }
}

void Rcu::start() {
    world_.start_actor(0, "rcu_gp", sleeper_, [this] { grace_periods(); });
    for (Cpu cpu = 0; cpu < ticks_.size(); ++cpu)
        world_.start_actor(cpu, "tick", *ticks_[cpu].sleeper, [this, cpu] { ticks(cpu); });
}

void Rcu::call(Context& caller, std::uint32_t entry) {
    ticks_[caller.cpu].queue.push_back({{entry, caller.stream, caller.iteration, caller.process_number()}, begun_ + 1});
    if (begun_ == completed_) begin();
}

void Rcu::call(std::function<void()> back) {
    calls_.push_back({begun_ + 1, std::move(back)});
    if (begun_ == completed_) begin();
}

void Rcu::synchronize(Context& caller) {
    if (caller.rcu_readers > 0)
        throw ModelStuck("deadlock: " + caller.name() + " waits for itself to leave an RCU read section");
    bool over = false;
    waiters_.push_back({begun_ + 1, [&] {
                            over = true;
                            world_.cpus.wake(caller);
                        }});
    if (begun_ == completed_) begin();
    while (!over) caller.block();
}

void Rcu::begin() {
    ++begun_;
    sleeper_.wake({Turn::at_once, 0});
}

void Rcu::end_waits(std::vector<Waiter>& waiters, std::uint64_t completed) {
    std::vector<Waiter> due;
    std::erase_if(waiters, [&](Waiter& waiter) {
        if (waiter.grace_period > completed) return false;
        due.push_back(std::move(waiter));
        return true;
    });
    for (const Waiter& waiter : due) waiter.back();
}

void Rcu::grace_periods() {
    for (;;) {
        while (begun_ == completed_) sleeper_.wait();
        Time length{world_.spec.rcu.grace_period.mean_ps};
        const std::uint64_t bits = draw(world_.stream, begun_, hash_name("rcu.gp"), 0)[0];
        length = sample(world_.program.tables, world_.spec.rcu.grace_period, bits);
        const Time ends = world_.now() + length;
        while (world_.now() < ends) sleeper_.wait_until(ends, world_.timer_turn(~std::uint64_t{0}));

        completed_ = begun_;
        end_waits(waiters_, completed_);
        end_waits(calls_, completed_);
        bool more = !waiters_.empty() || !calls_.empty();
        for (const Tick& tick : ticks_)
            more = more || (!tick.queue.empty() && tick.queue.back().grace_period > completed_);
        if (more && begun_ == completed_) ++begun_;  // unless one of them has begun it
        for (Tick& tick : ticks_) arm(tick);
    }
}

/// The tick of a CPU raises RCU_SOFTIRQ if callbacks are ready.
void Rcu::ticks(Cpu cpu) {
    Tick& me = ticks_[cpu];
    for (;;) {
        while (!me.armed) me.sleeper->wait();
        const Time due = next_tick(me);
        while (world_.now() < due) me.sleeper->wait_until(due, world_.timer_turn(cpu));
        me.armed = false;
        if (world_.spec.rcu.report != no_op && me.reported != completed_) {
            me.reported = completed_;
            world_.cpus.raise(cpu, {world_.spec.rcu.report, mix(world_.stream, cpu), completed_});
            me.sleeper->wait_for_turn({Turn::timer, 0});
        }
        for (std::uint32_t n = 0; is_ready(me); ++n) {
            const Callback callback = me.queue.front().callback;
            me.queue.pop_front();
            if (n < world_.spec.rcu.batch) {
                world_.cpus.raise(cpu, callback);
            } else {
                world_.cpus.raise_later(cpu, callback);
            }
            me.sleeper->wait_for_turn({Turn::timer, 0});  // it begins before the next one is raised
        }
        arm(me);
    }
}

void Rcu::arm(Tick& tick) {
    if (tick.armed || !is_ready(tick)) return;
    tick.armed = true;
    tick.sleeper->wake({Turn::at_once, 0});
}

/// The first tick after now.
Time Rcu::next_tick(const Tick& tick) const {
    if (world_.now() < tick.phase) return tick.phase;
    const std::int64_t period = world_.config.tick.ps;
    return tick.phase + ((world_.now() - tick.phase).ps / period + 1) * Time{period};
}

}  // namespace forksim::reference
