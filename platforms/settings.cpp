#include "platforms/settings.hpp"

#include <algorithm>
#include <array>
#include <functional>

#include "platforms/names.hpp"
#include "platforms/shape_detail.hpp"
#include "platforms/units.hpp"
#include "sim/error.hpp"

namespace forksim {
namespace {

/// How a value is taken over.
enum class Effect { nothing, change, bad_value };
using Apply = Effect (*)(Topology&, const std::string&);

struct Row {
    PlatformKey key;
    bool moves_memory;  ///< distances to memory follow from what it sets
    Apply apply;
};

std::vector<std::uint32_t> socket_of_llcs(const Topology& t) {
    std::vector<std::uint32_t> sockets(t.llcs, 0);
    for (const CpuPlace& place : t.cpus) sockets[place.llc] = place.socket;
    return sockets;
}

Effect set_time(const std::string& value, bool reaches, Time& target) {
    const auto time = parse_duration(value);
    if (!time) return Effect::bad_value;
    if (reaches) target = *time;
    return reaches ? Effect::change : Effect::nothing;
}

Effect set_speed(const Topology& t, const std::string& value, std::uint32_t& target) {
    const auto fraction = parse_fraction(value);
    if (!fraction) return Effect::bad_value;
    if (t.cores == t.cpu_count()) return Effect::nothing;
    target = std::max(1U, speed_from_fraction(*fraction));
    return Effect::change;
}

/// Replaces the distances between LLCs of the same socket, or of different ones.
Effect set_between(Topology& t, const std::string& value, bool same_socket) {
    const auto time = parse_duration(value);
    if (!time) return Effect::bad_value;
    const std::vector<std::uint32_t> socket = socket_of_llcs(t);
    Effect effect = Effect::nothing;
    for (std::size_t a = 0; a < t.llcs; ++a) {
        for (std::size_t b = 0; b < t.llcs; ++b) {
            if (a == b || (socket[a] == socket[b]) != same_socket) continue;
            t.between_llcs[a * t.llcs + b] = *time;
            effect = Effect::change;
        }
    }
    return effect;
}

Effect set_within(Topology& t, const std::string& value) {
    const auto time = parse_duration(value);
    if (!time) return Effect::bad_value;
    std::vector<bool> seen(t.cores, false);
    std::vector<std::uint32_t> cores(t.llcs, 0);
    for (const CpuPlace& place : t.cpus) {
        if (!seen[place.core]) ++cores[place.llc];
        seen[place.core] = true;
    }
    Effect effect = Effect::nothing;
    for (std::size_t llc = 0; llc < t.llcs; ++llc) {
        if (cores[llc] < 2) continue;
        t.within_llc[llc] = *time;
        effect = Effect::change;
    }
    return effect;
}

Effect set_idle_states(Topology& t, const std::string& value) {
    auto states = parse_idle_states(value);
    if (!states) return Effect::bad_value;
    t.idle_states = std::move(*states);
    return Effect::change;
}

template <class Parsed, class Target>
Effect take(const Parsed& parsed, Target& target) {
    if (!parsed) return Effect::bad_value;
    target = *parsed;
    return Effect::change;
}

using Text = const std::string&;

constexpr std::array rows{
    Row{{"smt", "duration", "0..1s", "moving a dirty line between the two threads of a core"},
        false,
        [](Topology& t, Text v) { return set_time(v, t.cores < t.cpu_count(), t.smt); }},
    Row{{"llc", "duration", "0..1s", "moving a dirty line between two cores of one last-level cache (LLC)"},
        true,
        [](Topology& t, Text v) { return set_within(t, v); }},
    Row{{"socket", "duration", "0..1s", "moving a dirty line between two LLCs of one socket"},
        true,
        [](Topology& t, Text v) { return set_between(t, v, true); }},
    Row{{"cross_socket", "duration", "0..1s", "moving a dirty line between sockets"},
        true,
        [](Topology& t, Text v) { return set_between(t, v, false); }},
    Row{{"llc_hit", "duration", "0..1s", "reading a clean line that is in one's own LLC"},
        false,
        [](Topology& t, Text v) { return set_time(v, true, t.llc_hit); }},
    Row{{"pause", "duration", "0..1s", "from one look to the next of a CPU that polls a line (cpu_relax)"},
        false,
        [](Topology& t, Text v) { return set_time(v, true, t.pause); }},
    Row{{"smt_speed_busy", "fraction", "above 0, up to 1", "speed of a thread while its sibling computes"},
        false,
        [](Topology& t, Text v) { return set_speed(t, v, t.smt_speed_busy); }},
    Row{{"smt_speed_spin", "fraction", "above 0, up to 1", "speed of a thread while its sibling spins"},
        false,
        [](Topology& t, Text v) { return set_speed(t, v, t.smt_speed_spin); }},
    Row{{"idle_states", "idle states", "none, or AFTER:EXIT in ascending order, separated by spaces",
         "what EXIT adds to the wake-up of a CPU that was idle for AFTER"},
        false,
        [](Topology& t, Text v) { return set_idle_states(t, v); }},
    Row{{"virt", "name", "none, tas or pv", "how a guest of a hypervisor waits for a spinlock"},
        false,
        [](Topology& t, Text v) { return take(parse_virt(v), t.virt); }},
    Row{{"coherence", "name", "local or home", "whether a line's home memory is asked before its owner"},
        false,
        [](Topology& t, Text v) { return take(parse_coherence(v), t.coherence); }},
    Row{{"home_node", "node", "0..sockets-1", "whose memory holds the kernel's global data"},
        false,
        [](Topology& t, Text v) { return take(parse_count(v, t.sockets - 1), t.home_node); }},
};

const Row& row_of(const std::string& key) {
    const auto* const found = std::ranges::find_if(rows, [&](const Row& r) { return r.key.name == key; });
    if (found != rows.end()) return *found;
    std::vector<std::string> names;
    for (const Row& r : rows) names.emplace_back(r.key.name);
    throw InputError("platform." + key + ": unknown key" + did_you_mean(key, names));
}

/// Puts each node's memory halfway between the LLCs of its socket. Then a transfer within the home's socket, and one
/// across sockets from or to it, costs the distance itself, also with `coherence: home`.
void move_memory(Topology& t) {
    const std::vector<std::uint32_t> socket = socket_of_llcs(t);
    constexpr std::size_t none = ~std::size_t{0};
    std::vector<std::size_t> first_llc(t.sockets, none);
    for (std::size_t llc = t.llcs; llc-- > 0;) first_llc[socket[llc]] = llc;
    std::vector<Time> half(t.sockets, Time{0});
    for (std::size_t node = 0; node < t.sockets; ++node) {
        if (first_llc[node] == none) continue;
        half[node] = t.within_llc[first_llc[node]] / 2;
        for (std::size_t llc = 0; llc < t.llcs; ++llc) {
            if (socket[llc] == node && llc != first_llc[node]) {
                half[node] = t.between_llcs[llc * t.llcs + first_llc[node]] / 2;
            }
        }
    }
    for (std::size_t llc = 0; llc < t.llcs; ++llc) {
        for (std::size_t node = 0; node < t.sockets; ++node) {
            if (first_llc[node] == none) continue;  // no CPU of that socket is online: nothing of it is known anew
            Time& distance = t.to_memory[llc * t.sockets + node];
            distance = half[node];
            if (socket[llc] == node) continue;
            distance = t.between_llcs[llc * t.llcs + first_llc[node]] - half[node];
            if (distance >= Time{0}) continue;
            if (t.coherence == Coherence::home) {
                throw InputError("platform.cross_socket: less than half of what a transfer within the socket costs");
            }
            distance = Time{0};
        }
    }
}

}  // namespace

std::span<const PlatformKey> platform_keys() {
    static const auto keys = [] {
        std::array<PlatformKey, rows.size()> all;
        std::ranges::transform(rows, all.begin(), &Row::key);
        return all;
    }();
    return keys;
}

std::vector<std::string> apply_platform_settings(Topology& topology, std::span<const PlatformSetting> settings) {
    std::vector<std::string> without_effect;
    for (const PlatformSetting& setting : settings) row_of(setting.key);
    Topology changed = topology;
    bool moved = false;
    for (const Row& row : rows) {
        const auto same_key = [&](const PlatformSetting& s) { return s.key == row.key.name; };
        const auto found = std::ranges::find_if(settings, same_key);
        if (found == settings.end()) continue;
        const std::string place = "platform." + found->key + ": ";
        if (std::ranges::count_if(settings, same_key) > 1) throw InputError(place + "given twice");
        const Effect effect = row.apply(changed, found->value);
        if (effect == Effect::bad_value) {
            throw InputError(place + "'" + found->value + "' is no " + std::string(row.key.unit) + " (" +
                             std::string(row.key.range) + ")");
        }
        if (effect == Effect::nothing) without_effect.push_back(found->key);
        moved |= effect == Effect::change && row.moves_memory;
    }
    if (moved) move_memory(changed);
    topology = std::move(changed);
    return without_effect;
}

}  // namespace forksim
