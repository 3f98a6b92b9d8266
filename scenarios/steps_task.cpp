// Steps on tasks: creating, starting, signalling, awaiting and ending them.
#include "scenarios/lowering.hpp"

namespace forksim::language {
namespace {

void lower_spawn(Lowering& lowering, const Step& step) { lowering.spawn(step); }
void lower_start(Lowering& lowering, const Step& step) { lowering.start_child(step); }
void lower_await(Lowering& lowering, const Step& step) { lowering.await(step); }
void lower_exit(Lowering& lowering, const Step& step) { lowering.exit(step); }
void lower_signal(Lowering& lowering, const Step& step) {
    lowering.needs_task(step);
    const Attribute* name = step.fields.find("signal");
    if (name == nullptr) return;
    const std::uint32_t signal = lowering.signal(std::get<std::string>(name->value), name->mark);
    if (const Attribute* child = step.fields.find("of"); child != nullptr) {
        lowering.signal_child(*child, signal);
    } else {
        lowering.emit_sync(SyncCode::signal, 0, signal);
    }
}

/// A key of the map behind the kind.
Key inside(Key key) {
    key.inside = true;
    return key;
}

}  // namespace

const StepKind& spawn_kind() {
    static const StepKind kind{
        {"spawn",
         "Creates a child that runs a function. `via` is the function by which the parent creates it.",
         {{"spawn", Type::mapping, "how and what", true},
          inside({"run", Type::function, "what the child runs", true}),
          inside({"via", Type::function, "what the parent runs; it has a step {start: child}. Absent: starts at once"}),
          inside({"as", Type::handle, "the parent's name for the child; the next child of that name takes it"}),
          inside({"into", Type::handle, "instead of `as`: a set that the child joins, for `repeat: {each: SET}`"}),
          inside({"process", Type::choice, "a thread of the parent's process, or a new process", false, "same",
                  "same|new"}),
          inside({"affinity", Type::affinity, "`any` or `{cpus: [0-47, 96]}`", false, "the parent's"}),
          inside({"nice", Type::integer, "nice value", false, "0", {}, -20, 19, nullptr, false, false, false, true})}},
        true,
        false,
        lower_spawn};
    return kind;
}

const StepKind& start_kind() {
    static const StepKind kind{{"start",
                                "The child becomes runnable (wake_up_new_task).",
                                {{"start", Type::choice, "child", true, {}, "child"}}},
                               false,
                               false,
                               lower_start};
    return kind;
}

const StepKind& signal_kind() {
    static const StepKind kind{{"signal",
                                "Tells whoever awaits this task, now or later.",
                                {{"signal", Type::signal, "name of the signal", true},
                                 {"of", Type::handle, "the child that gets it, and whoever awaits that one"}}},
                               false,
                               false,
                               lower_signal};
    return kind;
}

const StepKind& await_kind() {
    Key target{"SIGNAL", Type::handle, "the signal, and the child that gives it, or `self` that gets it", true};
    target.inside = target.free = true;
    static const StepKind kind{
        {"await",
         "Waits until a child has given a signal: `{await: {cleartid: kid}}`.",
         {{"await", Type::mapping, "signal and child", true},
          target,
          inside({"poll", Type::steps, "run first, and again after each wake-up; then the signal is looked at"})}},
        true,
        false,
        lower_await};
    return kind;
}

const StepKind& exit_kind() {
    static const StepKind kind{
        {"exit",
         "The task ends.",
         {{"exit", Type::mapping, "may be absent"},
          inside({"next_runs", Type::function, "what the next task on this CPU, or idle, runs before anything else"})}},
        true,
        true,
        lower_exit};
    return kind;
}

}  // namespace forksim::language
