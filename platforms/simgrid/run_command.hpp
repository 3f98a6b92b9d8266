#pragma once
#include <string>
#include <vector>

namespace forksim {

inline constexpr const char* run_usage =
    "usage: forksim-simgrid run SCENARIO [--platform P] [--cpus N] [--base-patch NAME]... [--patch NAME]...\n"
    "                           [--set SITE.KEY=VALUE]... [--seed S] [--duration T] [--warmup T] [--replication K]";

/// Executes one replication of a scenario with the reference engine; returns what `run` prints (README.md of
/// platforms/). `words` are what follows `run`. Throws InputError, ModelStuck, InternalError. The process should end by
/// _exit() then.
std::string run_command(const std::vector<std::string>& words);

}  // namespace forksim
