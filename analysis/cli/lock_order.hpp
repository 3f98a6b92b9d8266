#pragma once
#include <string>
#include <vector>

#include "analysis/cli/log.hpp"
#include "scenarios/scenario.hpp"

namespace forksim {

/// What `check --lock-order` is asked for.
struct LockOrderOptions {
    bool wanted = false;
    std::string dot;              ///< file for the graph, or empty
    std::string format = "text";  ///< or json
};

/// Prints the lock order of scenarios, which have been checked. Returns whether one of them has a cycle.
/// Throws InputError if `options.dot` is asked of several scenarios or cannot be written.
bool print_lock_orders(const std::vector<Request>& scenarios, const LockOrderOptions& options, Log& log);

}  // namespace forksim
