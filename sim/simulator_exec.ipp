// The interpreter. Part of sim/simulator.hpp.
#pragma once
#include "sim/simulator.hpp"

namespace forksim {

/// Executes ops of `t` on `cpu` until one takes time. A run of durations (lines that a touch moves, then work) is one
/// stretch with one event: `end` is how far it reaches, now while nothing has taken time.
FORKSIM_TEMPLATE void FORKSIM_SIMULATOR::execute(Cpu cpu, Task t) {
    CpuRecord& c = cpus_[cpu];
    Time end = now_;
    tasks_[t].work_from = now_;
    if (c.need_resched && preempt_if_due(cpu, t)) return;
    if (c.softirq_pending && tasks_[t].irq_off == 0) {
        tasks_[t].ends = now_;
        interrupt(t);
        begin_softirqs(cpu);
        return;
    }
    for (std::uint32_t steps = 0;; ++steps) {
        TaskRecord& task = tasks_[t];  // again for each op: tasks_ moves when one is created
        const Op& op = ops_[task.pc];
        if (end > now_ && !extends_stretch(c, task, op, end)) {
            task.ends = end;
            arm(cpu, end);
            return;
        }
        if (steps > 10'000'000) stuck("a loop without time");
        if (op.code == Code::work) {
            if (!execute_work(cpu, t, op, end)) return;
        } else if (op.code == Code::sync) {
            if (!execute_sync(cpu, t, op, end)) return;
        } else {
            if (!execute_control(cpu, t, op, end)) return;
        }
    }
}

/// Can `op` be part of the stretch of `task` that reaches to `end`: work of the same use, charged to the same
/// component?
FORKSIM_TEMPLATE FORKSIM_INLINE bool FORKSIM_SIMULATOR::extends_stretch(const CpuRecord& c, const TaskRecord& task,
                                                                        const Op& op, Time end) {
    return op.code == Code::work && !c.need_resched && use_of(op) == task.use &&
           (end == task.work_from || work_component(op) == task.component);
}

/// Adds CPU time to the stretch. Returns false if the CPU was given up.
FORKSIM_TEMPLATE FORKSIM_INLINE bool FORKSIM_SIMULATOR::execute_work(Cpu cpu, Task t, const Op& op, Time& end) {
    TaskRecord& task = tasks_[t];
    const CpuRecord& c = cpus_[cpu];
    if (end == now_) {
        task.use = use_of(op);
        if (c.need_resched && preempt_if_due(cpu, t)) return false;
        if (c.use != task.use) change_use(cpu, task.use);
    }
    Time length = samplers_[op.a].value([&] { return forksim::draw(task.stream, task.iteration, op.b, 0)[0]; });
    task.speed = c.speed;
    if (task.speed != 1024) length.ps = length.ps * 1024 / task.speed;
    task.component = work_component(op);
    end += length;
    path_.charge(t, task.component, end);
    ++task.pc;
    return true;
}

/// Asks the model. Returns false if the CPU is spoken for: `t` waits, or another event will continue it.
FORKSIM_TEMPLATE FORKSIM_INLINE bool FORKSIM_SIMULATOR::execute_sync(Cpu cpu, Task t, const Op& op, Time& end) {
    const Outcome outcome = model_.execute(*this, t, op);
    TaskRecord& task = tasks_[t];
    switch (outcome.what()) {
        case Outcome::proceed: {
            task.pc += outcome.skip() ? 2 : 1;
            const CpuRecord& c = cpus_[cpu];
            if (c.softirq_pending && task.irq_off == 0) {
                task.ends = task.work_from = now_;
                task.use = CpuUse::kernel;
                interrupt(t);
                begin_softirqs(cpu);
                return false;
            }
            if (c.need_resched && task.preempt_count == 0) {
                task.use = CpuUse::kernel;
                return !preempt_if_due(cpu, t);
            }
            return true;
        }
        case Outcome::busy:
            task.use = CpuUse::kernel;
            set_use(cpu, CpuUse::kernel);
            end = now_ + outcome.busy_for();
            task.work_from = end;
            task.front = CriticalPath::component(op.site, outcome.part());
            path_.charge(t, task.front, end);
            if (!outcome.again()) {
                task.pc += outcome.skip() ? 2 : 1;
                return true;
            }
            task.ends = end;
            arm(cpu, end);
            return false;
        case Outcome::spin:
            task.use = CpuUse::kernel;
            task.ends = Time::never();
            set_use(cpu, CpuUse::spin);
            arm(cpu, Time::never());
            return false;
        case Outcome::block:
            task.state = TaskState::blocked;
            task.left = Time{};
            task.resume_at = now_;
            cpus_[cpu].load -= 1;
            leave(cpu, t);
            return false;
    }
    return false;
}

/// Everything that is neither work nor the model's. Returns false if `t` does not go on now.
FORKSIM_TEMPLATE bool FORKSIM_SIMULATOR::execute_control(Cpu cpu, Task t, const Op& op, Time& end) {
    TaskRecord& task = tasks_[t];
    const auto drawn = [&] {
        return samplers_[op.a].value([&] { return forksim::draw(task.stream, task.iteration, op.b, 0)[0]; });
    };
    switch (op.code) {
        case Code::busy:
            task.use = op.sub == 1 ? CpuUse::user : CpuUse::kernel;
            set_use(cpu, task.use);
            end = now_ + drawn();
            task.work_from = task.ends = end;
            task.front =
                op.site != 0 ? CriticalPath::component(op.site, Part::hold) : CriticalPath::component(PathTime::kernel);
            path_.charge(t, task.front, end);
            ++task.pc;
            arm(cpu, end);
            return false;
        case Code::sleep: {
            ++task.pc;
            task.state = TaskState::blocked;
            task.left = Time{};
            task.resume_at = now_;
            cpus_[cpu].load -= 1;
            push_timer(now_ + drawn(), t, {TimerKind::sleep, t, 0});
            leave(cpu, t);
            return false;
        }
        case Code::jump:
            task.pc = op.a;
            return true;
        case Code::branch: {
            const std::uint64_t bits = forksim::draw(task.stream, task.iteration, op.b >> 32, 0)[0];
            task.pc = (bits >> 32) < (op.b & 0xFFFFFFFF) ? task.pc + 1 : op.a;
            return true;
        }
        case Code::repeat: {
            if (op.b == 0) {
                task.pc = op.a;
                return true;
            }
            FORKSIM_CHECK(task.loop_depth < max_loop_depth, "loops nested too deeply");
            task.loops[task.loop_depth++] = {task.iteration, static_cast<std::uint32_t>(op.b), 0};
            task.iteration = mix(task.iteration, 1);
            ++task.pc;
            return true;
        }
        case Code::next: {
            Loop& loop = task.loops[task.loop_depth - 1];
            ++loop.index;
            if (--loop.left > 0) {
                task.iteration = mix(loop.iteration, loop.index + 1);
                task.pc = op.a;
            } else {
                task.iteration = loop.iteration;
                --task.loop_depth;
                ++task.pc;
            }
            return true;
        }
        case Code::leave:
            task.iteration = task.loops[--task.loop_depth].iteration;
            task.pc = op.a;
            return true;
        case Code::turn:
            finish_turn(t);
            task.pc = op.a;
            return true;
        case Code::create:
            create_child(t, op);
            return true;
        case Code::start:
            start_child(cpu, t, end);
            return true;
        case Code::exit:
            FORKSIM_CHECK(task.preempt_count == 0 && task.irq_off == 0,
                          "a task ended with preemption or interrupts off");
            model_.exited(*this, t);
            task.state = TaskState::dying;
            task.at_switch = op.a != no_op;
            task.pc = op.a;
            cpus_[cpu].load -= 1;
            cpus_[cpu].phase = CpuPhase::switching;
            disarm_slice(cpu);
            set_use(cpu, CpuUse::context_switch);
            charge(t, PathTime::context_switch, now_ + config_.context_switch);
            task.left = Time{};
            task.resume_at = now_;
            arm(cpu, now_ + config_.context_switch);
            return false;
        case Code::end:
            return end_program(cpu, t);
        case Code::count:
            record_.counted(op.a, task.measured, now_);
            if (op.a == 0 && record_.is_open()) path_.counted(t);
            ++task.pc;
            return true;
        case Code::measure_begin:
            FORKSIM_CHECK(task.measure_depth < max_measure_depth, "measures nested too deeply");
            task.measure_began[task.measure_depth++] = now_;
            ++task.pc;
            return true;
        case Code::measure_end:
            record_.path(op.a, task.measure_began[--task.measure_depth], now_);
            ++task.pc;
            return true;
        case Code::resched:
            ++task.pc;
            if (cpus_[cpu].need_resched && (config_.preempt != PreemptModel::none || op.sub == 1)) {
                task.use = CpuUse::user;  // an explicit point: allowed as in user mode
                return !preempt_if_due(cpu, t);
            }
            return true;
        case Code::yield:
            ++task.pc;
            if (policy_.waiting(cpu) == 0) return true;
            task.left = Time{};
            task.resume_at = now_;
            task.state = TaskState::queued;
            policy_.enqueue(cpu, t);
            leave(cpu, t);
            return false;
        case Code::work:
        case Code::sync:
            break;
    }
    FORKSIM_CHECK(false, "an op that is no control");
    return false;
}

/// The end of one turn of `forever`: the census counts turns that began inside the window.
FORKSIM_TEMPLATE void FORKSIM_SIMULATOR::finish_turn(Task t) {
    TaskRecord& task = tasks_[t];
    const std::uint32_t path = program_.groups[task.group].turn_path;
    if (path != no_op) record_.path(path, task.turn_began, now_);
    task.turn_began = now_;
    if constexpr (requires { path_.turn_over(t, now_); }) path_.turn_over(t, now_);
    ++task.iteration;
    if (task.measured) --open_measured_;
    task.measured = record_.is_open();
    if (task.measured) ++open_measured_;
}

FORKSIM_TEMPLATE void FORKSIM_SIMULATOR::create_child(Task parent, const Op& op) {
    const Spawn& spawn = program_.spawns[op.a];
    const Task t = new_task();  // may move tasks_
    TaskRecord& child = tasks_[t];
    TaskRecord& from = tasks_[parent];
    child.state = TaskState::embryo;
    child.pc = spawn.entry;
    child.stream = mix(mix(from.stream, spawn.key), from.iteration);
    child.group = spawn.group;
    child.nice = spawn.nice;
    child.mask = spawn.mask == same_mask ? from.mask : spawn.mask;
    child.cpu = from.cpu;
    child.process = spawn.new_process ? processes_.create(from.process) : from.process;
    processes_.join(child.process);
    child.measured = from.measured;
    if (child.measured) ++open_measured_;
    from.embryo = t;
    ++from.pc;
    model_.created(*this, t, parent, spawn);
}

FORKSIM_TEMPLATE void FORKSIM_SIMULATOR::start_child(Cpu cpu, Task parent, Time& end) {
    TaskRecord& task = tasks_[parent];
    ++task.pc;
    const Task child = std::exchange(task.embryo, no_task);
    FORKSIM_CHECK(child != no_task, "started a child that was not created");
    path_.inherit(child, parent, now_);
    tasks_[child].turn_began = now_;
    enqueue(placement_.for_fork(tasks_[child].mask, cpu, cpus_), child);
    task.use = CpuUse::kernel;
    set_use(cpu, CpuUse::kernel);
    end = now_ + config_.wake_cost;
    task.work_from = end;
    task.front = CriticalPath::component(PathTime::kernel);
    path_.charge(parent, task.front, end);
}

/// The end of a callback, or of the at-switch work of a dead task. Returns whether another callback goes on now.
FORKSIM_TEMPLATE bool FORKSIM_SIMULATOR::end_program(Cpu cpu, Task t) {
    CpuRecord& c = cpus_[cpu];
    if (c.in_softirq) {
        FORKSIM_CHECK(tasks_[t].preempt_count == 0 && tasks_[t].irq_off == 0, "a callback ended with a lock held");
        c.softirqs.pop();
        if (c.softirqs.empty()) {
            end_softirqs(cpu);
            return false;
        }
        load_softirq(cpu);
        return true;
    }
    FORKSIM_CHECK(tasks_[t].state == TaskState::dying, "a task ran past its end");
    const Task next = c.deferred.empty() ? policy_.pick(cpu) : no_task;
    if (next == no_task) {
        leave(cpu, t);
        free_task(t);
        return false;
    }
    switch_to(cpu, next, t, Time{});  // the switch itself was paid for when `t` ended
    free_task(t);
    phase_over(cpu);
    return false;
}

}  // namespace forksim
