#pragma once
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "sim/core.hpp"
#include "sim/critical_path.hpp"
#include "sim/error.hpp"
#include "sim/event_tree.hpp"
#include "sim/placement.hpp"
#include "sim/probe.hpp"
#include "sim/processes.hpp"
#include "sim/program.hpp"
#include "sim/random.hpp"
#include "sim/record.hpp"
#include "sim/task.hpp"
#include "sim/timer_heap.hpp"
#include "sim/topology.hpp"

namespace forksim {

/// The discrete-event core: executes a Program on the CPUs of a Topology; a Model answers its sync ops, a
/// Policy orders the tasks that wait for a CPU, a Probe watches (beside the standard record). Path divides time among
/// what it was spent on: CriticalPath, or Lifecycles.
///
/// Events are ordered by (time, leaf of the event tree): leaf 0 is the timers', then one execution leaf per CPU,
/// then one slice leaf per CPU; within a class the CPUs stand in an order drawn from the seed (TieBreak::random).
/// Each CPU has at most one pending execution event: the end of the stretch that its top task is in.
template <class Model, class PolicyType, class Probe, class Path = CriticalPath>
class Simulator {
  public:
    /// Everything referred to must outlive the run. `stream` is the run's own number: seed mixed with replication.
    Simulator(const Program& program, const Topology& topology, const CoreConfig& config, std::uint64_t stream,
              std::size_t resources, Model& model, PolicyType& policy, Probe& probe);

    /// Runs warm-up and window, then on until the lifecycles begun in the window are complete (at most the length of
    /// the window again). Throws ModelStuck, InternalError.
    Record run();

    // What a model may ask (concept Core).
    Time now() const { return now_; }
    Cpu cpu_of(Task t) const { return tasks_[t].cpu; }
    const Topology& topology() const { return topology_; }
    std::uint64_t draw(Task t, std::uint64_t key) const {
        return forksim::draw(tasks_[t].stream, tasks_[t].iteration, key, 0)[0];
    }
    void resume(Task t, Time after, Task cause);
    Time wake(Task t, Time after, Task cause);
    void set_timer(TimerId id, Time after) { push_timer(now_ + after, id, {TimerKind::model, no_task, id}); }
    void steal(Cpu cpu, Time length);
    void softirq(Cpu cpu, Callback callback);
    void softirq_later(Cpu cpu, Callback callback);
    void preempt(Task t, int change) {
        tasks_[t].preempt_count = static_cast<std::uint16_t>(tasks_[t].preempt_count + change);
    }
    void irq_off(Task t, int change) { tasks_[t].irq_off = static_cast<std::uint16_t>(tasks_[t].irq_off + change); }
    bool on_cpu(Task t) const { return tasks_[t].state == TaskState::running; }
    bool need_resched(Cpu cpu) const { return cpus_[cpu].need_resched; }

    // More that models need: identity, sampling, the record.
    std::uint32_t process_of(Task t) const { return tasks_[t].process; }
    /// The process that created that of `t`; init if it has ended.
    std::uint32_t parent_process_of(Task t) const { return processes_.parent_of(tasks_[t].process); }
    /// A process keeps its number, also when its tasks have ended, until it is let go as often as it was kept.
    void keep_process(std::uint32_t process) { processes_.keep(process); }
    void let_process_go(std::uint32_t process) { processes_.let_go(process); }
    /// The softirq context that runs on top of `t`, or no_task.
    Task interrupted_by(Task t) const {
        const CpuRecord& c = cpus_[tasks_[t].cpu];
        return c.in_softirq && c.current == t ? tasks_[t].cpu : no_task;
    }
    /// The child that `t` has created and not yet started, or no_task.
    Task embryo_of(Task t) const { return tasks_[t].embryo; }
    Callback callback_of(Task t, std::uint32_t entry) const {
        return {entry, tasks_[t].stream, tasks_[t].iteration, tasks_[t].process};
    }
    std::uint64_t stream() const { return stream_; }
    bool measured(Task t) const { return tasks_[t].measured; }
    const Program& program() const { return program_; }
    RecordProbe& record() { return record_; }
    Path& path() { return path_; }

    // What becomes of a task's try for a resource: models with locks say so to whoever watches.
    void tried(Task t, const Grip& grip) {
        if constexpr (requires { path_.tried(t, grip.site); }) path_.tried(t, grip.site);
        probe_.tried(t, grip, now_);
    }
    void queued(Task t) { probe_.queued(t, now_); }
    void granted(Task t, const Grip& grip) {
        if constexpr (requires { path_.granted(t, now_); }) path_.granted(t, grip.queued ? grip.freed : grip.since);
        probe_.granted(t, grip, now_);
    }
    void released(Task t, const Grip& grip) { probe_.released(t, grip, now_); }

    /// The first tick of `cpu` after now: ticks of different CPUs are out of step by a drawn phase.
    Time next_tick(Cpu cpu) const;
    /// "writer 3": group and number of a task, for messages.
    std::string name_of(Task t) const;

  private:
    enum class TimerKind : std::uint8_t { model, wake, sleep };
    struct Timer {
        TimerKind kind = TimerKind::model;
        Task task = no_task;
        TimerId id = 0;
    };

