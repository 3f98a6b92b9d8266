#include <algorithm>
#include <set>
#include <string>

#include "analysis/export/build_result.hpp"
#include "analysis/export/numbers.hpp"
#include "analysis/order/order_output.hpp"

namespace forksim {
namespace {

std::string quoted(const std::string& text) {
    std::string out = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') out += '\\';
        out += c;
    }
    return out + '"';
}

/// One line per way to hold, to take and to be: "write, then excl; interrupts off; softirq".
std::string label_of(const ShownOrder& shown, const std::vector<std::uint32_t>& edges) {
    std::string label;
    for (const std::uint32_t number : edges) {
        const LockEdge& edge = shown.order.edges[number];
        const std::string note = note_of(edge);
        label += std::string(label.empty() ? "" : "\n") + mode_text(edge.held) + ", then " + mode_text(edge.taken) +
                 "; irqs " + (edge.irq_off ? "off" : "on");
        if (edge.where != Where::task) label += std::string("; ") + where_text(edge.where);
        if (!note.empty()) label += "; " + note;
    }
    if (shown.weights == nullptr) return label;
    const EdgeWeight weight = shown.weights->of(edges);
    if (weight.per_op == 0) return label + "\nnot met in the run";
    label += std::string("\n") + (weight.at_most ? "at most " : "") + short_text(weight.per_op) + "/op, " +
             percent_text(weight.contended_share) + " % contended";
    return weight.wait_ps > 0 ? label + ", " + time_text(weight.wait_ps) : label;
}

std::string escaped_lines(std::string label) {
    for (std::size_t at = label.find('\n'); at != std::string::npos; at = label.find('\n', at))
        label.replace(at, 1, "\\n");
    return label;
}

}  // namespace

std::string order_dot(const ShownOrder& shown) {
    const std::vector<LockSpec>& locks = shown.compiled.model.locks;
    std::set<std::string> nodes;
    std::string arrows;
    for (const std::vector<std::uint32_t>& edges : edges_by_locks(shown.order)) {
        const LockEdge& first = shown.order.edges[edges.front()];
        for (const std::uint32_t lock : {first.outer, first.inner})
            nodes.insert("  " + quoted(locks[lock].name) + " [label=" + quoted(locks[lock].name) + ", tooltip=\"" +
                         name_of(locks[lock].kind) + "\"];\n");
        const auto all = [&](auto&& is) {
            return std::ranges::all_of(edges, [&](std::uint32_t edge) { return is(shown.order.edges[edge]); });
        };
        arrows += "  " + quoted(locks[first.outer].name) + " -> " + quoted(locks[first.inner].name) + " [label=\"" +
                  escaped_lines(label_of(shown, edges)) + '"';
        if (!all([](const LockEdge& edge) { return !edge.in_cycle; })) arrows += ", color=red";
        if (all([](const LockEdge& edge) { return !edge.waits; })) arrows += ", style=dashed";
        arrows += "];\n";
    }
    std::string text = "// Locks held while others are taken; red: part of a cycle, dashed: nothing to wait for.\n";
    text += "digraph " + quoted(shown.compiled.banner.scenario) + " {\n  node [shape=box, fontname=\"monospace\"];\n";
    text += "  edge [fontname=\"sans-serif\", fontsize=10];\n";
    for (const std::string& node : nodes) text += node;
    return text + arrows + "}\n";
}

}  // namespace forksim
