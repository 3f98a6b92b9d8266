#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "sim/distribution.hpp"
#include "sim/time.hpp"
#include "sim/topology.hpp"

namespace forksim {

/// What one op tells the interpreter to do. `a` and `b` are the op's operands.
enum class Code : std::uint8_t {
    work,    ///< CPU time, stretched by a busy sibling; a = sampler, b = draw key
    busy,    ///< wall-clock time that burns the CPU (mdelay); a = sampler, b = draw key
    sleep,   ///< give up the CPU for a time; a = sampler, b = draw key
    sync,    ///< ask the model; `sub` is the model's own code, a and b its operands
    jump,    ///< continue at op a
    branch,  ///< continue with the next op with probability b / 2^32, else at op a; draw key = hash of b's upper half
    repeat,  ///< open a loop of b turns (b = 0: continue at a, the op behind its `next`)
    next,    ///< one turn of the innermost loop is done; more to go: continue at a
    turn,    ///< one turn of `forever` is done: the task's iteration grows by one, continue at a
    create,  ///< a child comes into being, not yet runnable; a = index into Program::spawns
    start,   ///< the child created last becomes runnable (wake_up_new_task)
    exit,    ///< the task ends; a = op at which the at-switch work for the next task begins, or no_op
    end,     ///< end of a softirq or at-switch program
    count,   ///< a = counter
    measure_begin,  ///< a = path
    measure_end,    ///< a = path
    resched,        ///< a point where the kernel may give up the CPU (might_sleep, cond_resched)
    yield,          ///< sched_yield
    leave,          ///< the innermost loop is over before its turns are; continue at a
};

inline constexpr std::uint32_t no_op = ~std::uint32_t{0};

/// One instruction. Sixteen bytes, so that four share a cache line.
struct Op {
    Code code = Code::end;
    std::uint8_t sub = 0;    ///< sync: the model's code (SyncCode in models/spec.hpp); work: 1 = user mode
    std::uint16_t site = 0;  ///< index into Program::sites: who is charged
    std::uint32_t a = 0;
    std::uint64_t b = 0;
};
static_assert(sizeof(Op) == 16);

/// A place in the code that is reported by itself: FUNCTION/STEP as called from CALLER.
/// Site 0 is "everything outside": plain work.
struct Site {
    std::string name;            ///< FUNCTION/STEP, unique per kernel
    std::string caller;          ///< the function that called FUNCTION, empty at the top
    std::int32_t resource = -1;  ///< lock taken here (index into ModelSpec::locks), or -1
    std::string mode;            ///< "", "read", "write"
};

/// Set of logical CPUs.
class CpuMask {
  public:
    CpuMask() = default;
    explicit CpuMask(Cpu cpus) : words_((cpus + 63) / 64, 0) {}
    void set(Cpu cpu) { words_[cpu / 64] |= std::uint64_t{1} << (cpu % 64); }
    bool test(Cpu cpu) const { return cpu / 64 < words_.size() && ((words_[cpu / 64] >> (cpu % 64)) & 1) != 0; }
    bool operator==(const CpuMask&) const = default;

  private:
    std::vector<std::uint64_t> words_;
};

/// Spawn::mask: the child may use the CPUs that its parent may.
inline constexpr std::uint32_t same_mask = ~std::uint32_t{0};

/// How a created task begins: see Code::create.
struct Spawn {
    std::uint32_t entry = no_op;     ///< its first op
    std::uint32_t handle = 0;        ///< the parent's variable (`as:`) that will name it
    std::uint64_t key = 0;           ///< hash of the spawn step's name; part of the child's lineage
    bool new_process = false;        ///< fork; else a thread of the parent's process
    std::int8_t nice = 0;            ///< -20..19
    std::uint16_t group = 0;         ///< index into Program::groups, for statistics
    std::uint32_t mask = same_mask;  ///< index into Program::masks
    bool joins_set = false;  ///< `handle` is a set of children, which the child joins; else it names this child alone
};

/// A class of tasks, for statistics: the name of a workload entry or of a spawned function.
struct TaskGroup {
    std::string name;
    bool forever = false;             ///< its turns are measured as a path
    std::uint32_t turn_path = no_op;  ///< index into Program::paths of the latency of one turn, or no_op
};

/// A task that exists when the run begins.
struct RootTask {
    std::uint32_t entry = no_op;
    std::uint16_t group = 0;
    std::uint32_t process = 0;  ///< processes are numbered from zero
    std::uint32_t mask = 0;     ///< index into Program::masks
    std::int8_t nice = 0;
    std::uint64_t key = 0;  ///< lineage: hash of the entry's name and the ordinal within it
};

/// A compiled workload: a flat array of ops and the tables they index. Immutable while it runs.
struct Program {
    std::vector<Op> ops;
    std::vector<Sampler> samplers;
    TableSet tables;
    std::vector<Site> sites;  ///< [0] is plain work
    std::vector<CpuMask> masks;
    std::vector<Spawn> spawns;
    std::vector<TaskGroup> groups;
    std::vector<RootTask> roots;
    std::vector<std::string> counters;  ///< [0] is the one reported as throughput
    std::vector<std::string> paths;
};

/// Where kernel code may lose the CPU (kernel/Kconfig.preempt).
enum class PreemptModel : std::uint8_t { none, voluntary, lazy, full };

/// In which order CPUs act when their events fall on the same picosecond.
enum class TieBreak : std::uint8_t { random, id };

/// What the core itself needs to know of kernel configuration and run.
struct CoreConfig {
    PreemptModel preempt = PreemptModel::lazy;
    TieBreak tie_break = TieBreak::random;
    Time context_switch;  ///< charged to the CPU at each switch between two tasks
    Time wake_cost;       ///< charged to the waker per task woken (try_to_wake_up)
    Time slice = Time::from_ms(3);
    Time tick = Time::from_ms(1);  ///< 1 / HZ
    Time warmup;
    Time duration = Time::from_ms(100);
};

}  // namespace forksim
