// Locks that softirqs take: a task that holds one with interrupts on is interrupted by a softirq that waits for it.
#include <algorithm>

#include "scenarios/lowering.hpp"

namespace forksim::language {
namespace {

/// "FUNCTION/STEP (line N)", with the file where it is not the reader's.
std::string place(const std::string& site, const Mark& mark, const Mark& reader) {
    if (mark.line == 0) return site;
    const bool elsewhere = mark.file && (!reader.file || *mark.file != *reader.file);
    return site + " (" + (elsewhere ? *mark.file + ":" : "line ") + std::to_string(mark.line) + ")";
}

}  // namespace

void Lowering::note_interrupts() {
    const auto note = [&](std::optional<Held>& first, const Held& held) {
        if (!first) first = held;
    };
    if (entries_[entry_].context == Context::softirq) {
        for (const Held& held : state_.held) {
            if (held.unwrapped) continue;
            LockUses& uses = lock_uses_[held.lock];
            note(held.mode == "read" ? uses.softirq_reads : uses.softirq_writes, held);
        }
        return;
    }
    const auto turns_off = [&](const Held& held) { return held.spins && model.locks[held.lock].irq_off; };
    if (std::any_of(state_.held.begin(), state_.held.end(), turns_off)) return;
    for (const Held& held : state_.held) {
        // A read section of a seqcount holds nobody up.
        if (!held.spins) continue;
        LockUses& uses = lock_uses_[held.lock];
        note(held.mode == "read" ? uses.task_reads : uses.task_writes, held);
    }
}

/// Linux's lockdep calls it an inconsistent lock state, {SOFTIRQ-ON-W} -> {IN-SOFTIRQ-W} (kernel/locking/lockdep.c,
/// print_usage_bug). Readers do not keep each other out: in a softirq they pass waiting writers (qrwlock.c).
void Lowering::check_interrupts() {
    for (const auto& [lock, uses] : lock_uses_) {
        const std::optional<Held>& softirq = uses.softirq_writes ? uses.softirq_writes : uses.softirq_reads;
        const std::optional<Held>& task = uses.task_writes || !uses.softirq_writes ? uses.task_writes : uses.task_reads;
        if (!softirq || !task) continue;
        fault(task->mark,
              "deadlock: " + shown(task->name) + " is taken in a softirq at " +
                  place(program.sites[softirq->site].name, softirq->mark, task->mark) + ", and with interrupts on at " +
                  program.sites[task->site].name,
              "`irq: off` keeps softirqs from the CPU of whoever holds it");
    }
}

}  // namespace forksim::language
