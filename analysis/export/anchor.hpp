#pragma once
#include <optional>

#include "analysis/export/build_result.hpp"
#include "models/run.hpp"

namespace forksim {

/// The scenario with one root task on one CPU and every duration constant at its mean: nothing can be contended, so
/// what an operation takes is a plain sum. Owns what a replication needs.
struct OneTask {
    Program program;
    ModelSpec model;
    Topology topology;
};

/// Keeps the first root task and the machine's first CPU.
OneTask reduced_to_one_task(const RunSubject& subject);

/// Time per operation and its parts, from the critical path to the last operation of a one-task run. The path begins
/// with the window, somewhere inside an operation, so `length_ps` is exact to one operation in `operations`.
/// Nothing if no operation was counted.
std::optional<Anchor> anchor_of(const Record& record);

}  // namespace forksim
