#pragma once
#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "platforms/simgrid/actors.hpp"
#include "sim/core.hpp"
#include "sim/program.hpp"
#include "sim/topology.hpp"

namespace forksim::reference {

struct World;
class Context;

/// The scheduler and the softirqs: who has which CPU. One runnable task per CPU runs at a time, the others wait in the
/// order in which they came; there are no time slices, and a run that would need one is refused.
class Cpus {
  public:
    explicit Cpus(World& world);
    ~Cpus();

    /// Starts the softirq contexts.
    void start();

    bool in_softirq(Cpu cpu) const { return cpus_[cpu].in_softirq; }
    bool softirqs_pending(Cpu cpu) const { return !cpus_[cpu].softirqs.empty(); }

    /// A root task waits for its turn on the next CPU of its mask.
    void place_root(Context& task);
    /// wake_up_new_task(): the idlest CPU that the mask allows.
    void wake_new(Context& task, const Context& parent);
    /// try_to_wake_up(): an idle CPU near the previous one.
    void wake(Context& task);
    /// The CPU of a task that runs goes to the next one, or falls idle. The task is still runnable iff `queued`.
    void give_up(Context& task, bool queued);
    /// The task has ended, and is being switched away from.
    void dying(Context& task);
    /// The task that was dispatched has arrived; or the switch away from a dying one is over.
    void arrived(Context& task);
    /// The CPU of a dying task goes to the next one. The switch has been paid for.
    void gone(Context& task);
    bool others_wait(Cpu cpu) const { return !cpus_[cpu].queue.empty(); }

    /// Callbacks are to run on a CPU: at once if interrupts are on there, else as soon as they are.
    void raise(Cpu cpu, Callback callback);
    /// Callbacks are left over: they run when the CPU next changes tasks, as in ksoftirqd, or at once if it is idle.
    void raise_later(Cpu cpu, Callback callback);
    /// Runs the callbacks of a CPU on top of its current task, whose wait is pushed back.
    void begin_softirqs(Cpu cpu);

    /// Refuses the run if a slice would have expired by now.
    void check_slices() const;

  private:
    enum class Phase : std::uint8_t { idle, switching, running };
    struct State {
        Phase phase = Phase::idle;
        Context* current = nullptr;  // whom it runs or switches to
        std::deque<Context*> queue;
        std::uint32_t load = 0;  // tasks that run, wait, or are switched to
        Time idle_since;
        Time slice_end;
        bool in_softirq = false;
        std::deque<Callback> softirqs;  // the first one runs while in_softirq
        std::deque<Callback> deferred;
        std::unique_ptr<Context> context;
    };

    void enqueue(Cpu cpu, Context& task);
    void dispatch(Cpu cpu, Context& next, Time cost, Turn turn);
    void hand_over(Cpu cpu, Time cost, Turn turn);
    bool run_deferred(Cpu cpu);
    Time idle_exit(const State& cpu) const;
    void run_callbacks(Cpu cpu);
    void check_slice(const State& cpu) const;
    Cpu idlest(std::uint32_t mask, Cpu parent) const;
    Cpu near(std::uint32_t mask, Cpu previous) const;

    World& world_;
    std::vector<State> cpus_;
    std::vector<std::vector<Cpu>> allowed_;  // by mask
    std::vector<std::uint32_t> placed_;      // by mask: root tasks so far
};

}  // namespace forksim::reference
