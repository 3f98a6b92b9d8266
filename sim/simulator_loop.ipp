// The event loop. Part of sim/simulator.hpp.
#pragma once
#include <algorithm>

#include "sim/simulator.hpp"

namespace forksim {

/// How many processes the root tasks are in.
inline std::uint32_t root_processes(const Program& program) {
    std::uint32_t count = 0;
    for (const RootTask& root : program.roots) count = std::max(count, root.process + 1);
    return count;
}

FORKSIM_TEMPLATE FORKSIM_SIMULATOR::Simulator(const Program& program, const Topology& topology,
                                              const CoreConfig& config, std::uint64_t stream, std::size_t resources,
                                              Model& model, PolicyType& policy, Probe& probe)
    : program_(program),
      ops_(program.ops.data()),
      topology_(topology),
      config_(config),
      stream_(stream),
      model_(model),
      policy_(policy),
      probe_(probe),
      record_(program, resources, config.warmup + config.duration),
      path_(static_cast<std::uint32_t>(program.sites.size())),
      placement_(topology, program.masks),
      processes_(root_processes(program)),
      boundary_(config.warmup),
      tree_(1 + 2 * topology.cpu_count()),
      exec_leaf_(topology.cpu_count()),
      slice_leaf_(topology.cpu_count()),
      leaf_cpu_(1 + 2 * topology.cpu_count(), no_cpu),
      cpus_(topology.cpu_count()),
      tasks_(topology.cpu_count()),
      siblings_(topology.cpu_count()),
      tick_phase_(topology.cpu_count()) {
    static_assert(Core<Simulator> && ModelOf<Model, Simulator> && Policy<PolicyType>);
    for (const Sampler& sampler : program.samplers) samplers_.emplace_back(program.tables, sampler);
    const Cpu count = topology.cpu_count();
    std::vector<std::uint32_t> rank(count);
    for (Cpu cpu = 0; cpu < count; ++cpu) rank[cpu] = cpu;
    if (config.tie_break == TieBreak::random) {
        for (Cpu i = count; i-- > 1;) {
            const std::uint64_t bits = forksim::draw(stream, i, hash_name("tie-break"), 0)[0];
            std::swap(rank[i], rank[bits % (i + 1)]);
        }
    }
    for (Cpu cpu = 0; cpu < count; ++cpu) {
        exec_leaf_[cpu] = 1 + rank[cpu];
        slice_leaf_[cpu] = 1 + count + rank[cpu];
        leaf_cpu_[exec_leaf_[cpu]] = leaf_cpu_[slice_leaf_[cpu]] = cpu;
        const std::uint64_t bits = forksim::draw(stream, cpu, hash_name("tick"), 0)[0];
        tick_phase_[cpu] = scale(config.tick.ps, static_cast<std::uint32_t>(bits >> 48));  // doubles with the tick
        for (Cpu other = 0; other < count; ++other)
            if (other != cpu && topology.cpus[other].core == topology.cpus[cpu].core) siblings_[cpu].push_back(other);
    }
    if (count > 0) path_.reserve(count - 1);
}

/// The root tasks become runnable at time zero, in the order of the program, on CPUs of their masks in turn.
FORKSIM_TEMPLATE void FORKSIM_SIMULATOR::begin() {
    std::vector<std::uint32_t> placed(program_.masks.size(), 0);
    for (const RootTask& root : program_.roots) {
        const Task t = new_task();
        TaskRecord& task = tasks_[t];
        task.pc = root.entry;
        task.stream = mix(stream_, root.key);
        task.group = root.group;
        task.nice = root.nice;
        task.mask = root.mask;
        task.process = root.process;
        processes_.join(root.process);
        if constexpr (requires { path_.add_root(t, true); }) path_.add_root(t, program_.groups[root.group].forever);
        model_.created(*this, t, no_task, Spawn{});
        enqueue(placement_.spread(root.mask, placed[root.mask]++), t);
    }
}

FORKSIM_TEMPLATE Record FORKSIM_SIMULATOR::run() {
    begin();
    for (;;) {
        const Time next = tree_.next_time();
        if (next >= boundary_) [[unlikely]] {
            if (next == Time::never() && live_ > 0) stuck("deadlock: nothing is left to happen");
            if (!pass_boundary(next)) break;
            continue;
        }
        if (next == now_) {
            ++ties_;
            if (++events_now_ > 20'000'000) [[unlikely]]
                stuck("livelock: simulated time stands still");
        } else {
            events_now_ = 0;
        }
        now_ = next;
        ++events_;
        dispatch(tree_.next_leaf());
        if (closed_ && open_measured_ == 0) [[unlikely]]
            break;
    }
    return finish();
}

/// The window opens, or closes, or the run ends (returns false), before an event at `next`.
FORKSIM_TEMPLATE bool FORKSIM_SIMULATOR::pass_boundary(Time next) {
    const Time close = config_.warmup + config_.duration;
    if (!closed_ && !record_.is_open()) {
        now_ = config_.warmup;
        record_.open(now_);
        path_.restart(now_, [this](Task t, Time until) {
            const TaskRecord& task = tasks_[t];
            const CpuRecord& c = cpus_[task.cpu];
            if (c.current == t && c.phase == CpuPhase::switching) return charge(t, PathTime::context_switch, until);
            path_.charge(t, task.front, later(now_, earlier(task.work_from, until)));
            path_.charge(t, task.component, until);
        });
        for (CpuRecord& c : cpus_) c.use_since = now_;
        record_.record().effort.events = events_;
        events_ = ties_ = 0;
        boundary_ = close;
        return true;
    }
    if (!closed_) {
        now_ = close;
        for (CpuRecord& c : cpus_) {
            record_.cpu_used(c.use, c.use_since, now_);
            c.use_since = now_;
        }
        record_.close(now_);
        record_.record().events = events_;
        record_.record().ties = ties_;
        closed_ = true;
        boundary_ = close + config_.duration;
        return open_measured_ > 0;
    }
    (void)next;
    record_.record().census_complete = false;
    return false;
}

FORKSIM_TEMPLATE FORKSIM_INLINE void FORKSIM_SIMULATOR::dispatch(std::uint32_t leaf) {
    if (leaf == 0) [[unlikely]]
        return fire_timers();
    const Cpu cpu = leaf_cpu_[leaf];
    const CpuRecord& c = cpus_[cpu];
    if (leaf > cpus_.size()) [[unlikely]]
        return slice_over(cpu);
    if (c.in_softirq) return execute(cpu, cpu);
    if (c.phase == CpuPhase::running) return execute(cpu, c.current);
    phase_over(cpu);
}

FORKSIM_TEMPLATE void FORKSIM_SIMULATOR::fire_timers() {
    const Timer timer = timers_.pop();
    tree_.set(0, timers_.next_time());
    switch (timer.kind) {
        case TimerKind::model:
            model_.timer(*this, timer.id);
            break;
        case TimerKind::sleep:
            charge(timer.task, PathTime::asleep, now_);
            make_runnable(timer.task);
            break;
        case TimerKind::wake:
            charge(timer.task, PathTime::wake_up, now_);
            make_runnable(timer.task);
            break;
    }
}

FORKSIM_TEMPLATE Record FORKSIM_SIMULATOR::finish() {
    Record& record = record_.record();
    record.tasks_created = created_;
    record.effort.events += events_;
    record.critical_path_ps = path_.kept();
    for (const std::int64_t part : record.critical_path_ps) record.critical_length_ps += part;
    FORKSIM_CHECK(record.critical_length_ps <= config_.duration.ps, "the critical path is longer than the window");
    return std::move(record);
}

FORKSIM_TEMPLATE std::string FORKSIM_SIMULATOR::name_of(Task t) const {
    if (t < cpus_.size()) return "softirq/" + std::to_string(t);
    const std::uint16_t group = tasks_[t].group;
    const std::string name = group < program_.groups.size() ? program_.groups[group].name : "task";
    return name + "#" + std::to_string(t - cpus_.size());
}

/// Throws ModelStuck, naming up to eight tasks that cannot move, what they wait for and where, and those that run.
FORKSIM_TEMPLATE void FORKSIM_SIMULATOR::stuck(const char* why) const {
    std::string message = std::string(why) + " at " + std::to_string(now_.ps / 1000) + " ns";
    int named = 0;
    for (Task t = 0; t < tasks_.size() && named < 8; ++t) {
        const TaskRecord& task = tasks_[t];
        std::string doing = model_.waiting_for(*this, t);
        const bool runs = task.state == TaskState::running || task.state == TaskState::dying;
        if (doing.empty() && (runs || task.state == TaskState::queued) && task.pc < program_.ops.size()) {
            const std::string& site = program_.sites[program_.ops[task.pc].site].name;
            doing = (runs ? "runs at " : "waits for CPU " + std::to_string(task.cpu) + " at ") +
                    (site.empty() ? "op " + std::to_string(task.pc) : site);
        }
        if (doing.empty()) continue;
        message += (named == 0 ? ": " : "; ") + name_of(t) + " " + doing;
        ++named;
    }
    throw ModelStuck(message);
}

}  // namespace forksim
