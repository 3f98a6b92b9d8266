#include "scenarios/steps.hpp"

#include <algorithm>

namespace forksim::language {

std::span<const StepKind* const> step_kinds() {
    static const std::vector<const StepKind*> kinds = {
        &work_kind(),       &busy_kind(),     &sleep_kind(),    &resched_kind(),   &yield_kind(),
        &section_kind(),    &lock_kind(),     &unlock_kind(),   &down_read_kind(), &up_read_kind(),
        &down_write_kind(), &up_write_kind(), &seqread_kind(),  &seqwrite_kind(),  &atomic_kind(),
        &pool_get_kind(),   &pool_put_kind(), &call_rcu_kind(), &rcu_read_kind(),  &synchronize_rcu_kind(),
        &call_kind(),       &spawn_kind(),    &start_kind(),    &signal_kind(),    &await_kind(),
        &exit_kind(),       &branch_kind(),   &repeat_kind(),   &forever_kind(),   &count_kind(),
        &measure_kind(),
    };
    return kinds;
}

bool takes_lock(const StepKind& kind) {
    for (const StepKind* one :
         {&section_kind(), &lock_kind(), &down_read_kind(), &down_write_kind(), &seqread_kind(), &seqwrite_kind()}) {
        if (one == &kind) return true;
    }
    return false;
}

const StepKind* find_step_kind(std::string_view name) {
    const auto kinds = step_kinds();
    const auto it = std::find_if(kinds.begin(), kinds.end(), [&](const StepKind* k) { return k->name() == name; });
    return it == kinds.end() ? nullptr : *it;
}

std::vector<std::string> step_kind_names() {
    std::vector<std::string> names;
    for (const StepKind* kind : step_kinds()) names.emplace_back(kind->name());
    return names;
}

}  // namespace forksim::language
