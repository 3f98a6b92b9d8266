// What lies between locks: lines that they share, the locks that seqcounts go with, read sections.
#include <algorithm>

#include "scenarios/lowering.hpp"

namespace forksim::language {
namespace {

std::string text_of(const ScopeSpec& per) {
    constexpr const char* names[] = {"global", "process", "cpu", "node", "cpus", "task"};
    const std::string name = names[static_cast<std::size_t>(per.scope)];
    return per.scope == Scope::cpus ? "{cpus: " + std::to_string(per.every) + "}" : name;
}

}  // namespace

Time Lowering::time_of(const Fields& fields, std::string_view key, Time fallback, Time most) {
    const Attribute* attribute = fields.find(key);
    const auto* duration = attribute != nullptr ? std::get_if<Duration>(&attribute->value) : nullptr;
    if (duration == nullptr) return fallback;
    const Time time = to_time(duration->a, jiffy());
    if (time <= most) return time;
    fault(attribute->mark, to_text(*duration) + " is too long for " + shown(key),
          "at most " + to_text(Quantity{0, static_cast<double>(most.ps), 0, true}));
    return fallback;
}

void Lowering::put_on_line(std::uint32_t lock, const std::string& name, const Mark& mark) {
    const std::size_t before = faults_.size();
    const std::uint32_t number = line(name, mark);
    if (faults_.size() != before) return;
    model.locks[lock].line = number;
    const ScopeSpec& own = model.locks[lock].per;
    const LineSpec& shared = model.lines[number];
    if (shared.per != own) {
        fault(mark,
              "the lock " + shown(model.locks[lock].name) + " is per " + text_of(own) + ", the line " + shown(name) +
                  " per " + text_of(shared.per),
              "a lock lies on a line of its own scope");
    } else if (shared.far) {
        fault(mark, "the line " + shown(name) + " is `far`: always another one", "a lock lies on one line");
    }
}

void Lowering::put_under(std::uint32_t seqcount, const Attribute& guard) {
    const auto& name = std::get<std::string>(guard.value);
    const Declared* declared = declared_lock(name, guard.mark);
    if (declared == nullptr) return;
    if (declared->fields.word("kind") == "seqcount") {
        fault(guard.mark, shown(name) + " is a seqcount too: it keeps no writer out",
              "expected a lock of another kind");
        return;
    }
    const std::uint32_t number = lock_number(*declared);
    model.locks[seqcount].guard = number;
    const ScopeSpec& own = model.locks[seqcount].per;
    const ScopeSpec& outer = model.locks[number].per;
    if (outer == own || outer.scope == Scope::global) return;
    fault(guard.mark,
          shown(name) + " is per " + text_of(outer) + ", the seqcount per " + text_of(own) +
              ": it does not keep all writers out",
          "expected a lock of the seqcount's scope, or a global one");
}

/// The lock that writers of a seqcount need must be held.
void Lowering::check_guarded(const Step& step, std::uint32_t seqcount) {
    const LockSpec& spec = model.locks[seqcount];
    const std::string written = "the seqcount " + shown(spec.name) + " is written";
    if (spec.guard == no_lock) {
        const Declared* declared = find_declared(resolved_.define.locks, spec.name);
        if (declared->fields.find("under") != nullptr) return;  // reported already
        fault(step.mark, written + ", and nothing says under which lock", "give it `under: LOCK`");
        return;
    }
    const std::string& guard = model.locks[spec.guard].name;
    const auto it =
        std::find_if(state_.held.begin(), state_.held.end(), [&](const Held& held) { return held.lock == spec.guard; });
    if (it != state_.held.end() && it->unwrapped) {
        fault(step.mark, written + " and " + shown(guard) + " is no longer taken", "keep it, or unwrap this step too");
    } else if (it == state_.held.end()) {
        fault(step.mark, written + " without " + shown(guard), "its writers hold that lock (`under`)");
    } else if (it->mode == "read") {
        fault(step.mark, written + " with " + shown(guard) + " held for reading", "other writers can come in");
    }
}

/// The lock of a seqcount's writers stays while it is written.
void Lowering::check_not_guarding(const Step& step, const Held& released) {
    for (const Held& held : state_.held) {
        if (held.mode != "write" || model.locks[held.lock].guard != released.lock) continue;
        fault(step.mark, shown(released.name) + " is released while the seqcount " + shown(held.name) + " is written",
              "written since line " + std::to_string(held.mark.line));
    }
}

void Lowering::seqread(const Step& step) {
    const Attribute* lock = step.fields.find("seqread");
    if (lock == nullptr) return;
    const auto& name = std::get<std::string>(lock->value);
    const Declared* declared = declared_lock(name, lock->mark);
    if (declared == nullptr) return;
    if (declared->fields.word("kind") != "seqcount") {
        fault(lock->mark, "'seqread' of a " + declared->fields.word("kind"), "expected a seqcount");
        return;
    }
    const std::uint32_t number = lock_number(*declared);
    if (step.unwrapped) {
        const OwnSite own(*this, step);
        ++sections_;
        block(step, "body");
        --sections_;
        return;
    }
    for (const Held& held : state_.held) {
        if (held.lock != number || held.mode == "read") continue;
        fault(step.mark,
              "the seqcount " + shown(name) + " is read inside a write section of it: it would spin for ever",
              "written since line " + std::to_string(held.mark.line));
        return;
    }
    const State before = state_;
    const std::uint16_t outer = open_site_;
    const std::uint16_t own = site(step, static_cast<std::int32_t>(number), "read");
    const std::uint32_t again = here();
    open_site_ = own;
    emit_sync(SyncCode::seq_begin, number);
    state_.held.push_back({number, name, "read", own, false, step.mark});
    note_interrupts();
    const State inside = state_;
    ++sections_;
    loop_begins();
    block(step, "body");
    loop_ends(inside, step.mark);
    --sections_;
    open_site_ = own;
    if (!state_.ended) emit_sync(SyncCode::seq_retry, number);
    open_site_ = outer;
    if (state_.ended) return;
    state_.held = before.held;
    if (state_.started != before.started) {
        fault(step.mark, "the child is started in a read section, which may begin anew");
    }
    if (const Block* retry = step.block("on_retry"); retry == nullptr || retry->steps.empty()) {
        emit(Code::jump, again);
        return;
    }
    // seq_retry skips the first jump if no writer came in between
    const std::uint32_t to_retry = emit(Code::jump);
    const std::uint32_t to_end = emit(Code::jump);
    set_target(to_retry);
    const State done = state_;
    loop_begins();
    block(step, "on_retry");
    loop_ends(before, step.mark);
    if (!state_.ended) emit(Code::jump, again);
    set_target(to_end);
    state_ = done;
}

void Lowering::rcu_read(const Step& step) {
    // Its site is its own, also inside a section, because passages are counted there.
    const std::uint16_t outer = open_site_;
    open_site_ = site(step, -1, "");
    emit_sync(SyncCode::rcu_read_lock);
    open_site_ = outer;
    ++rcu_readers_;
    ++sections_;
    block(step, "rcu_read");
    --sections_;
    --rcu_readers_;
    if (state_.ended) {
        fault(step.mark, "the task ends inside an RCU read section");
        return;
    }
    emit_sync(SyncCode::rcu_read_unlock);
}

}  // namespace forksim::language
