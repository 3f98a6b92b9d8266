#include "platforms/units.hpp"

#include <array>
#include <charconv>
#include <cstdio>

#include "platforms/shape.hpp"

namespace forksim {
namespace {

struct Unit {
    std::string_view name;
    int decimals;  ///< its picoseconds are 10 to this power
};

constexpr std::array units{Unit{"s", 12}, Unit{"ms", 9}, Unit{"us", 6}, Unit{"ns", 3}, Unit{"ps", 0}};

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Digits with an optional fraction, in 10 to -`decimals`; nothing if that is no whole number below 10^16.
std::optional<std::int64_t> parse_fixed(std::string_view text, int decimals) {
    std::int64_t value = 0;
    int scale = 0;
    bool point = false;
    bool digit_before_end = false;
    for (const char c : text) {
        if (c == '.') {
            if (point || !digit_before_end) return std::nullopt;
            point = true;
            digit_before_end = false;
            continue;
        }
        if (!is_digit(c)) return std::nullopt;
        digit_before_end = true;
        if (point && ++scale > decimals) {
            if (c != '0') return std::nullopt;
            scale = decimals;
            continue;
        }
        value = value * 10 + (c - '0');
        if (value > 1'000'000'000'000'000) return std::nullopt;
    }
    if (!digit_before_end) return std::nullopt;
    for (; scale < decimals; ++scale) {
        value *= 10;
        if (value > 1'000'000'000'000'000) return std::nullopt;
    }
    return value;
}

}  // namespace

std::string format_duration(Time time) {
    if (time.ps == 0) return "0ns";
    for (const Unit& unit : units) {
        std::int64_t size = 1;
        for (int i = 0; i < unit.decimals; ++i) size *= 10;
        if (time.ps < size) continue;
        std::string text = std::to_string(time.ps / size);
        if (time.ps % size != 0) {
            const std::string rest = std::to_string(size + time.ps % size);  // a leading 1, then all decimals
            text += '.' + rest.substr(1, rest.find_last_not_of('0'));
        }
        return text + std::string(unit.name);
    }
    return std::to_string(time.ps) + "ps";
}

std::optional<Time> parse_duration(std::string_view text) {
    const std::size_t unit_at = text.find_first_not_of("0123456789.");
    if (unit_at == std::string_view::npos) return std::nullopt;
    for (const Unit& unit : units) {
        if (text.substr(unit_at) != unit.name) continue;
        const auto ps = parse_fixed(text.substr(0, unit_at), unit.decimals);
        if (!ps || *ps > Time::from_s(1).ps) return std::nullopt;
        return Time{*ps};
    }
    return std::nullopt;
}

std::string format_fraction(double fraction) {
    char text[32];
    std::snprintf(text, sizeof text, "%.4g", fraction);
    return text;
}

std::optional<double> parse_fraction(std::string_view text) {
    const auto millionths = parse_fixed(text, 6);
    if (!millionths || *millionths < 1 || *millionths > 1'000'000) return std::nullopt;
    return static_cast<double>(*millionths) / 1e6;
}

std::string format_idle_states(std::span<const IdleState> states) {
    if (states.empty()) return "none";
    std::string text;
    for (const IdleState& state : states) {
        if (!text.empty()) text += ' ';
        text += format_duration(state.after) + ':' + format_duration(state.exit);
    }
    return text;
}

std::optional<std::vector<IdleState>> parse_idle_states(std::string_view text) {
    std::vector<IdleState> states;
    if (text == "none") return states;
    for (;;) {
        const std::size_t end = text.find(' ');
        const std::string_view word = text.substr(0, end);
        const std::size_t colon = word.find(':');
        if (colon == std::string_view::npos) return std::nullopt;
        const auto after = parse_duration(word.substr(0, colon));
        const auto exit = parse_duration(word.substr(colon + 1));
        if (!after || !exit || (!states.empty() && states.back().after >= *after)) return std::nullopt;
        states.push_back({*after, *exit});
        if (end == std::string_view::npos) return states;
        text.remove_prefix(end + 1);
    }
}

std::optional<std::uint32_t> parse_count(std::string_view text, std::uint32_t high) {
    std::uint32_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size() || value > high) return std::nullopt;
    return value;
}

std::optional<Virt> parse_virt(std::string_view text) {
    for (const Virt virt : {Virt::none, Virt::tas, Virt::pv}) {
        if (text == name_of(virt)) return virt;
    }
    return std::nullopt;
}

std::optional<Coherence> parse_coherence(std::string_view text) {
    for (const Coherence coherence : {Coherence::local, Coherence::home}) {
        if (text == name_of(coherence)) return coherence;
    }
    return std::nullopt;
}

}  // namespace forksim
