#include <cstdio>

#include "platforms/shape.hpp"
#include "platforms/shape_detail.hpp"
#include "platforms/units.hpp"

namespace forksim {
namespace {

/// Lines of a file, each indented by two spaces per level.
class Writer {
  public:
    void line(int level, const std::string& text) {
        text_.append(static_cast<std::size_t>(level) * 2, ' ');
        text_ += text + '\n';
    }
    void property(int level, const char* key, const std::string& value) {
        line(level, std::string("<prop id=\"") + key + "\" value=\"" + value + "\"/>");
    }
    void link(int level, const std::string& id, Time latency) {
        line(level, "<link id=\"" + id + "\" bandwidth=\"10GBps\" latency=\"" + format_duration(latency) + "\"/>");
    }
    void route(int level, const std::string& from, const std::string& from_gate, const std::string& to,
               const std::string& to_gate, const std::string& link) {
        line(level, "<zoneRoute src=\"" + from + "\" dst=\"" + to + "\" gw_src=\"" + from_gate + "\" gw_dst=\"" +
                        to_gate + "\"><link_ctn id=\"" + link + "\"/></zoneRoute>");
    }
    std::string take() { return std::move(text_); }

  private:
    std::string text_;
};

std::string numbered(const char* noun, std::uint32_t n) { return noun + std::to_string(n); }

void write_header(Writer& out, const ResolvedShape& r) {
    const bool estimate = r.like->source.starts_with("ESTIMATE");
    out.line(0, "<?xml version=\"1.0\"?>");
    out.line(0, "<!-- " + r.shape.name + ": " + std::to_string(r.shape.sockets) + " x " +
                    std::to_string(r.shape.cores) + " cores x " + std::to_string(r.shape.smt) + " threads.");
    out.line(0, std::string("     Latencies: ") + (estimate ? "" : "the row \"") + std::string(r.like->source) +
                    (estimate ? "." : "\"."));
    out.line(0, "     llc_hit, pause, SMT speeds and idle states are ESTIMATES. Generated; see README.md here. -->");
    out.line(0, "<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">");
    out.line(0, "<platform version=\"4.1\">");
}

void write_properties(Writer& out, const ResolvedShape& r) {
    const Machine& like = *r.like;
    out.property(2, "clock_mhz", std::to_string(like.clock_mhz));
    out.property(2, "numbering", name_of(r.shape.numbering));
    out.property(2, "virt", name_of(r.shape.virt));
    out.property(2, "coherence", name_of(like.coherence));
    out.property(2, "home_node", "0");
    if (r.shape.smt > 1) {
        out.property(2, "smt", format_duration(like.smt));
        out.property(2, "smt_speed_busy", format_fraction(like.smt_speed_busy));
        out.property(2, "smt_speed_spin", format_fraction(like.smt_speed_spin));
    }
    out.property(2, "llc_hit", format_duration(like.llc_hit));
    out.property(2, "pause", format_duration(like.pause));
    out.property(2, "idle_states", format_idle_states(like.idle_states));
}

/// One socket: its LLCs, each a cluster, joined by a hub that holds the memory.
void write_socket(Writer& out, const ResolvedShape& r, std::uint32_t socket) {
    const PlatformShape& shape = r.shape;
    const Time up = r.like->llc / 2;                          // of each core: two of them make `llc`
    const Time gate = (r.within_socket() - r.like->llc) / 2;  // two more: `socket`
    const std::string hub = numbered("hub", socket);
    const std::string memory = numbered("memory", socket);
    out.line(2, "<zone id=\"" + numbered("socket", socket) + "\" routing=\"Floyd\">");
    out.line(3, "<zone id=\"" + hub + "\" routing=\"Full\">");
    out.line(4, "<host id=\"" + memory + "\" speed=\"1Gf\"><prop id=\"role\" value=\"memory\"/></host>");
    out.line(3, "</zone>");
    char speed[32];
    std::snprintf(speed, sizeof speed, "%gGf", r.like->clock_mhz / 1000.0);
    std::uint32_t core = socket * shape.cores;
    const std::uint32_t first_llc = socket * shape.llcs;
    for (std::uint32_t llc = first_llc; llc < first_llc + shape.llcs; ++llc) {
        const std::uint32_t first = core;
        while (core < (socket + 1) * shape.cores && r.llc_of_core(core) == llc) ++core;
        out.line(3, "<cluster id=\"" + numbered("llc", llc) + "\" prefix=\"core\" suffix=\"\" radical=\"" +
                        std::to_string(first) + '-' + std::to_string(core - 1) + "\" core=\"" +
                        std::to_string(shape.smt) + "\" speed=\"" + speed + "\" bw=\"10GBps\" lat=\"" +
                        format_duration(up) + "\" router_id=\"" + numbered("gate", llc) + "\"/>");
    }
    for (std::uint32_t llc = first_llc; llc < first_llc + shape.llcs; ++llc) {
        out.link(3, numbered("bus", llc), gate);
    }
    for (std::uint32_t llc = first_llc; llc < first_llc + shape.llcs; ++llc) {
        out.route(3, numbered("llc", llc), numbered("gate", llc), hub, memory, numbered("bus", llc));
    }
    out.line(2, "</zone>");
}

}  // namespace

std::string generate_platform_xml(const PlatformShape& wanted) {
    const ResolvedShape r = resolve_shape(wanted);
    const std::uint32_t sockets = r.shape.sockets;
    Writer out;
    write_header(out, r);
    out.line(1, "<zone id=\"" + r.shape.name + "\" routing=\"Full\">");
    write_properties(out, r);
    for (std::uint32_t socket = 0; socket < sockets; ++socket) write_socket(out, r, socket);
    const auto wire = [](std::uint32_t a, std::uint32_t b) {
        return "wire" + std::to_string(a) + '-' + std::to_string(b);
    };
    const Time latency = r.like->cross_socket - r.within_socket();
    for (std::uint32_t a = 0; a < sockets; ++a) {
        for (std::uint32_t b = a + 1; b < sockets; ++b) out.link(2, wire(a, b), latency);
    }
    for (std::uint32_t a = 0; a < sockets; ++a) {
        for (std::uint32_t b = a + 1; b < sockets; ++b) {
            out.route(2, numbered("socket", a), numbered("memory", a), numbered("socket", b), numbered("memory", b),
                      wire(a, b));
        }
    }
    out.line(1, "</zone>");
    out.line(0, "</platform>");
    return out.take();
}

}  // namespace forksim
