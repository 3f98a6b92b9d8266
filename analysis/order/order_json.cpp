#include "analysis/export/build_result.hpp"
#include "analysis/export/numbers.hpp"
#include "analysis/order/order_output.hpp"

namespace forksim {
namespace {

const char* json_mode(AcquireMode mode) { return mode == AcquireMode::exclusive ? "" : mode_text(mode); }

const char* nesting_text(Nesting nesting) {
    switch (nesting) {
        case Nesting::other:
            return "";
        case Nesting::again:
            return "again";
        case Nesting::downward:
            return "downward";
        case Nesting::upward:
            return "upward";
        case Nesting::sideways:
            return "sideways";
    }
    return "";
}

void site_json(const Site& site, JsonWriter& out) {
    out.begin_object(JsonWriter::Layout::one_line);
    out.key("site").string(site.name).key("caller").string(site.caller).end();
}

void weight_json(const EdgeWeight& weight, JsonWriter& out) {
    out.begin_object(JsonWriter::Layout::one_line);
    out.key("per_op").real(weight.per_op).key("at_most").boolean(weight.at_most);
    out.key("contended_share").real(weight.contended_share).key("wait_ns").real(weight.wait_ps / 1000).end();
}

void edge_json(const ShownOrder& shown, std::uint32_t number, JsonWriter& out) {
    const LockEdge& edge = shown.order.edges[number];
    const auto& locks = shown.compiled.model.locks;
    const auto& sites = shown.compiled.program.sites;
    out.begin_object();
    out.key("outer").string(locks[edge.outer].name).key("inner").string(locks[edge.inner].name);
    out.key("held").string(json_mode(edge.held)).key("taken").string(json_mode(edge.taken));
    out.key("interrupts").string(edge.irq_off ? "off" : "on");
    out.key("where").string(edge.where == Where::over_task ? "over_task" : where_text(edge.where));
    out.key("nested").string(nesting_text(edge.nesting));
    out.key("recursive").boolean(edge.recursive).key("waits").boolean(edge.waits);
    out.key("in_cycle").boolean(edge.in_cycle);
    out.key("ways").begin_array();
    for (const auto& [outer, inner] : edge.ways) {
        out.begin_object();
        out.key("held");
        site_json(sites[outer], out);
        out.key("taken");
        site_json(sites[inner], out);
        out.end();
    }
    out.end();
    out.key("weight");
    if (shown.weights == nullptr)
        out.null();
    else
        weight_json(shown.weights->of({&number, 1}), out);
    out.end();
}

}  // namespace

void order_json(const ShownOrder& shown, JsonWriter& out) {
    const Banner& banner = shown.compiled.banner;
    out.begin_object();
    out.key("scenario").string(banner.scenario).key("hash").string(shown.compiled.hash);
    out.key("kernel").string(banner.kernel);
    out.key("patches").begin_array(JsonWriter::Layout::one_line);
    for (const auto* list : {&banner.base_patches, &banner.patches}) {
        for (const std::string& patch : *list) out.string(patch);
    }
    out.end();
    out.key("edges").begin_array();
    for (std::uint32_t i = 0; i < shown.order.edges.size(); ++i) edge_json(shown, i, out);
    out.end();
    out.key("cycles").begin_array();
    for (const LockCycle& cycle : shown.order.cycles) {
        out.begin_object();
        out.key("locks").begin_array(JsonWriter::Layout::one_line);
        for (const std::uint32_t lock : cycle.locks) out.string(shown.compiled.model.locks[lock].name);
        out.end();
        out.key("edges").begin_array(JsonWriter::Layout::one_line);
        for (const std::vector<std::uint32_t>& hop : cycle.edges) {
            out.begin_array(JsonWriter::Layout::one_line);
            for (const std::uint32_t edge : hop) out.integer(edge);
            out.end();
        }
        out.end().end();
    }
    out.end();
    out.key("more_cycles").boolean(shown.order.more_cycles).end();
}

}  // namespace forksim
