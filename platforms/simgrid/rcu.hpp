#pragma once
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <vector>

#include "platforms/simgrid/actors.hpp"
#include "sim/core.hpp"

namespace forksim::reference {

struct World;
class Context;

/// Callbacks after a grace period: an actor for the grace periods, and one for the tick of each CPU.
///
/// As models/rcu.hpp has it: a callback waits for the first grace period that begins after it was queued, then for the
/// next tick of its CPU. There the first `batch` run at once, the rest between two tasks. Before them, once per grace
/// period, runs what RcuSpec::report names. A task in synchronize_rcu() waits for the end of such a grace period.
class Rcu {
  public:
    explicit Rcu(World& world);

    void start();
    void call(Context& caller, std::uint32_t entry);
    /// Calls `back` when a grace period that begins from now on is over, on behalf of nobody.
    void call(std::function<void()> back);
    /// Returns when a grace period that begins from now on is over.
    void synchronize(Context& caller);

  private:
    struct Queued {
        Callback callback;
        std::uint64_t grace_period;
    };
    struct Tick {
        Time phase;
        std::deque<Queued> queue;
        std::uint64_t reported = 0;  // the last grace period
        bool armed = false;
        std::unique_ptr<Sleeper> sleeper;
    };

    struct Waiter {
        std::uint64_t grace_period;
        std::function<void()> back;
    };

    void begin();
    void grace_periods();
    static void end_waits(std::vector<Waiter>& waiters, std::uint64_t completed);
    void ticks(Cpu cpu);
    bool is_ready(const Tick& tick) const {
        return !tick.queue.empty() && tick.queue.front().grace_period <= completed_;
    }
    void arm(Tick& tick);
    Time next_tick(const Tick& tick) const;

    World& world_;
    std::vector<Tick> ticks_;
    std::vector<Waiter> waiters_;  // tasks
    std::vector<Waiter> calls_;
    std::uint64_t begun_ = 0;  // grace periods, numbered from 1
    std::uint64_t completed_ = 0;
    Sleeper sleeper_;
};

}  // namespace forksim::reference
