#include "platforms/simgrid/properties.hpp"

#include <algorithm>
#include <functional>
#include <vector>

#include "platforms/names.hpp"
#include "platforms/shape_detail.hpp"
#include "platforms/units.hpp"
#include "sim/error.hpp"

namespace forksim {
namespace {

/// One property: what its value must be, in words, and how it is taken over; false if the value is none.
struct Property {
    const char* expected;
    bool required;
    std::function<bool(const std::string& value)> take;
};

template <class Parsed, class Target>
bool assign(const Parsed& parsed, Target& target) {
    if (parsed) target = *parsed;
    return parsed.has_value();
}

bool assign_speed(const std::string& value, std::uint32_t& speed) {
    const auto fraction = parse_fraction(value);
    if (fraction) speed = std::max(1U, speed_from_fraction(*fraction));
    return fraction.has_value();
}

std::map<std::string, Property> known_properties(Topology& t, Properties& more) {
    constexpr const char* duration = "a duration such as \"46.6ns\"";
    constexpr const char* fraction = "a fraction of the full speed such as \"0.62\"";
    using Text = const std::string&;
    return {
        {"clock_mhz",
         {"a whole number up to 100000", false,
          [&](Text v) {
              const auto mhz = parse_count(v, 100'000);
              if (mhz) t.clock_ghz = *mhz / 1000.0;
              return mhz.has_value();
          }}},
        {"numbering",
         {"\"cores_then_siblings\" or \"siblings_adjacent\"", false,
          [&](Text v) {
              for (const Numbering n : {Numbering::cores_then_siblings, Numbering::siblings_adjacent}) {
                  if (v == name_of(n)) more.numbering = n;
              }
              return v == name_of(more.numbering);
          }}},
        {"virt", {"\"none\", \"tas\" or \"pv\"", false, [&](Text v) { return assign(parse_virt(v), t.virt); }}},
        {"coherence", {"\"local\" or \"home\"", true, [&](Text v) { return assign(parse_coherence(v), t.coherence); }}},
        {"home_node",
         {"the number of a socket, from 0", false, [&](Text v) { return assign(parse_count(v, 63), t.home_node); }}},
        {"smt",
         {duration, false,
          [&](Text v) {
              more.has_smt = true;
              return assign(parse_duration(v), t.smt);
          }}},
        {"smt_speed_busy", {fraction, false, [&](Text v) { return assign_speed(v, t.smt_speed_busy); }}},
        {"smt_speed_spin", {fraction, false, [&](Text v) { return assign_speed(v, t.smt_speed_spin); }}},
        {"llc_hit", {duration, true, [&](Text v) { return assign(parse_duration(v), t.llc_hit); }}},
        {"pause", {duration, false, [&](Text v) { return assign(parse_duration(v), t.pause); }}},
        {"idle_states",
         {"\"none\" or pairs AFTER:EXIT in ascending order such as \"0ns:1us 600us:95us\"", false,
          [&](Text v) { return assign(parse_idle_states(v), t.idle_states); }}},
    };
}

}  // namespace

Properties read_properties(const std::map<std::string, std::string>& properties, Topology& topology) {
    Properties more;
    const auto known = known_properties(topology, more);
    std::vector<std::string> names;
    for (const auto& [key, property] : known) names.push_back(key);
    for (const auto& [key, value] : properties) {
        const auto found = known.find(key);
        if (found == known.end()) throw InputError("unknown property '" + key + "'" + did_you_mean(key, names));
        if (!found->second.take(value)) {
            throw InputError("property '" + key + "' is '" + value + "', expected " + found->second.expected);
        }
    }
    for (const auto& [key, property] : known) {
        if (property.required && !properties.contains(key)) {
            throw InputError("property '" + key + "' is missing: " + property.expected);
        }
    }
    return more;
}

}  // namespace forksim
