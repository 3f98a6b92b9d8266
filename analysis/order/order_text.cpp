#include <string>

#include "analysis/export/build_result.hpp"
#include "analysis/export/text_table.hpp"
#include "analysis/order/order_output.hpp"

namespace forksim {
namespace {

const std::string& name(const ShownOrder& shown, std::uint32_t lock) { return shown.compiled.model.locks[lock].name; }

std::string edges_text(const ShownOrder& shown) {
    TextTable table({"held, then taken", "held", "taken", "irqs", "where", "ways", "note"});
    const std::string* outer = nullptr;
    for (const LockEdge& edge : shown.order.edges) {
        const std::string& held = name(shown, edge.outer);
        if (outer == nullptr || *outer != held) table.add_title(held);
        outer = &held;
        const std::string note = note_of(edge);
        table.add({"  " + name(shown, edge.inner), mode_text(edge.held), mode_text(edge.taken),
                   edge.irq_off ? "off" : "on", where_text(edge.where), std::to_string(edge.ways.size()),
                   note.empty() ? "-" : note});
    }
    return table.empty() ? "" : '\n' + table.text();
}

std::string edge_text(const ShownOrder& shown, const LockEdge& edge) {
    std::string heading = name(shown, edge.outer) + " (" + mode_text(edge.held) + ") -> " + name(shown, edge.inner) +
                          " (" + mode_text(edge.taken) + "), interrupts " + (edge.irq_off ? "off" : "on");
    if (edge.nesting == Nesting::again) heading += ", a read within a read";
    if (edge.nesting == Nesting::downward) heading += ", the parent's first";
    if (edge.nesting == Nesting::upward) heading += ", the child's first";
    if (edge.where == Where::at_switch) heading += ", at a switch";
    if (edge.where == Where::softirq) heading += ", in a softirq";
    if (edge.where == Where::over_task) heading += ", by a softirq on top of a task";
    std::string text = wrapped("  ", heading);
    constexpr std::size_t most_ways = 10;
    const std::vector<Site>& sites = shown.compiled.program.sites;
    for (std::size_t i = 0; i < edge.ways.size() && i < most_ways; ++i) {
        const auto& [outer, inner] = edge.ways[i];
        text += wrapped("    held   ", place_of(sites[outer]));
        text += wrapped("    taken  ", place_of(sites[inner]));
    }
    if (edge.ways.size() > most_ways)
        text += "    and " + std::to_string(edge.ways.size() - most_ways) + " more ways\n";
    return text;
}

std::string cycle_text(const ShownOrder& shown, const LockCycle& cycle) {
    std::string words;
    for (const std::uint32_t lock : cycle.locks) words += name(shown, lock) + " -> ";
    std::string text = '\n' + wrapped("cycle      ", words + name(shown, cycle.locks.front()));
    for (const std::vector<std::uint32_t>& hop : cycle.edges) {
        for (const std::uint32_t edge : hop) text += edge_text(shown, shown.order.edges[edge]);
    }
    return text;
}

}  // namespace

const char* mode_text(AcquireMode mode) {
    return mode == AcquireMode::read ? "read" : mode == AcquireMode::write ? "write" : "excl";
}

const char* where_text(Where where) {
    switch (where) {
        case Where::task:
            return "task";
        case Where::at_switch:
            return "switch";
        case Where::softirq:
            return "softirq";
        case Where::over_task:
            return "over task";
    }
    return "";
}

const char* note_of(const LockEdge& edge) {
    if (edge.in_cycle) return "cycle";
    if (edge.nesting != Nesting::other && edge.nesting != Nesting::again) return "nested";
    if (!edge.waits) return "no writer";
    return edge.recursive ? "recursive" : "";
}

std::string place_of(const Site& site) {
    return site.caller.empty() ? site.name : site.name + " (called by " + site.caller + ")";
}

std::string order_text(const ShownOrder& shown) {
    const Banner& banner = shown.compiled.banner;
    const LockOrder& order = shown.order;
    std::string patches;
    for (const auto* list : {&banner.base_patches, &banner.patches}) {
        for (const std::string& patch : *list) patches += " + " + patch;
    }
    std::string found = std::to_string(order.cycles.size()) + (order.cycles.size() == 1 ? " cycle" : " cycles");
    if (order.cycles.empty()) found = "no cycle";
    if (order.more_cycles) found += ", and more";
    std::string text = wrapped("scenario   ", banner.scenario) + wrapped("kernel     ", banner.kernel + patches);
    text += wrapped("lock order ",
                    std::to_string(order.edges.size()) + (order.edges.size() == 1 ? " edge, " : " edges, ") + found);
    text += edges_text(shown);
    for (const LockCycle& cycle : order.cycles) text += cycle_text(shown, cycle);
    return text;
}

}  // namespace forksim
