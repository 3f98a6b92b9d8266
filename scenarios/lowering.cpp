// The walk: functions, control flow and programs.
#include "scenarios/lowering.hpp"

#include <algorithm>
#include <utility>

#include "sim/random.hpp"

namespace forksim::language {
namespace {

constexpr std::size_t max_ops = 1'000'000;

std::string names_of_held(const std::vector<Lowering::Held>& held) {
    std::string list;
    for (const Lowering::Held& one : held) list += (list.empty() ? "" : ", ") + one.name;
    return list.empty() ? "nothing" : list;
}

bool same_locks(const std::vector<Lowering::Held>& a, const std::vector<Lowering::Held>& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const Lowering::Held& x, const Lowering::Held& y) {
        return x.lock == y.lock && x.mode == y.mode;
    });
}

}  // namespace

Lowering::Lowering(const Resolved& resolved, Diagnostics& faults) : resolved_(resolved), faults_(faults) {
    program.sites.push_back({});
    const auto collect = [&](const auto& self, const std::vector<Step>& steps) -> void {
        for (const Step& step : steps) {
            if (step.kind == &signal_kind()) known_signals_.insert(step.fields.word("signal"));
            if (step.kind == &spawn_kind() && step.fields.find("into") != nullptr) {
                known_sets_.insert(step.fields.word("into"));
            }
            for (const Block& block : step.blocks) self(self, block.steps);
        }
    };
    for (const Function& function : resolved.define.functions) collect(collect, function.steps);
}

void Lowering::fault(const Mark& mark, std::string message, std::string hint) {
    faults_.add(mark, std::move(message), std::move(hint));
}

std::uint32_t Lowering::emit(Code code, std::uint32_t a, std::uint64_t b, std::uint8_t sub) {
    if (program.ops.size() >= max_ops) {
        too_large_ = true;
        return 0;
    }
    program.ops.push_back({code, sub, open_site_, a, b});
    return here() - 1;
}

std::uint32_t Lowering::emit_sync(SyncCode code, std::uint32_t a, std::uint64_t b) {
    return emit(Code::sync, a, b, static_cast<std::uint8_t>(code));
}

void Lowering::emit_entry(Code code, std::uint32_t entry, std::uint8_t sub) {
    entry_refs_.push_back(emit(code, entry, 0, sub));
}

std::uint64_t Lowering::key(const Step& step) { return hash_name(step.site); }

bool Lowering::applies(const Condition& condition) const {
    if (condition.caller.empty()) {
        return holds(condition, resolved_.config);
    }
    const bool called = std::any_of(calls_.begin(), calls_.end(),
                                    [&](const Function* function) { return function->name == condition.caller; });
    return called != condition.negated;
}

void Lowering::steps(const std::vector<Step>& steps) {
    for (const Step& step : steps) {
        const auto* when = step.fields.get<Condition>("when");
        if (when != nullptr && !applies(*when)) continue;
        if (++walked_ > 2 * max_ops) too_large_ = true;
        if (too_large_) return;
        if (state_.ended) {
            fault(step.mark, "nothing comes here: the task has ended, or loops forever, before");
            return;
        }
        step.kind->lower(*this, step);
    }
}

void Lowering::block(const Step& step, std::string_view key) {
    if (const Block* found = step.block(key); found != nullptr) steps(found->steps);
}

void Lowering::enter(const Function& function) {
    const std::string caller = calls_.empty() || calls_.back()->is_task ? "" : calls_.back()->name;
    const Visit visit{entries_[entry_].context, function.name, caller};
    if (visited_.insert(visit).second) visits.push_back(visit);
    calls_.push_back(&function);
}

void Lowering::leave() { calls_.pop_back(); }

void Lowering::call(const std::string& name, const Mark& mark, const Attribute* victim) {
    const Function* function = find_function(resolved_.define, name);
    if (function == nullptr || function->is_task) {
        fault(mark, "unknown function " + shown(name), suggestion(name, names_of(resolved_.define.functions)));
        return;
    }
    if (std::find(calls_.begin(), calls_.end(), function) != calls_.end()) {
        std::string cycle;
        for (auto it = std::find(calls_.begin(), calls_.end(), function); it != calls_.end(); ++it) {
            cycle += (*it)->name + " -> ";
        }
        fault(mark, "calls without end: " + cycle + name, "use repeat or forever for loops");
        return;
    }
    if (calls_.size() > 100) {
        fault(mark, "calls are nested more than 100 deep");
        return;
    }
    const std::uint16_t outer = open_site_;
    const Someone outer_victim = victim_;
    if (victim != nullptr) victim_ = someone(std::get<std::string>(victim->value), victim->mark);
    enter(*function);
    steps(function->steps);
    leave();
    victim_ = outer_victim;
    open_site_ = outer;
}

