#include "platforms/library.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <fstream>
#include <sstream>

#include "platforms/topology_text.hpp"
#include "sim/error.hpp"

namespace forksim {
namespace {

PlatformShape shape(const char* name, const char* like, std::uint32_t sockets, std::uint32_t cores, std::uint32_t smt) {
    PlatformShape s;
    s.name = name;
    s.like = like;
    s.sockets = sockets;
    s.cores = cores;
    s.smt = smt;
    return s;
}

std::string read_file(const std::filesystem::path& path) {
    std::ifstream in(path, std::ios::binary);
    std::ostringstream text;
    text << in.rdbuf();
    if (!in) throw InputError(path.string() + ": cannot be read");
    return text.str();
}

}  // namespace

std::span<const PlatformShape> shipped_shapes() {
    static const std::array shapes{
        shape("xeon-1s-20c", "xeon-8275cl", 1, 20, 1),
        shape("broadwell-2s-18c-smt", "xeon-e5-2695v4", 2, 18, 2),
        shape("cascadelake-2s-20c-smt", "cascadelake", 2, 20, 2),
        shape("cascadelake-2s-24c-smt", "xeon-8275cl", 2, 24, 2),
        shape("icelake-2s-32c-smt", "xeon-8375c", 2, 32, 2),
        shape("rome-2s-64c-smt", "epyc-7742", 2, 64, 2),
        shape("milan-2s-48c-smt", "epyc-7r13", 2, 48, 2),
        shape("milanx-1s-64c-smt", "epyc-7773x", 1, 64, 2),
        shape("epyc-2s-128c-smt", "epyc-128c", 2, 128, 2),
        shape("graviton3-1s-64c", "graviton3", 1, 64, 1),
        shape("kunpeng-1s-64c", "kunpeng-920", 1, 64, 1),
    };
    return shapes;
}

const PlatformShape* find_shipped_shape(std::string_view name) {
    const auto all = shipped_shapes();
    const auto found = std::ranges::find(all, name, &PlatformShape::name);
    return found == all.end() ? nullptr : &*found;
}

std::vector<std::string> shipped_platforms() {
    std::vector<std::string> names;
    for (const PlatformShape& s : shipped_shapes()) names.push_back(s.name);
    return names;
}

Topology uniform(std::uint32_t n, Time distance) {
    if (n < 1 || n > 1024) {
        throw InputError("platform 'uniform-" + std::to_string(n) + "': the number of CPUs is not in 1..1024");
    }
    if (distance < Time{0} || distance > Time::from_s(1)) {
        throw InputError("platform 'uniform-" + std::to_string(n) + "': the distance is not in 0..1 s");
    }
    Topology t = topology_of_shape(shape(("uniform-" + std::to_string(n)).c_str(), "uniform", 1, n, 1));
    if (n > 1) t.within_llc[0] = distance;
    t.to_memory[0] = distance / 2;
    t.llc_hit = distance / 2;
    return t;
}

std::optional<Topology> find_platform(std::string_view name, const std::filesystem::path& converted) {
    constexpr std::string_view uniform_prefix = "uniform-";
    if (name.starts_with(uniform_prefix)) {
        const std::string_view digits = name.substr(uniform_prefix.size());
        std::uint32_t n = 0;
        const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), n);
        if (error != std::errc{} || end != digits.data() + digits.size() || digits.front() == '0') {
            throw InputError("platform '" + std::string(name) + "': expected uniform-N with N in 1..1024");
        }
        return uniform(n);
    }
    const PlatformShape* shipped = find_shipped_shape(name);
    if (shipped == nullptr) return std::nullopt;
    const std::filesystem::path file = converted / (shipped->name + ".topology");
    std::error_code ignored;
    if (converted.empty() || !std::filesystem::exists(file, ignored)) return topology_of_shape(*shipped);
    try {
        return parse_topology(read_file(file));
    } catch (const InputError& e) {
        throw InputError(file.string() + ": " + e.what());
    }
}

}  // namespace forksim
