#pragma once
#include <array>
#include <cstdint>

#include "sim/core.hpp"
#include "sim/program.hpp"
#include "sim/record.hpp"
#include "sim/ring.hpp"
#include "sim/time.hpp"

namespace forksim {

inline constexpr std::size_t max_loop_depth = 8;
inline constexpr std::size_t max_measure_depth = 4;

/// Life of a task, or of the softirq context of a CPU.
enum class TaskState : std::uint8_t { unused, embryo, queued, running, blocked, dying };

/// One open loop.
struct Loop {
    std::uint64_t iteration;  ///< the task's iteration outside the loop
    std::uint32_t left;       ///< turns to go, this one included
    std::uint32_t index;      ///< turns done
};

/// All that the core knows of a task. What every op looks at comes first, on one cache line.
struct alignas(64) TaskRecord {
    // What it executes.
    std::uint32_t pc = 0;
    TaskState state = TaskState::unused;
    CpuUse use = CpuUse::kernel;
    bool at_switch = false;  ///< dying: it runs the work that finish_task_switch does for the next task
    bool measured = false;   ///< its present turn began inside the window: counts for the census
    std::uint16_t preempt_count = 0;
    std::uint16_t irq_off = 0;
    // Where it is.
    Cpu cpu = 0;
    // Who it is.
    std::uint64_t stream = 0;     ///< lineage, mixed with seed and replication
    std::uint64_t iteration = 0;  ///< of the innermost loop
    // The present stretch of CPU time: until work_from lines move (not stretched, not interrupted), then work.
    Time work_from;
    Time ends;                    ///< never while it spins and nobody has resumed it
    std::uint32_t component = 0;  ///< of the critical path that the work is charged to
    std::uint32_t front = 0;      ///< the same for the time until work_from
    std::uint32_t speed = 1024;   ///< that `ends` or `left` was computed with

    Task embryo = no_task;  ///< the child created and not yet started
    Time left;              ///< while interrupted or preempted: work to do
    Time resume_at;         ///< while interrupted: not before this (a line on its way); never as `ends`
    Time slice_end;
    std::uint32_t process = 0;
    std::uint32_t mask = 0;  ///< index into Program::masks
    std::uint16_t group = 0;
    std::int8_t nice = 0;
    std::uint8_t loop_depth = 0;
    std::uint8_t measure_depth = 0;
    // What it measures.
    Time turn_began;
    std::array<Time, max_measure_depth> measure_began{};
    std::array<Loop, max_loop_depth> loops{};
};

/// What a CPU is doing.
enum class CpuPhase : std::uint8_t {
    idle,
    waking,     ///< leaving its idle state for `current`
    switching,  ///< in the middle of a context switch to `current`
    running,    ///< runs `current`, or its softirq context on top of it
};

/// All that the core knows of a CPU. What every op looks at comes first, on one cache line.
struct alignas(64) CpuRecord {
    Task current = no_task;
    CpuPhase phase = CpuPhase::idle;
    CpuUse use = CpuUse::idle;
    bool need_resched = false;
    bool softirq_pending = false;  ///< softirqs were raised and have not begun to run
    bool in_softirq = false;
    bool slice_armed = false;
    std::uint32_t speed = 1024;  ///< in 1/1024, as its siblings leave it now
    std::uint32_t load = 0;      ///< tasks running, waking or queued here
    Time use_since;
    Time idle_since;
    Time paused_until;        ///< steal(): interrupt handlers run until then, and lines are all that moves
    Ring<Callback> deferred;  ///< softirq_later(): run when the CPU next changes tasks
    Ring<Callback> softirqs;  ///< raised and not yet finished; the front one runs while in_softirq
};

}  // namespace forksim
