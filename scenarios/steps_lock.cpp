// Steps that take and release locks.
#include "scenarios/lowering.hpp"

namespace forksim::language {
namespace {

void lower_section(Lowering& lowering, const Step& step) { lowering.section(step); }

void lower_lock(Lowering& lowering, const Step& step) {
    if (const Attribute* lock = step.fields.find("lock"); lock != nullptr) {
        lowering.acquire(step, std::get<std::string>(lock->value), step.fields.word("mode"), lock->mark);
    }
}
void lower_unlock(Lowering& lowering, const Step& step) {
    if (const Attribute* lock = step.fields.find("unlock"); lock != nullptr) {
        lowering.release(step, std::get<std::string>(lock->value), "", lock->mark);
    }
}

/// down_read and the like are for locks whose waiters sleep.
bool is_semaphore(Lowering& lowering, const Step& step, const Attribute& lock) {
    const Declared* declared = lowering.declared_lock(std::get<std::string>(lock.value), lock.mark);
    if (declared == nullptr) return false;
    const std::string kind = declared->fields.word("kind");
    if (kind == "rwsem" || kind == "percpu_rwsem") return true;
    lowering.fault(lock.mark, shown(step.kind->name()) + " of a " + kind, "expected an rwsem or percpu_rwsem");
    return false;
}
void lower_down(Lowering& lowering, const Step& step, const char* mode) {
    const Attribute* lock = step.fields.find(step.kind->name());
    if (lock == nullptr || !is_semaphore(lowering, step, *lock)) return;
    lowering.acquire(step, std::get<std::string>(lock->value), mode, lock->mark);
}
void lower_up(Lowering& lowering, const Step& step, const char* mode) {
    const Attribute* lock = step.fields.find(step.kind->name());
    if (lock == nullptr || !is_semaphore(lowering, step, *lock)) return;
    lowering.release(step, std::get<std::string>(lock->value), mode, lock->mark);
}
void lower_down_read(Lowering& lowering, const Step& step) { lower_down(lowering, step, "read"); }
void lower_up_read(Lowering& lowering, const Step& step) { lower_up(lowering, step, "read"); }
void lower_down_write(Lowering& lowering, const Step& step) { lower_down(lowering, step, "write"); }
void lower_up_write(Lowering& lowering, const Step& step) { lower_up(lowering, step, "write"); }

constexpr Key mode_key{"mode", Type::choice, "how it is taken; for kinds with more than one way",
                       false,  {},           "read|write"};

}  // namespace

const StepKind& section_kind() {
    static const StepKind kind{{"section",
                                "Takes a lock, runs the body, releases the lock. The hold is the body.",
                                {{"section", Type::lock, "the lock", true},
                                 mode_key,
                                 {"body", Type::steps, "what is done while the lock is held"},
                                 {"hold", Type::duration, "shorthand for a body of one `work`"},
                                 {"lines",
                                  Type::integer,
                                  "with `hold`: lines that travel with the lock and are written each time",
                                  false,
                                  {},
                                  {},
                                  1,
                                  64}}},
                               false,
                               false,
                               lower_section};
    return kind;
}

const StepKind& lock_kind() {
    static const StepKind kind{
        {"lock", "Takes a lock; `unlock` releases it.", {{"lock", Type::lock, "the lock", true}, mode_key}},
        false,
        false,
        lower_lock};
    return kind;
}

const StepKind& unlock_kind() {
    static const StepKind kind{
        {"unlock", "Releases a lock.", {{"unlock", Type::lock, "the lock", true}}}, false, false, lower_unlock};
    return kind;
}

const StepKind& down_read_kind() {
    static const StepKind kind{
        {"down_read",
         "Takes a rwsem or percpu_rwsem for reading; `up_read` releases it, also in another function.",
         {{"down_read", Type::lock, "the lock", true}}},
        false,
        false,
        lower_down_read};
    return kind;
}

const StepKind& up_read_kind() {
    static const StepKind kind{
        {"up_read", "Releases what `down_read` took.", {{"up_read", Type::lock, "the lock", true}}},
        false,
        false,
        lower_up_read};
    return kind;
}

const StepKind& down_write_kind() {
    static const StepKind kind{
        {"down_write",
         "Takes a rwsem or percpu_rwsem for writing; `up_write` releases it, also in another function.",
         {{"down_write", Type::lock, "the lock", true}}},
        false,
        false,
        lower_down_write};
    return kind;
}

const StepKind& up_write_kind() {
    static const StepKind kind{
        {"up_write", "Releases what `down_write` took.", {{"up_write", Type::lock, "the lock", true}}},
        false,
        false,
        lower_up_write};
    return kind;
}

}  // namespace forksim::language
