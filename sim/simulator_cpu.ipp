// Who runs where: waking, switching, preempting. Part of sim/simulator.hpp.
#pragma once
#include "sim/simulator.hpp"

namespace forksim {

#define FORKSIM_TEMPLATE template <class Model, class PolicyType, class Probe, class Path>
#define FORKSIM_SIMULATOR Simulator<Model, PolicyType, Probe, Path>

FORKSIM_TEMPLATE void FORKSIM_SIMULATOR::resume(Task t, Time after, Task cause) {
    TaskRecord& task = tasks_[t];
    FORKSIM_CHECK(task.ends == Time::never(), "resumed a task that does not spin");
    Time at = now_ + after;
    path_.wait_over(t, cause, Awaited::resource, now_);
    task.front = CriticalPath::component(program_.ops[task.pc].site, Part::handoff);
    path_.charge(t, task.front, at);
    const bool on_top = top(task.cpu) == t;
    if (on_top && cpus_[task.cpu].paused_until > at) {
        at = cpus_[task.cpu].paused_until;
        charge(t, PathTime::interrupt, at);
    }
    task.work_from = at;
    task.ends = at;
    if (on_top) {
        arm(task.cpu, at);
    } else {
        task.resume_at = at;  // it is interrupted: uninterrupt() will arm it
    }
}

FORKSIM_TEMPLATE Time FORKSIM_SIMULATOR::wake(Task t, Time after, Task cause) {
    FORKSIM_CHECK(tasks_[t].state == TaskState::blocked, "woke a task that does not sleep");
    path_.wait_over(t, cause, Awaited::event, now_);
    record_.woken();
    if (after > Time{}) {
        push_timer(now_ + after, t, {TimerKind::wake, t, 0});
    } else {
        make_runnable(t);
    }
    return config_.wake_cost;
}

FORKSIM_TEMPLATE void FORKSIM_SIMULATOR::make_runnable(Task t) {
    enqueue(placement_.for_wake(tasks_[t].mask, tasks_[t].cpu, cpus_), t);
}

FORKSIM_TEMPLATE Time FORKSIM_SIMULATOR::idle_exit(Cpu cpu) const {
    Time exit{};
    const Time idle = now_ - cpus_[cpu].idle_since;
    for (const IdleState& state : topology_.idle_states)
        if (idle >= state.after) exit = state.exit;
    return exit;
}

/// `t` waits for `cpu`; an idle CPU begins to wake up for it.
FORKSIM_TEMPLATE void FORKSIM_SIMULATOR::enqueue(Cpu cpu, Task t) {
    CpuRecord& c = cpus_[cpu];
    TaskRecord& task = tasks_[t];
    task.cpu = cpu;
    task.state = TaskState::queued;
    c.load += 1;
    if (c.phase == CpuPhase::idle && !c.in_softirq) {
        c.current = t;
        c.phase = CpuPhase::waking;
        arm(cpu, now_ + idle_exit(cpu));
        return;
    }
    policy_.enqueue(cpu, t);
    if (c.phase == CpuPhase::running && policy_.waiting(cpu) == 1) arm_slice(cpu, c.current);
    if (c.current != no_task && policy_.preempts(t, c.current)) {
        c.need_resched = true;
        preempt_within_stretch(cpu);
    }
}

FORKSIM_TEMPLATE void FORKSIM_SIMULATOR::arm_slice(Cpu cpu, Task t) {
    tree_.set(slice_leaf_[cpu], later(now_, tasks_[t].slice_end));
    cpus_[cpu].slice_armed = true;
}

/// A context switch to `next` begins; `previous` (or no_task after idleness) has just left the CPU.
FORKSIM_TEMPLATE void FORKSIM_SIMULATOR::switch_to(Cpu cpu, Task next, Task previous, Time cost) {
    CpuRecord& c = cpus_[cpu];
    c.current = next;
    c.phase = CpuPhase::switching;
    c.need_resched = false;
    if (previous != no_task) {
        path_.wait_over(next, previous, Awaited::cpu, now_);
    } else {
        charge(next, PathTime::wake_up, now_);
    }
    charge(next, PathTime::context_switch, now_ + cost);
    set_use(cpu, CpuUse::context_switch);
    arm(cpu, now_ + cost);
}

/// `t` has blocked, ended or been preempted: the next task takes the CPU, or it falls idle.
FORKSIM_TEMPLATE void FORKSIM_SIMULATOR::leave(Cpu cpu, Task t) {
    FORKSIM_CHECK(t == cpus_[cpu].current && tasks_[t].preempt_count == 0 && tasks_[t].irq_off == 0,
                  "gave up the CPU in a softirq, or with preemption or interrupts off");
    if constexpr (requires { model_.left_cpu(*this, t); }) model_.left_cpu(*this, t);
    disarm_slice(cpu);
    if (run_deferred(cpu, t)) return;
    const Task next = policy_.pick(cpu);
    if (next != no_task) {
        switch_to(cpu, next, t, config_.context_switch);
        return;
    }
    CpuRecord& c = cpus_[cpu];
    c.current = no_task;
    c.phase = CpuPhase::idle;
    c.need_resched = false;
    c.idle_since = now_;
    set_use(cpu, CpuUse::idle);
    arm(cpu, Time::never());
    if (c.softirq_pending) begin_softirqs(cpu);
}

/// The execution event of a CPU that is waking up or switching.
FORKSIM_TEMPLATE void FORKSIM_SIMULATOR::phase_over(Cpu cpu) {
    CpuRecord& c = cpus_[cpu];
    if (c.phase == CpuPhase::waking) {
        if (c.need_resched) {  // somebody more urgent has come meanwhile
            policy_.enqueue(cpu, c.current);
            c.current = policy_.pick(cpu);
        }
        switch_to(cpu, c.current, no_task, config_.context_switch);
        return;
    }
    const Task t = c.current;
    TaskRecord& task = tasks_[t];
    c.phase = CpuPhase::running;
    if (task.state != TaskState::dying) task.state = TaskState::running;
    task.slice_end = now_ + policy_.slice(cpu, t);
    if (others_wait(cpu) && task.state != TaskState::dying) arm_slice(cpu, t);
    set_use(cpu, CpuUse::kernel);
    if (task.state == TaskState::dying && !task.at_switch) {
        end_program(cpu, t);
        return;
    }
    continue_task(cpu, t);
}

/// Goes on with a task that got its CPU (back): the rest of the stretch it was preempted in, or its next op.
FORKSIM_TEMPLATE void FORKSIM_SIMULATOR::continue_task(Cpu cpu, Task t) {
    TaskRecord& task = tasks_[t];
    if (task.left == Time{} && task.resume_at <= now_) {
        execute(cpu, t);
        return;
    }
    go_on(cpu, t);
    preempt_within_stretch(cpu);
}

FORKSIM_TEMPLATE bool FORKSIM_SIMULATOR::preemptible(Cpu cpu, Task t) const {
    const CpuRecord& c = cpus_[cpu];
    const TaskRecord& task = tasks_[t];
    if (c.phase != CpuPhase::running || c.in_softirq) return false;
    if (task.preempt_count > 0 || task.irq_off > 0 || task.state != TaskState::running) return false;
    if (task.ends == Time::never()) return false;
    return task.use == CpuUse::user || config_.preempt == PreemptModel::lazy || config_.preempt == PreemptModel::full;
}

/// Takes the CPU from its task, in the middle of a stretch or between two ops. REQUIRES preemptible().
FORKSIM_TEMPLATE void FORKSIM_SIMULATOR::preempt_current(Cpu cpu) {
    const Task t = cpus_[cpu].current;
    TaskRecord& task = tasks_[t];
    if (task.ends > now_) {
        interrupt(t);
    } else {
        task.left = Time{};
        task.resume_at = now_;
    }
    task.state = TaskState::queued;
    policy_.enqueue(cpu, t);
    leave(cpu, t);
}

/// In the middle of a stretch: takes the CPU from its task if that is due and allowed now. A task whose stretch ends
/// now, or that is executing an op, gives the CPU up by itself (preempt_if_due).
FORKSIM_TEMPLATE void FORKSIM_SIMULATOR::preempt_within_stretch(Cpu cpu) {
    const CpuRecord& c = cpus_[cpu];
    if (!c.need_resched || tasks_[c.current].ends <= now_ || !others_wait(cpu)) return;
    if constexpr (requires { model_.resched_due(*this, c.current); }) {
        if (tasks_[c.current].ends == Time::never()) model_.resched_due(*this, c.current);
    }
    if (preemptible(cpu, c.current)) preempt_current(cpu);
}

/// Between two ops: gives the CPU up if that is due and allowed here. Returns whether it did.
FORKSIM_TEMPLATE bool FORKSIM_SIMULATOR::preempt_if_due(Cpu cpu, Task t) {
    CpuRecord& c = cpus_[cpu];
    if (!c.need_resched || c.in_softirq || !others_wait(cpu)) return false;
    tasks_[t].ends = now_;
    if (!preemptible(cpu, t)) return false;
    preempt_current(cpu);
    return true;
}

FORKSIM_TEMPLATE void FORKSIM_SIMULATOR::slice_over(Cpu cpu) {
    disarm_slice(cpu);
    CpuRecord& c = cpus_[cpu];
    if (c.phase != CpuPhase::running || !others_wait(cpu)) return;
    c.need_resched = true;
    preempt_within_stretch(cpu);
}

/// Goes on with what is left of the stretch of `t`: lines that are still on their way, then work.
FORKSIM_TEMPLATE void FORKSIM_SIMULATOR::go_on(Cpu cpu, Task t) {
    TaskRecord& task = tasks_[t];
    set_use(cpu, task.use);
    const std::uint32_t speed = cpus_[cpu].speed;
    task.work_from = later(now_, task.resume_at);
    task.ends = task.work_from + Time{task.left.ps * task.speed / speed};
    task.speed = speed;
    task.left = Time{};
    path_.charge(t, task.front, task.work_from);
    path_.charge(t, task.component, task.ends);
    arm(cpu, task.ends);
}

/// Accounts the time since the last change; a sibling is re-timed when it gains or loses company.
FORKSIM_TEMPLATE void FORKSIM_SIMULATOR::change_use(Cpu cpu, CpuUse use) {
    CpuRecord& c = cpus_[cpu];
    record_.cpu_used(c.use, c.use_since, now_);
    const auto company = [](CpuUse u) { return u == CpuUse::idle ? 0 : u == CpuUse::spin ? 1 : 2; };
    const bool changed = company(c.use) != company(use);
    c.use = use;
    c.use_since = now_;
    if (!changed) return;
    for (const Cpu sibling : siblings_[cpu]) retime(sibling);
}

FORKSIM_TEMPLATE std::uint32_t FORKSIM_SIMULATOR::speed_beside_siblings(Cpu cpu) const {
    std::uint32_t speed = 1024;
    for (const Cpu sibling : siblings_[cpu]) {
        const CpuUse use = cpus_[sibling].use;
        if (use == CpuUse::idle) continue;
        const std::uint32_t s = use == CpuUse::spin ? topology_.smt_speed_spin : topology_.smt_speed_busy;
        speed = s < speed ? s : speed;
    }
    return speed;
}

/// A sibling of `cpu` has found or left work: the rest of the work of what runs on `cpu` takes another time.
FORKSIM_TEMPLATE void FORKSIM_SIMULATOR::retime(Cpu cpu) {
    CpuRecord& c = cpus_[cpu];
    c.speed = speed_beside_siblings(cpu);
    if (c.phase != CpuPhase::running && !c.in_softirq) return;
    TaskRecord& task = tasks_[top(cpu)];
    if (task.speed == c.speed || task.ends == Time::never()) return;
    const Time from = later(task.work_from, now_);
    if (task.ends <= from) return;
    task.ends = from + Time{(task.ends - from).ps * task.speed / c.speed};
    task.speed = c.speed;
    path_.charge(top(cpu), task.component, task.ends);
    arm(cpu, task.ends);
}

FORKSIM_TEMPLATE Task FORKSIM_SIMULATOR::new_task() {
    Task t;
    if (free_.empty()) {
        t = static_cast<Task>(tasks_.size());
        tasks_.emplace_back();
        path_.reserve(t);
    } else {
        t = free_.back();
        free_.pop_back();
        tasks_[t] = TaskRecord{};
    }
    ++created_;
    ++live_;
    return t;
}

FORKSIM_TEMPLATE void FORKSIM_SIMULATOR::free_task(Task t) {
    if constexpr (requires { model_.gone(*this, t); }) model_.gone(*this, t);
    processes_.leave(tasks_[t].process);
    if (tasks_[t].measured) --open_measured_;
    tasks_[t].measured = false;
    tasks_[t].state = TaskState::unused;
    free_.push_back(t);
    --live_;
}

FORKSIM_TEMPLATE Time FORKSIM_SIMULATOR::next_tick(Cpu cpu) const {
    const std::int64_t period = config_.tick.ps;
    const std::int64_t phase = tick_phase_[cpu].ps;
    const std::int64_t passed = now_.ps < phase ? -1 : (now_.ps - phase) / period;
    return Time{phase + (passed + 1) * period};
}

}  // namespace forksim
