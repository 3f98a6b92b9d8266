#include "platforms/shape.hpp"

#include <cmath>

#include "platforms/library.hpp"
#include "platforms/names.hpp"
#include "platforms/shape_detail.hpp"
#include "sim/error.hpp"

namespace forksim {
namespace {

const Machine* machine_like(const std::string& like) {
    if (const Machine* known = find_machine(like)) return known;
    if (const PlatformShape* shipped = find_shipped_shape(like)) return find_machine(shipped->like);
    std::vector<std::string> names;
    for (const Machine& m : machines()) {
        names.emplace_back(m.key);
        if (!m.alias.empty()) names.emplace_back(m.alias);
    }
    for (const std::string& name : shipped_platforms()) names.push_back(name);
    throw InputError("platform.like: unknown machine '" + like + "'" + did_you_mean(like, names));
}

void require_range(const char* key, std::uint32_t value, std::uint32_t low, std::uint32_t high) {
    if (value >= low && value <= high) return;
    throw InputError(std::string("platform.") + key + ": " + std::to_string(value) + " is not in " +
                     std::to_string(low) + ".." + std::to_string(high));
}

std::string name_for(const PlatformShape& s) {
    std::string name = s.like + '-' + std::to_string(s.sockets) + "s-" + std::to_string(s.cores) + 'c';
    if (s.smt > 1) name += "-smt";
    if (s.virt != Virt::none) name += std::string("-") + name_of(s.virt);
    return name;
}

}  // namespace

ResolvedShape resolve_shape(const PlatformShape& wanted) {
    require_range("sockets", wanted.sockets, 1, 16);
    require_range("cores", wanted.cores, 1, max_platform_cpus);
    require_range("smt", wanted.smt, 1, 2);
    require_range("llcs", wanted.llcs, 0, wanted.cores);
    ResolvedShape r{wanted, machine_like(wanted.like)};
    PlatformShape& shape = r.shape;
    const std::uint32_t cpus = shape.sockets * shape.cores * shape.smt;
    if (cpus > max_platform_cpus) {
        throw InputError("platform: " + std::to_string(cpus) + " CPUs are more than " +
                         std::to_string(max_platform_cpus));
    }
    const std::string key(r.like->key);
    if (shape.smt > 1 && r.like->smt.ps == 0) {
        throw InputError("platform.smt: '" + key + "' has no SMT, so no distance between siblings is known");
    }
    if (shape.sockets > 1 && r.like->cross_socket.ps == 0) {
        throw InputError("platform.sockets: '" + key +
                         "' was measured with one socket, so no distance between sockets is known");
    }
    if (shape.llcs == 0) {
        const std::uint32_t size = r.like->cores_per_llc;
        shape.llcs = size == 0 ? 1 : (shape.cores + size - 1) / size;
    }
    if (shape.sockets * shape.llcs > max_platform_llcs) {
        throw InputError("platform: " + std::to_string(shape.sockets * shape.llcs) +
                         " last-level caches are more than " + std::to_string(max_platform_llcs));
    }
    if (shape.name.empty()) shape.name = name_for(shape);
    if (!is_platform_name(shape.name)) {
        throw InputError("platform.name: '" + shape.name + "': letters, digits, '.', '_' and '-' only");
    }
    return r;
}

std::uint32_t speed_from_fraction(double fraction) { return static_cast<std::uint32_t>(std::lround(fraction * 1024)); }

const char* name_of(Virt virt) {
    switch (virt) {
        case Virt::none:
            return "none";
        case Virt::tas:
            return "tas";
        case Virt::pv:
            return "pv";
    }
    return "?";
}

const char* name_of(Coherence coherence) { return coherence == Coherence::local ? "local" : "home"; }

const char* name_of(Numbering numbering) {
    return numbering == Numbering::siblings_adjacent ? "siblings_adjacent" : "cores_then_siblings";
}

}  // namespace forksim
