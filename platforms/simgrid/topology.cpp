#include "platforms/simgrid/topology.hpp"

#include <algorithm>
#include <cmath>
#include <exception>
#include <simgrid/s4u.hpp>

#include "platforms/names.hpp"
#include "platforms/shape.hpp"
#include "platforms/simgrid/properties.hpp"
#include "platforms/topology_text.hpp"
#include "sim/error.hpp"

namespace forksim {
namespace {

namespace sg = simgrid::s4u;

std::string quoted(const std::string& name) { return '\'' + name + '\''; }

struct Llc {
    std::vector<const sg::Host*> cores;
    std::uint32_t socket;
};

/// Hosts and zones in the order of the file, before any distance is known.
struct Machine {
    std::vector<Llc> llcs;
    std::vector<const sg::Host*> memory;  ///< by socket
};

bool is_memory(const sg::Host& host) {
    const std::string name = "host " + quoted(host.get_name());
    bool memory = false;
    for (const auto& [key, value] : *host.get_properties()) {
        if (key != "role") throw InputError(name + ": unknown property " + quoted(key) + "; a host has only 'role'");
        if (value != "memory" && value != "cpu") {
            throw InputError(name + ": role is " + quoted(value) + ", expected 'memory' or 'cpu'");
        }
        memory = value == "memory";
    }
    return memory;
}

void collect_socket(const sg::NetZone& zone, std::uint32_t socket, Machine& machine) {
    if (!zone.get_properties()->empty()) {
        throw InputError("zone " + quoted(zone.get_name()) + ": unknown property " +
                         quoted(zone.get_properties()->begin()->first) + "; only the outermost zone has properties");
    }
    Llc llc{{}, socket};
    for (const sg::Host* host : zone.get_all_hosts()) {
        if (!is_memory(*host)) {
            llc.cores.push_back(host);
        } else if (machine.memory[socket] != nullptr) {
            throw InputError("host " + quoted(host->get_name()) + " is a second memory host of its socket, after " +
                             quoted(machine.memory[socket]->get_name()));
        } else {
            machine.memory[socket] = host;
        }
    }
    if (!llc.cores.empty()) machine.llcs.push_back(llc);
    for (const sg::NetZone* child : zone.get_children()) collect_socket(*child, socket, machine);
}

Machine collect(const sg::NetZone& root) {
    if (const auto hosts = root.get_all_hosts(); !hosts.empty()) {
        throw InputError("host " + quoted(hosts.front()->get_name()) +
                         " is in the outermost zone; the zones inside it are the sockets, which hold the hosts");
    }
    Machine machine;
    for (const sg::NetZone* zone : root.get_children()) {
        const auto socket = static_cast<std::uint32_t>(machine.memory.size());
        const std::size_t before = machine.llcs.size();
        machine.memory.push_back(nullptr);
        collect_socket(*zone, socket, machine);
        const std::string name = "socket " + quoted(zone->get_name());
        if (machine.llcs.size() == before) throw InputError(name + " has no CPU");
        if (machine.memory.back() == nullptr) {
            throw InputError(name + " has no memory host: a host with the property role=\"memory\"");
        }
    }
    if (machine.memory.empty()) throw InputError("no socket: the outermost zone holds no zones");
    return machine;
}

/// The latency that SimGrid gives for the route between two different hosts.
Time distance(const sg::Host& from, const sg::Host& to) {
    std::vector<sg::Link*> links;
    double seconds = 0;
    from.route_to(&to, links, &seconds);
    const double ps = seconds * 1e12;
    const std::string route = "between " + quoted(from.get_name()) + " and " + quoted(to.get_name());
    if (!(ps >= 0.5)) throw InputError("no latency " + route + "; links of 0 ps are for uniform-N only");
    if (ps > 1e12) throw InputError("a latency of more than 1 s " + route);
    return Time{std::llround(ps)};
}

void require_equal(Time first, Time second, const sg::Host& from, const sg::Host& to) {
    if (first == second) return;
    throw InputError("the latency from " + quoted(from.get_name()) + " to " + quoted(to.get_name()) + ", " +
                     std::to_string(second.ps) + " ps, differs from that of like cores, " + std::to_string(first.ps) +
                     " ps; all cores of one LLC must be alike, and both directions");
}

Time distance_within(const Llc& llc) {
    const sg::Host& first = *llc.cores.front();
    if (llc.cores.size() == 1) return Time{0};
    const Time time = distance(first, *llc.cores[1]);
    for (std::size_t i = 1; i < llc.cores.size(); ++i) {
        require_equal(time, distance(first, *llc.cores[i]), first, *llc.cores[i]);
        require_equal(time, distance(*llc.cores[i], *llc.cores[i - 1]), *llc.cores[i], *llc.cores[i - 1]);
    }
    return time;
}

void read_distances(const Machine& machine, Topology& t) {
    t.within_llc.reserve(t.llcs);
    t.between_llcs.assign(std::size_t{t.llcs} * t.llcs, Time{0});
    for (std::size_t a = 0; a < t.llcs; ++a) {
        const std::vector<const sg::Host*>& cores = machine.llcs[a].cores;
        t.within_llc.push_back(distance_within(machine.llcs[a]));
        for (std::size_t b = 0; b < a; ++b) {
            const std::vector<const sg::Host*>& others = machine.llcs[b].cores;
            const Time time = distance(*cores.front(), *others.front());
            require_equal(time, distance(*others.back(), *cores.back()), *others.back(), *cores.back());
            t.between_llcs[a * t.llcs + b] = time;
            t.between_llcs[b * t.llcs + a] = time;
        }
        for (const sg::Host* memory : machine.memory) {
            const Time time = distance(*cores.front(), *memory);
            require_equal(time, distance(*memory, *cores.back()), *memory, *cores.back());
            t.to_memory.push_back(time);
        }
    }
}

/// Numbers the CPUs. A host with two SimGrid cores is one core with two threads.
void place_cpus(const Machine& machine, Numbering numbering, Topology& t) {
    std::vector<CpuPlace> siblings;
    for (std::uint32_t llc = 0; llc < t.llcs; ++llc) {
        for (const sg::Host* host : machine.llcs[llc].cores) {
            const int threads = host->get_core_count();
            if (threads > 2) {
                throw InputError("host " + quoted(host->get_name()) + " has core=\"" + std::to_string(threads) +
                                 "\"; a host is one core of 1 or 2 threads");
            }
            const CpuPlace place{t.cores++, llc, machine.llcs[llc].socket};
            t.cpus.push_back(place);
            if (threads == 2) (numbering == Numbering::siblings_adjacent ? t.cpus : siblings).push_back(place);
        }
    }
    if (t.cpus.size() + siblings.size() > max_platform_cpus) {
        throw InputError(std::to_string(t.cpus.size() + siblings.size()) + " CPUs are more than " +
                         std::to_string(max_platform_cpus));
    }
    t.cpus.insert(t.cpus.end(), siblings.begin(), siblings.end());
}

void check_links(const sg::Engine& engine) {
    for (const sg::Link* link : engine.get_all_links()) {
        if (!(link->get_latency() >= 0)) throw InputError("link " + quoted(link->get_name()) + ": negative latency");
    }
}

/// SimGrid's complaint as one printable line behind the file's name, and its line where SimGrid tells it.
std::string complaint_of(const std::string& file, const std::string& what) {
    const std::string with_place = "Parse error at " + file + ':';
    const bool placed = what.starts_with(with_place);
    std::string text = placed ? what.substr(with_place.size()) : what;
    text.resize(std::min({text.size(), text.find('\n'), std::size_t{300}}));
    for (char& c : text) {
        if (c < ' ' || c > '~') c = '?';
    }
    return file + (placed ? ":" : ": ") + text;
}

Topology read_machine(const sg::NetZone& root) {
    Topology t;
    t.name = root.get_name();
    const auto* given = root.get_properties();
    const Properties properties = read_properties({given->begin(), given->end()}, t);
    const Machine machine = collect(root);
    t.sockets = static_cast<std::uint32_t>(machine.memory.size());
    t.llcs = static_cast<std::uint32_t>(machine.llcs.size());
    if (t.llcs > max_platform_llcs) {
        throw InputError(std::to_string(t.llcs) + " last-level caches are more than " +
                         std::to_string(max_platform_llcs));
    }
    place_cpus(machine, properties.numbering, t);
    if (t.cores < t.cpu_count() && !properties.has_smt) {
        throw InputError("property 'smt' is missing: the distance between the two threads of a core, such as \"8ns\"");
    }
    read_distances(machine, t);
    check_topology(t);
    return t;
}

}  // namespace

Topology topology_from_simgrid(const std::string& file) {
    std::string program = "forksim-simgrid";
    std::string threshold = "--log=root.thresh:critical";
    std::string format = "--log=root.fmt:%m%n";
    char* arguments[] = {program.data(), threshold.data(), format.data(), nullptr};
    int count = 3;
    sg::Engine engine(&count, arguments);
    try {
        engine.load_platform(file);
        engine.seal_platform();  // before any route: until then zones give wrong ones
        check_links(engine);
        return read_machine(*engine.get_netzone_root());
    } catch (const InternalError&) {
        throw;
    } catch (const std::exception& e) {  // SimGrid throws many kinds, for faults of the file only
        throw InputError(complaint_of(file, e.what()));
    }
}

}  // namespace forksim
