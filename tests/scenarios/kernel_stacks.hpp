#pragma once
#include <map>
#include <set>
#include <string>
#include <vector>

#include "scenarios/scenario.hpp"

namespace forksim::test {

/// A kernel and the patches on it, in the order in which they are applied.
struct Stack {
    std::string kernel;
    std::vector<std::string> patches;

    std::string text() const;  ///< "linux-6.14 + get-pid-hoist"
};

/// The request for the life of threads (that of threadspawn1, on 20 CPUs) on a kernel; throws LanguageError.
Compiled threads_on(const Stack& stack, const std::vector<std::string>& sets = {});
/// The same with processes that fork, exit and are waited for.
Compiled processes_on(const Stack& stack, const std::vector<std::string>& sets = {});

/// The faults of that; empty if it can be compiled.
std::vector<Diagnostic> faults_on(const Stack& stack);

/// Acquire ops by lock, "pidmap_lock", or lock and mode, "tasklist_lock write", over all programs of the scenario:
/// what one life takes, reads and writes under a sequence count included, because no section stands in a loop, and none
/// of the global locks' behind a branch.
std::map<std::string, int> acquisitions(const Compiled& scenario);

/// Which locks are taken while others are held, "tasklist_lock > siglock", over all programs.
std::set<std::string> nesting(const Compiled& scenario);

/// Where each site runs: "parent", "child", "next task on the CPU", "softirq"; several joined by " and ".
std::map<std::string, std::string> contexts_on(const Stack& stack);

}  // namespace forksim::test