std::uint16_t Lowering::group(Context context, const std::string& name) {
    const bool is_task = context == Context::task || context == Context::child;
    if (!is_task) return 0;
    // A spawned function may bear the name of tasks of the workload only if they are the same group.
    const auto same = [&](const TaskGroup& g) { return g.name == name; };
    const auto it = std::find_if(program.groups.begin(), program.groups.end(), same);
    if (it != program.groups.end()) return static_cast<std::uint16_t>(it - program.groups.begin());
    program.groups.push_back({name, false, no_op});
    return static_cast<std::uint16_t>(program.groups.size() - 1);
}

std::uint32_t Lowering::entry(Context context, const std::string& name, const Mark& mark) {
    const Function* function = find_function(resolved_.define, name);
    if (function == nullptr || (function->is_task && context != Context::task)) {
        fault(mark, "unknown function " + shown(name), suggestion(name, names_of(resolved_.define.functions)));
        return 0;
    }
    for (std::uint32_t i = 0; i < entries_.size(); ++i) {
        if (entries_[i].context == context && entries_[i].function == function) return i;
    }
    entries_.push_back({context, function, no_op, group(context, name)});
    return static_cast<std::uint32_t>(entries_.size() - 1);
}

std::uint32_t Lowering::add_tasks(const Function& function) {
    return entry(Context::task, function.name, function.mark);
}

void Lowering::compile(std::uint32_t number) {
    entry_ = number;
    state_ = {};
    handles_.clear();
    sets_.clear();
    open_sets_.clear();
    victim_ = {};
    open_site_ = 0;
    sections_ = loops_ = rcu_readers_ = 0;
    spawning_ = false;
    const Function& function = *entries_[number].function;
    entries_[number].op = here();
    calls_.clear();
    enter(function);
    steps(function.steps);
    if (!state_.ended) {
        check_free_at_end(function.mark, "ends");
        const bool is_task = entries_[number].context == Context::task || entries_[number].context == Context::child;
        open_site_ = 0;
        emit(is_task ? Code::exit : Code::end, is_task ? no_op : 0);
    }
    leave();
    model.handles = std::max(model.handles, static_cast<std::uint32_t>(handles_.size()));
    model.sets = std::max(model.sets, static_cast<std::uint32_t>(sets_.size()));
}

void Lowering::finish() {
    compile_entries();
    const std::optional<std::uint32_t> report = report_entry();
    compile_entries();
    if (too_large_) {
        fault(resolved_.mark, "the program is larger than " + std::to_string(max_ops) + " operations",
              "functions are copied to where they are called; use repeat");
        return;
    }
    check_object_uses();
    check_interrupts();
    for (const std::uint32_t op : entry_refs_) program.ops[op].a = entries_[program.ops[op].a].op;
    for (Spawn& spawn : program.spawns) spawn.entry = entries_[spawn.entry].op;
    if (report) model.rcu.report = entries_[*report].op;
    add_rcu();
    add_spin();
    model.handoff = static_cast<std::uint32_t>(resolved_.config.number("handoffs", 1) * 1024 + 0.5);
    model.overlap = static_cast<std::uint32_t>(resolved_.config.number("overlap", 0.5) * 1024 + 0.5);
}

void Lowering::check_free_at_end(const Mark& mark, std::string_view what) {
    if (state_.held.empty()) return;
    fault(mark, calls_.back()->name + " " + std::string(what) + " while it holds " + names_of_held(state_.held),
          "taken at line " + std::to_string(state_.held.back().mark.line));
}

Lowering::State Lowering::join(const State& a, const State& b, const Mark& mark, std::string_view what) {
    if (a.ended) return b;
    if (b.ended) return a;
    if (!same_locks(a.held, b.held)) {
        fault(mark, std::string(what) + " holds " + names_of_held(a.held) + " one way, " + names_of_held(b.held) +
                        " the other");
    }
    if (a.started != b.started) fault(mark, std::string(what) + " starts the child one way only");
    State joined = a;
    joined.handles.clear();
    std::set_intersection(a.handles.begin(), a.handles.end(), b.handles.begin(), b.handles.end(),
                          std::inserter(joined.handles, joined.handles.begin()));
    return joined;
}

void Lowering::loop_ends(const State& before, const Mark& mark) {
    --loops_;
    if (state_.ended || same_locks(before.held, state_.held)) return;
    fault(mark, "one turn of the loop begins with " + names_of_held(before.held) + " held and ends with " +
                    names_of_held(state_.held));
    state_.held = before.held;
}

void Lowering::forever(const Step& step, std::string_view body) {
    needs_task(step);
    if (loops_ > 0 || sections_ > 0 || spawning_) {
        fault(step.mark, "'forever' inside a loop, a section or a spawn", "nothing could come after it");
        return;
    }
    TaskGroup& group = program.groups[entries_[entry_].group];
    group.forever = true;
    const std::uint32_t turns = path(group.name + ": one turn");
    program.groups[entries_[entry_].group].turn_path = turns;
    const State before = state_;
    const std::uint32_t start = here();
    loop_begins();
    block(step, body);
    loop_ends(before, step.mark);
    if (!state_.ended) emit(Code::turn, start);
    if (here() == start + 1 && faults_.empty() && !too_large_)
        fault(step.mark, "'forever' does nothing", "simulated time would stand still");
    end_way();
}

}  // namespace forksim::language
