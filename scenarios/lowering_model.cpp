// What a model has beside its locks and lines: grace periods, and how spinlocks are waited for.
#include <algorithm>

#include "scenarios/lowering.hpp"

namespace forksim::language {

bool Lowering::emits(SyncCode code) const {
    return std::any_of(program.ops.begin(), program.ops.end(), [&](const Op& op) {
        return op.code == Code::sync && op.sub == static_cast<std::uint8_t>(code);
    });
}

void Lowering::compile_entries() {
    // Compiling an entry may refer to more of them.
    for (; compiled_ < entries_.size() && !too_large_; ++compiled_) compile(compiled_);
}

/// `rcu.report`, if there are callbacks.
std::optional<std::uint32_t> Lowering::report_entry() {
    const Attribute* report = resolved_.rcu.find("report");
    if (report == nullptr) return {};
    const auto& name = std::get<std::string>(report->value);
    if (emits(SyncCode::call_rcu)) return entry(Context::softirq, name, report->mark);
    if (find_function(resolved_.define, name) == nullptr) {
        fault(report->mark, "unknown function " + shown(name), suggestion(name, names_of(resolved_.define.functions)));
    }
    return {};
}

void Lowering::add_rcu() {
    const auto length = [&](std::string_view key, Time fallback) {
        const Attribute* period = resolved_.rcu.find(key);
        return period != nullptr ? program.samplers[sampler(*period, false)] : program.tables.add(Constant{fallback});
    };
    const bool callbacks = emits(SyncCode::call_rcu);
    const auto writes = [&](const Op& op) {
        return op.code == Code::sync && op.sub == static_cast<std::uint8_t>(SyncCode::acquire) &&
               model.locks[op.a].kind == LockKind::percpu_rwsem &&
               op.b == static_cast<std::uint64_t>(AcquireMode::write);
    };
    if (callbacks || emits(SyncCode::synchronize_rcu) || std::any_of(program.ops.begin(), program.ops.end(), writes)) {
        model.rcu.grace_period = length("gp", Time::from_ms(15));
    }
    if (callbacks) model.rcu.batch = static_cast<std::uint32_t>(resolved_.rcu.number("batch", 128));
    if (emits(SyncCode::synchronize_rcu_expedited)) {
        model.rcu.expedited = length("expedited", Time::from_us(300));
        model.rcu.expedited_interrupt = time_of(resolved_.rcu, "expedited_interrupt", Time{}, time_limit);
    }
}

void Lowering::add_spin() {
    const Fields& spin = resolved_.spin;
    model.spin.turn = time_of(spin, "turn", model.spin.turn, Time::from_us(1));
    model.spin.halt_after = time_of(spin, "halt_after", (1 << 15) * model.spin.turn, time_limit);
    model.spin.kick = time_of(spin, "kick", model.spin.kick, time_limit);
    model.spin.kick_wake = time_of(spin, "kick_wake", model.spin.kick_wake, time_limit);
}

}  // namespace forksim::language