    // simulator_loop.ipp: the event loop, its boundaries, the beginning and the end.
    void begin();
    bool pass_boundary(Time next);
    void dispatch(std::uint32_t leaf);
    void fire_timers();
    Record finish();
    [[noreturn]] void stuck(const char* why) const;

    // simulator_exec.ipp: the interpreter.
    void execute(Cpu cpu, Task t);
    static bool extends_stretch(const CpuRecord& c, const TaskRecord& task, const Op& op, Time end);
    static CpuUse use_of(const Op& op) { return op.sub == 1 ? CpuUse::user : CpuUse::kernel; }
    static std::uint32_t work_component(const Op& op) {
        const PathTime plain = op.sub == 1 ? PathTime::user : PathTime::kernel;
        return op.site != 0 ? CriticalPath::component(op.site, Part::hold) : CriticalPath::component(plain);
    }
    bool execute_work(Cpu cpu, Task t, const Op& op, Time& end);
    bool execute_sync(Cpu cpu, Task t, const Op& op, Time& end);
    bool execute_control(Cpu cpu, Task t, const Op& op, Time& end);
    void finish_turn(Task t);
    void create_child(Task parent, const Op& op);
    void start_child(Cpu cpu, Task parent, Time& end);
    bool end_program(Cpu cpu, Task t);

    // simulator_cpu.ipp: who runs where.
    void make_runnable(Task t);
    void enqueue(Cpu cpu, Task t);
    void switch_to(Cpu cpu, Task next, Task previous, Time cost);
    void leave(Cpu cpu, Task t);
    void phase_over(Cpu cpu);
    void continue_task(Cpu cpu, Task t);
    bool preemptible(Cpu cpu, Task t) const;
    void preempt_current(Cpu cpu);
    void preempt_within_stretch(Cpu cpu);
    bool preempt_if_due(Cpu cpu, Task t);
    void arm_slice(Cpu cpu, Task t);
    void disarm_slice(Cpu cpu) {
        if (!std::exchange(cpus_[cpu].slice_armed, false)) return;
        tree_.set(slice_leaf_[cpu], Time::never());
    }
    void slice_over(Cpu cpu);
    bool others_wait(Cpu cpu) const { return policy_.waiting(cpu) > 0 || !cpus_[cpu].deferred.empty(); }
    void go_on(Cpu cpu, Task t);
    void set_use(Cpu cpu, CpuUse use) {
        if (cpus_[cpu].use != use) change_use(cpu, use);
    }
    void change_use(Cpu cpu, CpuUse use);
    void retime(Cpu cpu);
    std::uint32_t speed_beside_siblings(Cpu cpu) const;
    Task new_task();
    void free_task(Task t);
    Time idle_exit(Cpu cpu) const;

    // simulator_interrupt.ipp: what takes a CPU from its task for a while.
    bool run_deferred(Cpu cpu, Task previous);
    void begin_softirqs(Cpu cpu);
    void load_softirq(Cpu cpu);
    void end_softirqs(Cpu cpu);
    void interrupt(Task t);
    void uninterrupt(Cpu cpu, Task t);

    Task top(Cpu cpu) const { return cpus_[cpu].in_softirq ? cpu : cpus_[cpu].current; }
    void arm(Cpu cpu, Time at) { tree_.set(exec_leaf_[cpu], at); }
    void push_timer(Time at, std::uint64_t tie, Timer timer) {
        timers_.push(at, config_.tie_break == TieBreak::random ? mix(stream_, tie) : tie, timer);
        tree_.set(0, timers_.next_time());
    }
    void charge(Task t, PathTime kind, Time until) { path_.charge(t, CriticalPath::component(kind), until); }

    const Program& program_;
    const Op* ops_;
    std::vector<ReadySampler> samplers_;  // by Op::a of work, busy, sleep
    const Topology& topology_;
    const CoreConfig& config_;
    std::uint64_t stream_;
    Model& model_;
    PolicyType& policy_;
    Probe& probe_;
    RecordProbe record_;
    Path path_;
    Placement placement_;
    Processes processes_;

    Time now_;
    Time boundary_;        // the next of: window opens, window closes, horizon
    bool closed_ = false;  // the window has been closed
    std::uint64_t events_ = 0;
    std::uint64_t ties_ = 0;
    std::uint64_t events_now_ = 0;  // events at this very instant: the livelock watchdog
    std::uint64_t created_ = 0;
    std::uint64_t live_ = 0;           // tasks that have not ended
    std::uint64_t open_measured_ = 0;  // tasks whose measured turn has not ended

    EventTree tree_;
    std::vector<std::uint32_t> exec_leaf_;  // by CPU
    std::vector<std::uint32_t> slice_leaf_;
    std::vector<Cpu> leaf_cpu_;  // by leaf, in both classes
    TimerHeap<Timer> timers_;
    std::vector<CpuRecord> cpus_;
    std::vector<TaskRecord> tasks_;
    std::vector<Task> free_;
    std::vector<std::vector<Cpu>> siblings_;  // SMT siblings of each CPU, itself excluded
    std::vector<Time> tick_phase_;
};

}  // namespace forksim

#include "sim/simulator_cpu.ipp"
#include "sim/simulator_exec.ipp"
#include "sim/simulator_interrupt.ipp"
#include "sim/simulator_loop.ipp"
