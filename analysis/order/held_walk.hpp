#pragma once
#include <compare>
#include <cstdint>
#include <vector>

#include "models/spec.hpp"
#include "sim/program.hpp"

namespace forksim {

/// Where kernel code runs that takes a lock.
enum class Where : std::uint8_t {
    task,       ///< a task, in a system call
    at_switch,  ///< the next task on the CPU of one that has ended (finish_task_switch)
    softirq,    ///< a softirq, holding what it has taken itself
    over_task,  ///< a softirq, on top of a task that holds a lock with interrupts on
};

/// A lock that is held, and whose instance: as a step names it.
struct HeldLock {
    std::uint32_t lock = 0;
    std::uint16_t site = 0;  ///< where it was taken
    AcquireMode mode{};
    Whose whose = Whose::self;
    std::uint32_t handle = 0;  ///< Whose::handle: the variable
    auto operator<=>(const HeldLock&) const = default;
};

/// An acquisition as the program may come to it.
struct Acquisition {
    HeldLock taken;
    Where where = Where::task;   ///< not over_task
    bool irq_off = false;        ///< it is waited for with interrupts off
    std::vector<HeldLock> held;  ///< by whoever takes it, oldest first
    auto operator<=>(const Acquisition&) const = default;
};

/// Everything that tasks and softirqs of a program may hold.
struct HeldWalk {
    std::vector<Acquisition> acquisitions;  ///< sorted, each once
    std::vector<HeldLock> interruptible;    ///< spinning locks held while a softirq may come; sorted, each once
};

/// Whether whoever waits for a lock of this kind keeps the CPU.
bool spins(LockKind kind);

/// Follows every way through every program that the roots start, without regard to chance and counts. What is held
/// never depends on the way (Lowering::join), but where it was taken may.
HeldWalk walk_held(const Program& program, const ModelSpec& model);

}  // namespace forksim
