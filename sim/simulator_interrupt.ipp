// What takes a CPU from its task for a while: interrupts, softirqs and the softirq thread. Part of sim/simulator.hpp.
#pragma once
#include "sim/simulator.hpp"

namespace forksim {

FORKSIM_TEMPLATE void FORKSIM_SIMULATOR::softirq(Cpu cpu, Callback callback) {
    CpuRecord& c = cpus_[cpu];
    c.softirqs.push(callback);
    if (c.in_softirq) return;
    c.softirq_pending = true;
    if (c.phase == CpuPhase::waking || c.phase == CpuPhase::switching) return;  // phase_over() will begin them
    if (c.phase == CpuPhase::running) {
        if (tasks_[c.current].irq_off > 0) return;  // the release that enables interrupts will
        interrupt(c.current);
    }
    begin_softirqs(cpu);
}

/// Queues work for the CPU's softirq thread: it runs when the CPU next changes tasks, or now if it is idle.
FORKSIM_TEMPLATE void FORKSIM_SIMULATOR::softirq_later(Cpu cpu, Callback callback) {
    CpuRecord& c = cpus_[cpu];
    c.deferred.push(callback);
    if (c.phase == CpuPhase::idle && !c.in_softirq) run_deferred(cpu, no_task);
    if (c.phase == CpuPhase::running && !c.slice_armed) arm_slice(cpu, c.current);
}

/// Between two tasks: the softirq thread takes the CPU if it has work. Returns whether it did.
FORKSIM_TEMPLATE bool FORKSIM_SIMULATOR::run_deferred(Cpu cpu, Task previous) {
    CpuRecord& c = cpus_[cpu];
    if (c.deferred.empty()) return false;
    while (!c.deferred.empty()) c.softirqs.push(c.deferred.pop());
    c.current = no_task;
    c.phase = CpuPhase::idle;
    c.need_resched = false;
    if (previous != no_task) path_.inherit(cpu, previous, now_);
    begin_softirqs(cpu);
    return true;
}

/// Starts with the callbacks of `cpu`; its task, if any, stands interrupted.
FORKSIM_TEMPLATE void FORKSIM_SIMULATOR::begin_softirqs(Cpu cpu) {
    CpuRecord& c = cpus_[cpu];
    c.in_softirq = true;
    c.softirq_pending = false;
    tasks_[cpu].cpu = cpu;
    tasks_[cpu].state = TaskState::running;
    if (c.current != no_task && c.phase == CpuPhase::running) {
        path_.inherit(cpu, c.current, path_.mark(c.current));
        path_.charge(cpu, tasks_[c.current].front, now_);  // if it spins
    } else {
        charge(cpu, PathTime::asleep, now_);
    }
    load_softirq(cpu);
    execute(cpu, cpu);
}

FORKSIM_TEMPLATE void FORKSIM_SIMULATOR::load_softirq(Cpu cpu) {
    const Callback& callback = cpus_[cpu].softirqs.front();
    TaskRecord& context = tasks_[cpu];
    context.pc = callback.entry;
    context.stream = callback.stream;
    context.iteration = callback.iteration;
    context.process = callback.process;
    context.left = Time{};
    context.resume_at = now_;
}

FORKSIM_TEMPLATE void FORKSIM_SIMULATOR::end_softirqs(Cpu cpu) {
    CpuRecord& c = cpus_[cpu];
    c.in_softirq = false;
    if (c.current == no_task) {
        if (run_deferred(cpu, no_task)) return;
        const Task next = policy_.pick(cpu);
        if (next != no_task) {
            switch_to(cpu, next, cpu, config_.context_switch);  // it waited for the softirq
            return;
        }
        c.idle_since = now_;
        set_use(cpu, CpuUse::idle);
        arm(cpu, Time::never());
        return;
    }
    uninterrupt(cpu, c.current);
    preempt_within_stretch(cpu);
}

/// Stops the stretch of a task: what is left of it, and until when lines are on their way.
FORKSIM_TEMPLATE void FORKSIM_SIMULATOR::interrupt(Task t) {
    TaskRecord& task = tasks_[t];
    task.resume_at = task.work_from;
    task.left = Time{};
    if (task.ends == Time::never()) {
        task.resume_at = Time::never();
        return;
    }
    task.left = task.ends - later(task.work_from, now_);
    // What was charged ahead is taken back.
    if (path_.mark(t) > now_) path_.charge(t, task.component, later(now_, path_.mark(t) - task.left));
    if (path_.mark(t) > now_) path_.charge(t, task.front, now_);
}

/// Goes on with a task that was interrupted, now.
FORKSIM_TEMPLATE void FORKSIM_SIMULATOR::uninterrupt(Cpu cpu, Task t) {
    if (tasks_[t].ends == Time::never()) {  // it spins, and nobody has released it meanwhile
        set_use(cpu, CpuUse::spin);
        arm(cpu, Time::never());
        return;
    }
    charge(t, PathTime::interrupt, later(now_, path_.mark(t)));
    go_on(cpu, t);
}

/// Interrupt time without a program (an IPI, a tick): pushes back whatever runs on `cpu`.
FORKSIM_TEMPLATE void FORKSIM_SIMULATOR::steal(Cpu cpu, Time length) {
    CpuRecord& c = cpus_[cpu];
    const Task t = top(cpu);
    if (t == no_task || (c.phase != CpuPhase::running && !c.in_softirq) || length == Time{}) return;
    c.paused_until = later(c.paused_until, now_) + length;
    TaskRecord& task = tasks_[t];
    if (task.ends == Time::never()) return;  // it spins: resume() will look at paused_until
    const Time work = task.ends - later(task.work_from, now_);
    if (c.paused_until > task.work_from) task.front = CriticalPath::component(PathTime::interrupt);
    task.work_from = later(c.paused_until, task.work_from);
    task.ends = task.work_from + work;
    charge(t, PathTime::interrupt, task.ends);
    arm(cpu, task.ends);
}

}  // namespace forksim
