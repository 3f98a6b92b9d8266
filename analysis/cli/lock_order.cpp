#include "analysis/cli/lock_order.hpp"

#include <optional>

#include "analysis/cli/output.hpp"
#include "analysis/order/order_output.hpp"
#include "sim/error.hpp"

namespace forksim {
namespace {

/// What a short run says of the edges; nothing if it comes to a stop, as it may where there is a cycle.
std::optional<EdgeWeights> weights_of(const Compiled& compiled, const LockOrder& order, Log& log) {
    try {
        return EdgeWeights(compiled, order, brief_run(compiled));
    } catch (const ModelStuck& stuck) {
        log.warning(std::string("--dot: no weights: ") + stuck.what());
        return std::nullopt;
    }
}

}  // namespace

bool print_lock_orders(const std::vector<Request>& scenarios, const LockOrderOptions& options, Log& log) {
    if (!options.dot.empty() && scenarios.size() > 1)
        throw InputError("forksim check: --dot draws one scenario, not " + std::to_string(scenarios.size()));
    const bool json = options.format == "json";
    bool cycles = false;
    std::string text;
    JsonWriter out;
    if (json) out.begin_object().key("schema").string("forksim-lock-order/1").key("scenarios").begin_array();
    for (const Request& request : scenarios) {
        const Compiled compiled = compile(request);
        const LockOrder order = lock_order_of(compiled.program, compiled.model);
        std::optional<EdgeWeights> weights;
        if (!options.dot.empty()) weights = weights_of(compiled, order, log);
        const ShownOrder shown{compiled, order, weights ? &*weights : nullptr};
        if (!options.dot.empty()) write_output(options.dot, order_dot(shown), "--dot");
        if (json)
            order_json(shown, out);
        else
            text += (text.empty() ? "" : "\n") + order_text(shown);
        if (!order.cycles.empty()) cycles = true;
    }
    if (json) text = out.end().end().text();
    if (options.dot != "-") write_output("", text);
    return cycles;
}

}  // namespace forksim
