#include "platforms/machine.hpp"

#include <algorithm>
#include <set>

#include "sim/error.hpp"

namespace forksim {
namespace {

constexpr std::uint32_t unused = ~std::uint32_t{0};

/// The CPUs that come online first, ascending by number.
std::vector<Cpu> first_cpus(const Topology& t, std::uint32_t n) {
    std::vector<Cpu> order;
    std::vector<Cpu> siblings;
    std::vector<bool> seen(t.cores, false);
    for (Cpu cpu = 0; cpu < t.cpu_count(); ++cpu) {
        const std::uint32_t core = t.cpus[cpu].core;
        (seen[core] ? siblings : order).push_back(cpu);
        seen[core] = true;
    }
    order.insert(order.end(), siblings.begin(), siblings.end());
    order.resize(n);
    std::ranges::sort(order);
    return order;
}

/// Numbers the used ones from zero, in their old order. Returns how many there are.
std::uint32_t compact(std::vector<std::uint32_t>& new_index) {
    std::uint32_t count = 0;
    for (std::uint32_t& index : new_index) {
        if (index != unused) index = count++;
    }
    return count;
}

std::string counted(std::size_t n, const char* noun) { return std::to_string(n) + ' ' + noun + (n == 1 ? "" : "s"); }

}  // namespace

Time transfer_cost(const Topology& t, Cpu me, Cpu owner, std::uint32_t home_node) {
    const CpuPlace& a = t.cpus[me];
    const CpuPlace& b = t.cpus[owner];
    if (me == owner) return Time{0};
    if (a.core == b.core) return t.smt;
    if (a.llc == b.llc) return t.within_llc[a.llc];
    const Time direct = t.between_llcs[std::size_t{a.llc} * t.llcs + b.llc];
    if (t.coherence == Coherence::local) return direct;
    const Time mine = t.to_memory[std::size_t{a.llc} * t.sockets + home_node];
    const Time owners = t.to_memory[std::size_t{b.llc} * t.sockets + home_node];
    return (mine + owners + direct) / 2;
}

Topology boot(const Topology& t, std::uint32_t n) {
    if (n == 0) throw InputError("a machine runs at least one CPU");
    if (n > t.cpu_count()) {
        throw InputError("platform '" + t.name + "' has " + counted(t.cpu_count(), "CPU") + ", not " +
                         std::to_string(n));
    }
    if (n == t.cpu_count()) return t;
    const std::vector<Cpu> online = first_cpus(t, n);
    std::vector<std::uint32_t> core_index(t.cores, unused);
    std::vector<std::uint32_t> llc_index(t.llcs, unused);
    std::vector<std::uint32_t> socket_index(t.sockets, unused);
    for (std::uint32_t socket = 0; socket <= t.home_node; ++socket) socket_index[socket] = 0;
    for (const Cpu cpu : online) {
        core_index[t.cpus[cpu].core] = 0;
        llc_index[t.cpus[cpu].llc] = 0;
        socket_index[t.cpus[cpu].socket] = 0;
    }
    Topology booted = t;
    booted.cores = compact(core_index);
    booted.llcs = compact(llc_index);
    booted.sockets = compact(socket_index);
    booted.home_node = socket_index[t.home_node];
    booted.cpus.clear();
    for (const Cpu cpu : online) {
        const CpuPlace& place = t.cpus[cpu];
        booted.cpus.push_back({core_index[place.core], llc_index[place.llc], socket_index[place.socket]});
    }
    booted.within_llc.clear();
    booted.between_llcs.clear();
    booted.to_memory.clear();
    for (std::size_t a = 0; a < t.llcs; ++a) {
        if (llc_index[a] == unused) continue;
        booted.within_llc.push_back(t.within_llc[a]);
        for (std::size_t b = 0; b < t.llcs; ++b) {
            if (llc_index[b] != unused) booted.between_llcs.push_back(t.between_llcs[a * t.llcs + b]);
        }
        for (std::size_t node = 0; node < t.sockets; ++node) {
            if (socket_index[node] != unused) booted.to_memory.push_back(t.to_memory[a * t.sockets + node]);
        }
    }
    return booted;
}

std::string composition(const Topology& t) {
    std::vector<std::size_t> threads(t.cores, 0);
    std::vector<std::size_t> cores(t.sockets, 0);
    for (const CpuPlace& place : t.cpus) {
        if (threads[place.core]++ == 0) ++cores[place.socket];
    }
    std::erase(cores, std::size_t{0});
    const std::string cpus = counted(t.cpus.size(), "CPU") + ": ";
    const auto alike = [](const std::vector<std::size_t>& counts) {
        return std::set<std::size_t>(counts.begin(), counts.end()).size() == 1;
    };
    if (alike(cores) && alike(threads)) {
        const std::string shape = cpus + counted(cores.size(), "socket") + " x " + counted(cores[0], "core");
        return threads[0] == 1 ? shape : shape + " x " + counted(threads[0], "thread");
    }
    const std::string all = cpus + counted(threads.size(), "core") + " on " + counted(cores.size(), "socket");
    const auto pairs = std::ranges::count(threads, std::size_t{2});
    return pairs == 0 ? all : all + ", " + std::to_string(pairs) + " with both siblings";
}

}  // namespace forksim
