// Tasks: who is meant, creating, starting, signalling, awaiting and ending them.
#include <algorithm>

#include "scenarios/lowering.hpp"

namespace forksim::language {

/// Whom a name means here: `self`, `parent`, `victim`, or a child.
Lowering::Someone Lowering::someone(const std::string& name, const Mark& mark) {
    const Context context = entries_[entry_].context;
    if (context == Context::softirq) {
        fault(mark, shown(name) + " in a softirq", entries_[entry_].function->name + " has no task of its own");
        return {};
    }
    if (name == "self") return {};
    if (name == "victim") return victim_;
    if (context == Context::at_switch && name != "parent") {
        fault(mark, shown(name) + " in at-switch work",
              entries_[entry_].function->name + " knows only the task that has ended");
        return {};
    }
    if (name == "embryo") {
        if (!spawning_ || state_.started) {
            fault(mark, "'embryo' where no child is being spawned",
                  "it is the child between `spawn` and {start: child}");
        }
        return {Whose::embryo, 0};
    }
    if (name == "parent") return {Whose::parent, 0};
    if (std::find(open_sets_.begin(), open_sets_.end(), name) != open_sets_.end()) {
        return {Whose::handle, of_set | number_of(sets_, name)};
    }
    if (known_sets_.count(name) != 0) {
        fault(mark, shown(name) + " is a set of children", "name one of them inside {repeat: {each: " + name + "}}");
    } else if (state_.handles.count(name) == 0) {
        fault(mark, "no child is named " + shown(name) + " here",
              suggestion(name, {state_.handles.begin(), state_.handles.end()}));
    }
    return {Whose::handle, handle(name)};
}

std::uint32_t Lowering::variable(const std::string& name, const Mark& mark) {
    const Someone who = someone(name, mark);
    if (who.whose == Whose::parent || who.whose == Whose::embryo) {
        fault(mark, shown(name) + " has no name of a child", "expected self or a child");
    }
    return who.whose == Whose::handle ? who.handle : myself;
}

/// Whose instance of a lock or line: it must be a matter of who asks.
Lowering::Someone Lowering::owner_of(const std::string& name, const std::string& what, const ScopeSpec& per,
                                     const Mark& mark) {
    const Someone who = someone(name, mark);
    if (per.scope != Scope::process && per.scope != Scope::task) {
        fault(mark, shown(what) + " is not per process or task: there is none of " + shown(name),
              "expected no '@' here");
    } else if (who.whose == Whose::parent && per.scope == Scope::task) {
        fault(mark, shown(what) + " is per task, and 'parent' is a process", "expected self, victim or a child");
    }
    return who;
}

/// Names of children are not words that mean somebody anyway, nor both a child's and a set's.
void Lowering::check_new_name(const std::string& name, const Mark& mark) {
    if (name == "self" || name == "parent" || name == "victim" || name == "embryo") {
        fault(mark, "a child cannot be named " + shown(name), "the word means somebody already");
    } else if (known_sets_.count(name) != 0 && state_.handles.count(name) != 0) {
        fault(mark, shown(name) + " names a child here and a set of children there", "use two names");
    }
}

void Lowering::for_each_child(const Step& step, const Attribute& set, bool take) {
    const auto& name = std::get<std::string>(set.value);
    if (known_sets_.count(name) == 0) {
        fault(set.mark, "no set of children is named " + shown(name),
              suggestion(name, {known_sets_.begin(), known_sets_.end()}));
        return;
    }
    if (std::find(open_sets_.begin(), open_sets_.end(), name) != open_sets_.end()) {
        fault(set.mark, "a loop over " + shown(name) + " inside a loop over it");
        return;
    }
    // As many turns as there are children: next_child skips the way out as long as there is one more.
    const std::uint32_t open = emit(Code::repeat, 0, ~std::uint32_t{0});
    const std::uint32_t start = here();
    emit_sync(SyncCode::next_child, number_of(sets_, name), take ? 1 : 0);
    const std::uint32_t way_out = emit(Code::leave);
    const State before = state_;
    open_sets_.push_back(name);
    loop_begins();
    block(step, "do");
    loop_ends(before, step.mark);
    open_sets_.pop_back();
    emit(Code::next, start);
    set_target(open);
    set_target(way_out);
    State after = before;  // it may have had no turn
    after.started = state_.started;
    set_state(std::move(after));
}

void Lowering::signal_child(const Attribute& child, std::uint32_t signal) {
    const std::uint32_t who = variable(std::get<std::string>(child.value), child.mark);
    if (who == myself) {
        emit_sync(SyncCode::signal, 0, signal);
    } else {
        emit_sync(SyncCode::signal_of, who, signal);
    }
}

void Lowering::spawn(const Step& step) {
    needs_task(step);
    if (spawning_) {
        fault(step.mark, "a spawn within a spawn");
        return;
    }
    const Attribute* run = step.fields.find("run");
    if (run == nullptr) return;
    Spawn child;
    const auto& function = std::get<std::string>(run->value);
    child.entry = entry(Context::child, function, run->mark);
    const Attribute* set = step.fields.find("into");
    const Attribute* as = step.fields.find("as");
    child.joins_set = set != nullptr;
    child.handle = child.joins_set ? number_of(sets_, step.fields.word("into")) : handle(step.fields.word("as"));
    if (set != nullptr && as != nullptr) {
        fault(as->mark, "'as' and 'into' in one spawn", "a child has one name, or is one of a set");
    }
    child.key = key(step);
    child.new_process = step.fields.word("process") == "new";
    child.nice = static_cast<std::int8_t>(step.fields.number("nice", 0));
    child.group = entries_.empty() ? std::uint16_t{0} : entries_[child.entry].group;
    if (const auto* affinity = step.fields.get<Affinity>("affinity"); affinity != nullptr) {
        const Mark& mark = step.fields.find("affinity")->mark;
        if (affinity->kind == Affinity::Kind::core || affinity->kind == Affinity::Kind::pu) {
            fault(mark, "a child is not one of many that go round", "expected any or {cpus: LIST}");
        }
        spawn_masks_.insert({static_cast<std::uint32_t>(program.spawns.size()), {*affinity, mark}});
    }
    program.spawns.push_back(child);
    emit(Code::create, static_cast<std::uint32_t>(program.spawns.size() - 1));
    const Attribute* via = step.fields.find("via");
    state_.started = false;
    if (via == nullptr) {
        emit(Code::start);
    } else {
        spawning_ = true;
        call(std::get<std::string>(via->value), via->mark);
        spawning_ = false;
        const bool known = find_function(resolved_.define, std::get<std::string>(via->value)) != nullptr;
        if (known && !state_.started && !state_.ended) {
            fault(via->mark, shown(std::get<std::string>(via->value)) + " never starts the child",
                  "it needs a step {start: child}");
        }
    }
    if (as != nullptr) {
        const auto& name = std::get<std::string>(as->value);
        check_new_name(name, as->mark);
        state_.handles.insert(name);
    }
    if (set != nullptr) check_new_name(std::get<std::string>(set->value), set->mark);
}

void Lowering::start_child(const Step& step) {
    if (!spawning_) {
        fault(step.mark, "'start: child' where no child is being spawned",
              "it belongs into the function that a spawn step names in `via`");
        return;
    }
    if (state_.started) fault(step.mark, "the child is started twice");
    state_.started = true;
    emit(Code::start);
}

void Lowering::exit(const Step& step) {
    needs_task(step);
    if (spawning_) fault(step.mark, "'exit' inside a spawn");
    check_free_at_end(step.mark, "exits");
    if (const Attribute* next = step.fields.find("next_runs"); next != nullptr) {
        emit_entry(Code::exit, entry(Context::at_switch, std::get<std::string>(next->value), next->mark));
    } else {
        emit(Code::exit, no_op);
    }
    end_way();
}

void Lowering::await(const Step& step) {
    may_sleep(step);
    const Attribute* target = nullptr;
    for (const Attribute& attribute : step.fields.list) {
        if (attribute.key->free) target = &attribute;
    }
    if (target == nullptr) return;
    const auto& name = std::get<std::string>(target->value);
    const std::uint32_t variable = this->variable(name, target->mark);
    if (variable == myself && name == "victim") {
        fault(target->mark, "the victim is the task itself here: it would wait for itself",
              "name a child where the function is called: {call: " + calls_.back()->name + ", victim: CHILD}");
    }
    const std::uint32_t bit = signal(target->label, target->label_mark);
    const bool has_poll = step.block("poll") != nullptr;
    if (!has_poll) {
        emit_sync(SyncCode::await, variable, bit);
        return;
    }
    // poll; leave if signalled, else sleep and poll again
    const std::uint32_t again = here();
    const State before = state_;
    loop_begins();
    block(step, "poll");
    loop_ends(before, step.mark);
    emit_sync(SyncCode::signalled, variable, bit);
    const std::uint32_t to_sleep = emit(Code::jump);
    const std::uint32_t to_end = emit(Code::jump);
    set_target(to_sleep);
    emit_sync(SyncCode::await, variable, bit);
    emit(Code::jump, again);
    set_target(to_end);
}

}  // namespace forksim::language
