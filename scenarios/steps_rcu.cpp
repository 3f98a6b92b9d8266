// Steps of read-copy-update beside call_rcu.
#include "scenarios/lowering.hpp"

namespace forksim::language {
namespace {

void lower_rcu_read(Lowering& lowering, const Step& step) { lowering.rcu_read(step); }

void lower_synchronize_rcu(Lowering& lowering, const Step& step) {
    lowering.may_sleep(step);
    const bool hurry = step.fields.word("synchronize_rcu") == "expedited";
    const Lowering::OwnSite own(lowering, step);
    lowering.emit_sync(hurry ? SyncCode::synchronize_rcu_expedited : SyncCode::synchronize_rcu);
}

}  // namespace

const StepKind& rcu_read_kind() {
    static const StepKind kind{{"rcu_read",
                                "An RCU read section (rcu_read_lock, rcu_read_unlock). It lengthens no grace period.",
                                {{"rcu_read", Type::steps, "what is done inside; it must not sleep", true}}},
                               false,
                               false,
                               lower_rcu_read};
    return kind;
}

const StepKind& synchronize_rcu_kind() {
    static const StepKind kind{{"synchronize_rcu",
                                "Sleeps until a grace period that begins from now on is over.",
                                {{"synchronize_rcu",
                                  Type::choice,
                                  "absent: a normal one, `rcu.gp` long; a short one, "
                                  "`rcu.expedited` long, that interrupts the other CPUs",
                                  false,
                                  {},
                                  "expedited"}}},
                               false,
                               true,
                               lower_synchronize_rcu};
    return kind;
}

}  // namespace forksim::language
