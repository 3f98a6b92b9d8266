#pragma once
#include <string>
#include <vector>

#include "analysis/export/json_writer.hpp"
#include "analysis/order/lock_order.hpp"
#include "analysis/order/weights.hpp"
#include "scenarios/scenario.hpp"

namespace forksim {

/// A lock order with what it is the order of, ready to be written. `weights` may be null: there was no run.
struct ShownOrder {
    const Compiled& compiled;
    const LockOrder& order;
    const EdgeWeights* weights = nullptr;
};

/// A table of the edges and the cycles with their sites, at most 72 columns wide.
std::string order_text(const ShownOrder& shown);

/// One element of `scenarios` in schema forksim-lock-order/1, see README.md of analysis/.
void order_json(const ShownOrder& shown, JsonWriter& out);

/// A graph for graphviz (dot -Tsvg): an arrow from each lock to those taken while it is held.
std::string order_dot(const ShownOrder& shown);

/// "excl", "read", "write".
const char* mode_text(AcquireMode mode);
/// "task", "switch", "softirq", "over task".
const char* where_text(Where where);
/// What is to be said of an edge in a word; "" if nothing: "cycle", "nested", "no writer", "recursive".
const char* note_of(const LockEdge& edge);
/// "FUNCTION/STEP (called by CALLER)".
std::string place_of(const Site& site);

}  // namespace forksim
