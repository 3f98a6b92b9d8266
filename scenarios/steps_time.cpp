// Steps that take time: work, busy, sleep, and the points where a task may lose its CPU.
#include "scenarios/lowering.hpp"

namespace forksim::language {
namespace {

void emit_time(Lowering& lowering, const Step& step, Code code) {
    const Attribute* duration = step.fields.find(step.kind->name());
    if (duration == nullptr) return;
    const std::uint32_t sampler = lowering.sampler(*duration, code == Code::work);
    lowering.emit(code, sampler, Lowering::key(step), lowering.in_user_mode() && code != Code::sleep ? 1 : 0);
}

void lower_work(Lowering& lowering, const Step& step) {
    lowering.touch(step);
    emit_time(lowering, step, Code::work);
}
void lower_busy(Lowering& lowering, const Step& step) { emit_time(lowering, step, Code::busy); }
void lower_sleep(Lowering& lowering, const Step& step) {
    lowering.may_sleep(step);
    emit_time(lowering, step, Code::sleep);
}
void lower_resched(Lowering& lowering, const Step& step) {
    lowering.may_sleep(step);
    lowering.emit(Code::resched);
}
void lower_yield(Lowering& lowering, const Step& step) {
    lowering.may_sleep(step);
    lowering.emit(Code::yield);
}

}  // namespace

const StepKind& work_kind() {
    static const StepKind kind{
        {"work",
         "CPU time: slower while the sibling thread is busy, and it stops while the task has no CPU.",
         {{"work", Type::duration, "how long, if nothing interferes", true},
          {"touch", Type::touch, "lines and operations on objects that it needs, before the time begins"}}},
        false,
        false,
        lower_work};
    return kind;
}

const StepKind& busy_kind() {
    static const StepKind kind{
        {"busy",
         "Time by the clock on the wall that burns the CPU (mdelay): a busy sibling does not stretch it.",
         {{"busy", Type::duration, "how long", true}}},
        false,
        false,
        lower_busy};
    return kind;
}

const StepKind& sleep_kind() {
    static const StepKind kind{{"sleep", "Gives up the CPU for a time.", {{"sleep", Type::duration, "how long", true}}},
                               false,
                               false,
                               lower_sleep};
    return kind;
}

const StepKind& resched_kind() {
    static const StepKind kind{{"resched",
                                "A point where the kernel may give up the CPU (might_sleep, cond_resched).",
                                {{"resched", Type::none, ""}}},
                               false,
                               false,
                               lower_resched};
    return kind;
}

const StepKind& yield_kind() {
    static const StepKind kind{
        {"yield", "Lets other tasks of the CPU go first (sched_yield).", {{"yield", Type::none, ""}}},
        false,
        false,
        lower_yield};
    return kind;
}

}  // namespace forksim::language
