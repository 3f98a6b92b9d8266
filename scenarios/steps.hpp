#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "scenarios/ast.hpp"

namespace forksim::language {

class Lowering;

/// A step kind: how it is written, and how it becomes ops. Adding one touches its own file and one line of steps.cpp.
struct StepKind {
    Table table;               ///< keys[0] is the kind itself
    bool is_map = false;       ///< the value behind the kind is a map with the `inside` keys
    bool may_be_bare = false;  ///< the word alone is a step too
    /// Checks the step in its context and appends its ops.
    void (*lower)(Lowering&, const Step&) = nullptr;

    std::string_view name() const { return table.keys.front().name; }
};

/// All step kinds, in the order of the reference.
std::span<const StepKind* const> step_kinds();

/// The kind of this name, or null.
const StepKind* find_step_kind(std::string_view name);
std::vector<std::string> step_kind_names();

// By file: time, locks, objects, tasks, flow.
const StepKind& work_kind();
const StepKind& busy_kind();
const StepKind& sleep_kind();
const StepKind& resched_kind();
const StepKind& yield_kind();
const StepKind& section_kind();
const StepKind& lock_kind();
const StepKind& unlock_kind();
const StepKind& down_read_kind();
const StepKind& up_read_kind();
const StepKind& down_write_kind();
const StepKind& up_write_kind();
const StepKind& seqread_kind();
/// Does a step of this kind begin to hold a lock, or to read under a seqcount?
bool takes_lock(const StepKind& kind);
const StepKind& seqwrite_kind();
const StepKind& atomic_kind();
const StepKind& pool_get_kind();
const StepKind& pool_put_kind();
const StepKind& call_rcu_kind();
const StepKind& rcu_read_kind();
const StepKind& synchronize_rcu_kind();
const StepKind& call_kind();
const StepKind& spawn_kind();
const StepKind& start_kind();
const StepKind& signal_kind();
const StepKind& await_kind();
const StepKind& exit_kind();
const StepKind& branch_kind();
const StepKind& repeat_kind();
const StepKind& forever_kind();
const StepKind& count_kind();
const StepKind& measure_kind();

}  // namespace forksim::language
