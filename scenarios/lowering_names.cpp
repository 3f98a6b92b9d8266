// Numbers for names, sites, locks and touches.
#include <algorithm>
#include <array>
#include <stdexcept>

#include "scenarios/lowering.hpp"
#include "scenarios/reader.hpp"
#include "sim/random.hpp"

namespace forksim::language {
namespace {

ScopeSpec scope_of(const Fields& fields, Scope fallback) {
    const auto* scope = fields.get<ScopeSpec>("per");
    return scope != nullptr ? *scope : ScopeSpec{fallback, 1};
}

const LockKindTable& kind_of(const Declared& lock) {
    const auto kinds = lock_kinds();
    const std::string name = lock.fields.word("kind", "spinlock");
    return *std::find_if(kinds.begin(), kinds.end(), [&](const LockKindTable& k) { return k.name == name; });
}

}  // namespace

std::uint32_t Lowering::number_of(std::map<std::string, std::uint32_t>& numbers, const std::string& name) {
    return numbers.try_emplace(name, static_cast<std::uint32_t>(numbers.size())).first->second;
}

std::uint32_t Lowering::handle(const std::string& name) { return number_of(handles_, name); }

std::uint32_t Lowering::counter(const std::string& name) {
    const std::uint32_t number = number_of(counters_, name);
    if (number == program.counters.size()) program.counters.push_back(name);
    return number;
}

std::uint32_t Lowering::path(const std::string& name) {
    const std::uint32_t number = number_of(paths_, name);
    if (number == program.paths.size()) program.paths.push_back(name);
    return number;
}

std::uint32_t Lowering::signal(const std::string& name, const Mark& mark) {
    if (known_signals_.count(name) == 0) {
        fault(mark, "nothing signals " + shown(name), suggestion(name, {known_signals_.begin(), known_signals_.end()}));
        return 0;
    }
    const std::uint32_t number = number_of(signals_, name);
    if (number == model.signals.size()) {
        if (number == 32) fault(mark, "more than 32 different signals");
        model.signals.push_back(name);
    }
    return number;
}

std::uint32_t Lowering::line_number(const Declared& declared) {
    const std::uint32_t number = number_of(lines_, declared.name);
    if (number == model.lines.size()) {
        LineSpec line;
        line.name = declared.name;
        line.per = scope_of(declared.fields, Scope::global);
        line.lines = static_cast<std::uint32_t>(declared.fields.number("lines", 1));
        line.far = declared.fields.flag("far");
        model.lines.push_back(std::move(line));
    }
    return number;
}

std::uint32_t Lowering::line(const std::string& name, const Mark& mark) {
    const Declared* declared = find_declared(resolved_.define.lines, name);
    if (declared == nullptr) {
        fault(mark, "unknown line " + shown(name), suggestion(name, names_of(resolved_.define.lines)));
        return 0;
    }
    return line_number(*declared);
}

std::uint32_t Lowering::pool(const std::string& name, const Mark& mark) {
    const Declared* declared = find_declared(resolved_.define.pools, name);
    if (declared == nullptr) {
        fault(mark, "unknown pool " + shown(name), suggestion(name, names_of(resolved_.define.pools)));
        return 0;
    }
    const std::uint32_t number = number_of(pools_, name);
    if (number == model.pools.size()) {
        model.pools.push_back({name, scope_of(declared->fields, Scope::cpu),
                               static_cast<std::uint32_t>(declared->fields.number("size", 1))});
    }
    return number;
}

Time Lowering::jiffy() const {
    const double hz = resolved_.config.number("hz", 1000);
    return {static_cast<std::int64_t>(1e12 / hz + 0.5)};
}

/// What multiplies kernel work here.
double Lowering::work_factor() const {
    if (in_user_mode()) return 1;
    return resolved_.config.number(sections_ > 0 ? "section_work" : "outside_work", 1);
}

std::uint32_t Lowering::sampler(const Attribute& attribute, bool is_work) {
    const auto* written = std::get_if<Duration>(&attribute.value);
    if (written == nullptr) return 0;
    Duration taken = *written;
    if (is_work) scale(taken, work_factor());
    const Duration* duration = &taken;
    try {
        const double cv = is_work ? resolved_.config.number("cv", 0) : 0;
        const Sampler made = program.tables.add(to_distribution(*duration, jiffy(), cv));
        const auto [it, is_new] =
            samplers_.try_emplace({made.mean_ps, made.table}, static_cast<std::uint32_t>(program.samplers.size()));
        if (is_new) program.samplers.push_back(made);
        return it->second;
    } catch (const std::invalid_argument& error) {
        fault(attribute.mark, to_text(*duration) + ": " + error.what());
        return 0;
    }
}

std::uint16_t Lowering::site(const Step& step, std::int32_t resource, const std::string& mode) {
    // The function that called the one in which the step stands now.
    const bool has_caller = calls_.size() >= 2 && !calls_[calls_.size() - 2]->is_task;
    const std::string caller = has_caller ? calls_[calls_.size() - 2]->name : "";
    const auto [it, is_new] = sites_.try_emplace({step.site, caller}, static_cast<std::uint16_t>(program.sites.size()));
    if (is_new) {
        if (program.sites.size() >= 65535) {
            if (program.sites.size() == 65535) fault(step.mark, "more than 65534 sites");
            return 0;
        }
        program.sites.push_back({step.site, caller, resource, mode});
    }
    return it->second;
}

Lowering::OwnSite::OwnSite(Lowering& lowering, const Step& step) : lowering_(lowering), outer_(lowering.open_site_) {
    if (lowering_.open_site_ == 0) lowering_.open_site_ = lowering_.site(step, -1, "");
}
Lowering::OwnSite::~OwnSite() { lowering_.open_site_ = outer_; }

void Lowering::touch(const Step& step) {
    const auto* items = step.fields.get<std::vector<TouchItem>>("touch");
    if (items == nullptr || items->empty()) return;
    std::vector<Touch> touches;
    for (const TouchItem& item : *items) {
        if (item.object) {
            touches.push_back(operation(step, item));
            continue;
        }
        Touch& access = touches.emplace_back();
        const Declared* declared = find_declared(resolved_.define.lines, item.line);
        if (declared == nullptr) continue;  // check_touch() has said so
        access.line = line_number(*declared);
        access.access = item.access;
        access.count = item.count;
        if (item.whose != Whose::handle) continue;
        const Someone who = owner_of(item.handle, item.line, model.lines[access.line].per, item.what_mark);
        access.whose = who.whose;
        access.handle = who.handle;
    }
    const auto it = std::find(model.touch_lists.begin(), model.touch_lists.end(), touches);
    const auto number = static_cast<std::uint32_t>(it - model.touch_lists.begin());
    if (it == model.touch_lists.end()) model.touch_lists.push_back(std::move(touches));
    const OwnSite own(*this, step);
    emit_sync(SyncCode::touch, number, key(step));
}

const Declared* Lowering::declared_lock(const std::string& name, const Mark& mark) {
    const Declared* lock = find_declared(resolved_.define.locks, name);
    if (lock == nullptr) fault(mark, "unknown lock " + shown(name), suggestion(name, names_of(resolved_.define.locks)));
    return lock;
}

std::uint32_t Lowering::lock_number(const Declared& declared) {
    const std::uint32_t number = number_of(locks_, declared.name);
    if (number < model.locks.size()) return number;
    const Fields& fields = declared.fields;
    LockSpec lock;
    lock.name = declared.name;
    lock.kind = kind_of(declared).kind;
    lock.per = scope_of(fields, Scope::global);
    const LockKindTable& kind = kind_of(declared);
    // Keys that the kind does not take may be left from before a patch changed it.
    const auto has = [&](std::string_view key) { return lock_takes(kind, key) ? fields.find(key) : nullptr; };
    lock.irq_off = has("irq") != nullptr && fields.word("irq") == "off";
    if (has("claim") != nullptr) lock.claim = static_cast<std::uint32_t>(fields.number("claim", 1) * 1024 + 0.5);
    if (has("handoff_after") != nullptr)
        lock.handoff_after = time_of(fields, "handoff_after", lock.handoff_after, Time::from_s(1));
    lock.always_slow = has("always_slow") != nullptr && fields.flag("always_slow");
    model.locks.push_back(lock);
    if (const std::string shared = fields.word("line", "own"); shared != "own") {
        put_on_line(number, shared, fields.find("line")->mark);
    }
    if (const Attribute* guard = has("under"); guard != nullptr) put_under(number, *guard);
    return number;
}

void Lowering::may_sleep(const Step& step) {
    needs_task(step);
    const std::string what(step.kind->name());
    if (rcu_readers_ > 0) {
        fault(step.mark, shown(what) + " may sleep inside an RCU read section", "rcu_read sections do not sleep");
        return;
    }
    for (const Held& held : state_.held) {
        if (!held.spins) continue;
        fault(step.mark, shown(what) + " may sleep while the spinning lock " + shown(held.name) + " is held",
              "taken at line " + std::to_string(held.mark.line));
        return;
    }
}

void Lowering::needs_task(const Step& step) {
    const Context context = entries_[entry_].context;
    if (context == Context::task || context == Context::child) return;
    fault(step.mark, shown(step.kind->name()) + " in " + (context == Context::softirq ? "a softirq" : "at-switch work"),
          shown(entries_[entry_].function->name) + " has no task of its own: it cannot sleep, spawn or exit");
}

void Lowering::acquire(const Step& step, const std::string& name, const std::string& mode, const Mark& mark) {
    const Owned lock = owned(name);
    const Declared* declared = declared_lock(lock.name, mark);
    if (declared == nullptr) return;
    const LockKindTable& kind = kind_of(*declared);
    const std::vector<std::string> modes = split(kind.modes, '|');
    std::string taken = mode;
    if (taken.empty()) taken = modes.size() == 1 ? modes.front() : "";
    if (std::find(modes.begin(), modes.end(), taken) == modes.end()) {
        std::string expected = kind.modes == "exclusive" ? "expected no mode"
                                                         : "expected mode: " + modes.front() +
                                                               (modes.size() > 1 ? " or " + modes.back() : "");
        if (kind.kind == LockKind::seqcount && mode == "read") expected = "a read section is a step `seqread`";
        fault(step.mark,
              mode.empty() ? "the " + std::string(kind.name) + " " + shown(name) + " needs a mode"
                           : "a " + std::string(kind.name) + " is not taken in mode " + shown(mode),
              expected);
        return;
    }
    if (kind.sleeps) may_sleep(step);
    const std::uint32_t number = lock_number(*declared);
    if (step.unwrapped) {
        state_.held.push_back({number, name, taken, site(step, -1, ""), false, step.mark, true});
        return;
    }
    for (const Held& held : state_.held) {
        if (held.unwrapped || held.lock != number || held.name != name || (held.mode == "read" && taken == "read"))
            continue;
        if (kind.kind == LockKind::seqcount && held.mode == "read") {
            fault(step.mark, "the seqcount " + shown(name) + " is written inside a read section of it",
                  "the section from line " + std::to_string(held.mark.line) + " would begin anew for ever");
            break;
        }
        fault(step.mark, "the lock " + shown(name) + " is taken twice: the task would wait for itself",
              "held since line " + std::to_string(held.mark.line));
        break;
    }
    const bool counted = kind.kind == LockKind::seqcount;
    if (counted) check_guarded(step, number);
    const std::string shown_mode = taken == "exclusive" ? "" : taken;
    const std::uint16_t own = site(step, static_cast<std::int32_t>(number), shown_mode);
    const std::uint16_t outer = open_site_;
    open_site_ = own;
    const AcquireMode code = taken == "read"    ? AcquireMode::read
                             : taken == "write" ? AcquireMode::write
                                                : AcquireMode::exclusive;
    Someone who;
    if (!lock.owner.empty()) who = owner_of(lock.owner, lock.name, model.locks[number].per, mark);
    if (counted && who.whose != Whose::self) fault(mark, "somebody else's seqcount is not written", "expected no '@'");
    if (who.whose == Whose::self) {
        emit_sync(counted ? SyncCode::seq_write_begin : SyncCode::acquire, number, static_cast<std::uint64_t>(code));
    } else {
        emit_sync(SyncCode::acquire_of, number,
                  static_cast<std::uint64_t>(code) | in_instance_of(who.whose, who.handle));
    }
    open_site_ = outer;
    state_.held.push_back({number, name, taken, own, !kind.sleeps, step.mark});
    note_interrupts();
}

void Lowering::release(const Step& step, const std::string& name, const std::string& mode, const Mark& mark) {
    const Declared* declared = declared_lock(owned(name).name, mark);
    if (declared == nullptr) return;
    const std::uint32_t number = lock_number(*declared);
    const bool counted = model.locks[number].kind == LockKind::seqcount;
    const std::string released = counted ? "write" : mode;
    const auto it = std::find_if(state_.held.rbegin(), state_.held.rend(), [&](const Held& held) {
        return held.lock == number && held.name == name && (released.empty() || held.mode == released);
    });
    if (it == state_.held.rend()) {
        fault(step.mark, "release without acquire: " + shown(name) + " is not held here");
        return;
    }
    if (it->unwrapped) {
        state_.held.erase(std::next(it).base());
        return;
    }
    check_not_guarding(step, *it);
    const std::uint16_t outer = open_site_;
    open_site_ = it->site;
    emit_sync(counted ? SyncCode::seq_write_end : SyncCode::release, number);
    open_site_ = outer;
    state_.held.erase(std::next(it).base());
    note_interrupts();
}

void Lowering::section(const Step& step) {
    const Attribute* lock = step.fields.find(step.kind->name());
    if (lock == nullptr) return;
    const auto& name = std::get<std::string>(lock->value);
    const std::size_t before = state_.held.size();
    acquire(step, name, step.fields.word("mode"), lock->mark);
    const bool taken = state_.held.size() > before;
    const std::uint16_t outer = open_site_;
    if (taken) open_site_ = state_.held.back().site;
    ++sections_;
    block(step, "body");
    --sections_;
    open_site_ = outer;
    if (state_.ended) return;
    if (taken) release(step, name, "", lock->mark);
}

}  // namespace forksim::language
