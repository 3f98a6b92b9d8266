// Steps on shared objects: atomics, pools, RCU callbacks.
#include "scenarios/lowering.hpp"

namespace forksim::language {
namespace {

void lower_atomic(Lowering& lowering, const Step& step) {
    const Attribute* line = step.fields.find("atomic");
    if (line == nullptr) return;
    const std::uint32_t number = lowering.line(std::get<std::string>(line->value), line->mark);
    const Lowering::OwnSite own(lowering, step);
    lowering.emit_sync(SyncCode::atomic, number, Lowering::key(step));
}

/// The op skips the next one if the pool had (or took) an object; the next one jumps to the other way.
void lower_pool(Lowering& lowering, const Step& step, SyncCode code, std::string_view skipped, std::string_view other) {
    const Attribute* pool = step.fields.find(step.kind->name());
    if (pool == nullptr) return;
    lowering.emit_sync(code, lowering.pool(std::get<std::string>(pool->value), pool->mark));
    const std::uint32_t to_other = lowering.emit(Code::jump);
    const Lowering::State before = lowering.state();
    lowering.block(step, skipped);
    const Lowering::State first = lowering.state();
    const std::uint32_t to_end = lowering.emit(Code::jump);
    lowering.set_target(to_other);
    lowering.set_state(before);
    lowering.block(step, other);
    lowering.set_target(to_end);
    lowering.set_state(lowering.join(first, lowering.state(), step.mark, step.kind->name()));
}
void lower_pool_get(Lowering& lowering, const Step& step) {
    lower_pool(lowering, step, SyncCode::pool_get, "hit", "miss");
}
void lower_pool_put(Lowering& lowering, const Step& step) {
    lower_pool(lowering, step, SyncCode::pool_put, "", "full");
}

void lower_call_rcu(Lowering& lowering, const Step& step) {
    const Attribute* callback = step.fields.find("call_rcu");
    if (callback == nullptr) return;
    const std::uint32_t entry =
        lowering.entry(Context::softirq, std::get<std::string>(callback->value), callback->mark);
    lowering.emit_entry(Code::sync, entry, static_cast<std::uint8_t>(SyncCode::call_rcu));
}

}  // namespace

const StepKind& atomic_kind() {
    static const StepKind kind{{"atomic",
                                "One locked read-modify-write of a line, outside or inside a section.",
                                {{"atomic", Type::line, "the line", true}}},
                               false,
                               false,
                               lower_atomic};
    return kind;
}

const StepKind& pool_get_kind() {
    static const StepKind kind{{"pool_get",
                                "Takes an object from a pool.",
                                {{"pool_get", Type::pool, "the pool", true},
                                 {"hit", Type::steps, "if it had one"},
                                 {"miss", Type::steps, "if it was empty"}}},
                               false,
                               false,
                               lower_pool_get};
    return kind;
}

const StepKind& pool_put_kind() {
    static const StepKind kind{
        {"pool_put",
         "Puts an object into a pool.",
         {{"pool_put", Type::pool, "the pool", true}, {"full", Type::steps, "if there was no room"}}},
        false,
        false,
        lower_pool_put};
    return kind;
}

const StepKind& call_rcu_kind() {
    static const StepKind kind{{"call_rcu",
                                "Has a function run in a softirq of this CPU after a grace period.",
                                {{"call_rcu", Type::function, "the function", true}}},
                               false,
                               false,
                               lower_call_rcu};
    return kind;
}

}  // namespace forksim::language
