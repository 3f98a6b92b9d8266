#pragma once
#include <concepts>
#include <cstdint>
#include <string>
#include <utility>

#include "sim/program.hpp"
#include "sim/time.hpp"
#include "sim/topology.hpp"

namespace forksim {

/// Index of a task. The first cpu_count() indices are the softirq contexts of the CPUs, one each.
using Task = std::uint32_t;
inline constexpr Task no_task = ~Task{0};

/// What a stretch of time at a site is charged as.
enum class Part : std::uint8_t {
    hold,     ///< work inside the section
    lines,    ///< moving cache lines, uncontended lock words among them
    handoff,  ///< from the release (or the end of the predecessor's part) to the grant
};

/// What a model answers about a task that executed a sync op.
class Outcome {
  public:
    enum What : std::uint8_t {
        proceed,  ///< go on with the next op at once
        busy,     ///< the CPU is busy for `busy_for`, then goes on
        spin,     ///< the CPU is kept, burning, until the model calls resume()
        block,    ///< the CPU is given up until the model calls wake()
    };
    constexpr Outcome() : Outcome(proceed, Part::lines, false, false, {}) {}
    constexpr Outcome(What what, Part part, bool again, bool skip, Time busy_for, std::uint8_t note = 0)
        : bits_(static_cast<std::uint32_t>(what) | static_cast<std::uint32_t>(part) << 8 |
                static_cast<std::uint32_t>(again) << 16 | static_cast<std::uint32_t>(skip) << 17 |
                static_cast<std::uint32_t>(note) << 24),
          busy_for_(busy_for) {}

    constexpr What what() const { return static_cast<What>(bits_ & 0xFF); }
    /// busy: what the time is charged as.
    constexpr Part part() const { return static_cast<Part>(bits_ >> 8 & 0xFF); }
    /// busy: execute the same op again afterwards (spin and block always do).
    constexpr bool again() const { return (bits_ >> 16 & 1) != 0; }
    /// proceed, busy: go on behind the next op.
    constexpr bool skip() const { return (bits_ >> 17 & 1) != 0; }
    /// busy: >= 0.
    constexpr Time busy_for() const { return busy_for_; }
    /// Of the model to itself: the core does not look at it.
    constexpr std::uint8_t note() const { return static_cast<std::uint8_t>(bits_ >> 24); }

    bool operator==(const Outcome&) const = default;

  private:
    // Every event hands one through several functions: two words stay in two registers, where compilers would take
    // a struct of bytes apart and put it together again at each call.
    std::uint32_t bits_;
    Time busy_for_;
};

/// What a timer set by the model carries back to it.
using TimerId = std::uint64_t;

/// A program to run on top of whatever a CPU does, and whose draws it uses.
struct Callback {
    std::uint32_t entry = no_op;  ///< its first op
    std::uint64_t stream = 0;     ///< lineage of the task that queued it
    std::uint64_t iteration = 0;  ///< that task's iteration then
    std::uint32_t process = 0;    ///< that task's: what is per process, such as its credentials, is meant of it
};

/// All that a model may ask of the core. The core never sees the word lock.
/// resume() and wake() name their cause (who released), which is what the critical path follows;
/// the cause is no_task when time alone did it.
template <class C>
concept Core = requires(C& c, const C& k, Task t, Time d, Cpu cpu, TimerId id, Callback callback, std::uint64_t key) {
    { k.now() } -> std::same_as<Time>;
    { k.cpu_of(t) } -> std::same_as<Cpu>;
    { k.topology() } -> std::same_as<const Topology&>;
    { k.draw(t, key) } -> std::same_as<std::uint64_t>;  // pure: keyed by lineage, iteration and key
    c.resume(t, d, t);                                  // ends a spin: t executes its op again after d
    { c.wake(t, d, t) } -> std::same_as<Time>;          // ends a block, through the scheduler; returns the waker's cost
    c.set_timer(id, d);                                 // calls the model's timer(core, id) after d
    c.steal(cpu, d);                                    // interrupt time: pushes back whatever runs there
    c.softirq(cpu, callback);                           // runs on top of the current task and may take locks
    c.softirq_later(cpu, callback);                     // runs between two tasks of that CPU, as ksoftirqd does
    c.preempt(t, 1);                                    // preempt count: > 0 means never preempted
    c.irq_off(t, 1);                                    // interrupts of t's CPU: > 0 means softirqs wait
    { k.on_cpu(t) } -> std::same_as<bool>;              // what optimistic spinners look at
    { k.need_resched(cpu) } -> std::same_as<bool>;
};

/// What the core asks of a model: one class that answers for every kind of sync op. Three more it calls if they exist.
/// For models with tasks that spin only while it makes sense: `m.left_cpu(c, t)`, t has given up its CPU or lost it,
/// and `m.resched_due(c, t)`, t spins and ought to give up its CPU. And `m.gone(c, t)`: nothing of t will run any more,
/// also no work at the switch to the next task, and its number is about to be used again.
template <class M, class C>
concept ModelOf = requires(M& m, C& c, Task t, const Op& op, TimerId id, const Spawn& spawn) {
    { m.execute(c, t, op) } -> std::same_as<Outcome>;  // also called again after busy+again, spin and block
    m.timer(c, id);
    m.created(c, t, t, spawn);  // child, parent
    m.exited(c, t);
    { std::as_const(m).waiting_for(c, t) } -> std::convertible_to<std::string>;  // for messages; "": for nothing
};

/// A scheduling policy: who runs next on a CPU. Where a woken task goes is placement.hpp's.
template <class P>
concept Policy = requires(P& p, const P& k, Cpu cpu, Task t) {
    p.enqueue(cpu, t);                      // t waits for cpu
    { p.pick(cpu) } -> std::same_as<Task>;  // removes and returns the next one, or no_task
    { k.waiting(cpu) } -> std::same_as<std::uint32_t>;
    { k.slice(cpu, t) } -> std::same_as<Time>;   // how long t may run while others wait
    { k.preempts(t, t) } -> std::same_as<bool>;  // does a woken task displace the current one
};

}  // namespace forksim
