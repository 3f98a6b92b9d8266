#include "platforms/shape.hpp"
#include "platforms/shape_detail.hpp"

namespace forksim {
namespace {

std::vector<CpuPlace> places_of(const ResolvedShape& r) {
    const PlatformShape& shape = r.shape;
    const std::uint32_t cores = shape.sockets * shape.cores;
    std::vector<CpuPlace> cpus;
    cpus.reserve(std::size_t{cores} * shape.smt);
    const auto place = [&](std::uint32_t core) {
        const std::uint32_t socket = core / shape.cores;
        return CpuPlace{core, r.llc_of_core(core), socket};
    };
    if (shape.numbering == Numbering::siblings_adjacent) {
        for (std::uint32_t core = 0; core < cores; ++core) cpus.insert(cpus.end(), shape.smt, place(core));
    } else {
        for (std::uint32_t thread = 0; thread < shape.smt; ++thread) {
            for (std::uint32_t core = 0; core < cores; ++core) cpus.push_back(place(core));
        }
    }
    return cpus;
}

}  // namespace

Topology topology_of_shape(const PlatformShape& wanted) {
    const ResolvedShape r = resolve_shape(wanted);
    const PlatformShape& shape = r.shape;
    const Machine& like = *r.like;
    Topology t;
    t.name = shape.name;
    t.cpus = places_of(r);
    t.cores = shape.sockets * shape.cores;
    t.llcs = shape.sockets * shape.llcs;
    t.sockets = shape.sockets;
    if (shape.smt > 1) {
        t.smt = like.smt;
        t.smt_speed_busy = speed_from_fraction(like.smt_speed_busy);
        t.smt_speed_spin = speed_from_fraction(like.smt_speed_spin);
    }
    t.within_llc.assign(t.llcs, Time{0});
    for (std::uint32_t core = 1; core < t.cores; ++core) {
        const std::uint32_t llc = r.llc_of_core(core);
        if (llc == r.llc_of_core(core - 1)) t.within_llc[llc] = like.llc;
    }
    t.between_llcs.assign(std::size_t{t.llcs} * t.llcs, Time{0});
    for (std::uint32_t a = 0; a < t.llcs; ++a) {
        for (std::uint32_t b = 0; b < t.llcs; ++b) {
            if (a == b) continue;
            const bool together = a / shape.llcs == b / shape.llcs;
            t.between_llcs[std::size_t{a} * t.llcs + b] = together ? r.within_socket() : like.cross_socket;
        }
    }
    t.to_memory.assign(std::size_t{t.llcs} * t.sockets, Time{0});
    for (std::uint32_t llc = 0; llc < t.llcs; ++llc) {
        for (std::uint32_t node = 0; node < t.sockets; ++node) {
            const Time half = r.within_socket() / 2;
            const bool own = node == llc / shape.llcs;
            t.to_memory[std::size_t{llc} * t.sockets + node] = own ? half : like.cross_socket - half;
        }
    }
    t.llc_hit = like.llc_hit;
    t.pause = like.pause;
    t.coherence = like.coherence;
    t.virt = shape.virt;
    t.clock_ghz = like.clock_mhz / 1000.0;
    t.idle_states.assign(like.idle_states.begin(), like.idle_states.end());
    return t;
}

}  // namespace forksim
