#include "scenarios/values.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>

namespace forksim::language {
namespace {

double round_to_ps(double ps) { return std::floor(ps + 0.5); }

void scale(Quantity& quantity, double factor) {
    quantity.number *= factor;
    quantity.ps = round_to_ps(quantity.ps * factor);
    quantity.jiffies *= factor;
}

}  // namespace

const char* name_of(Source source) {
    constexpr std::array names = {"", "counted", "published", "estimated"};
    return names[static_cast<std::size_t>(source)];
}

Time to_time(const Quantity& quantity, Time jiffy) {
    const double ps = round_to_ps(quantity.ps + quantity.jiffies * static_cast<double>(jiffy.ps));
    return {static_cast<std::int64_t>(ps)};
}

void scale(Duration& duration, double factor) {
    scale(duration.a, factor);
    scale(duration.b, factor);
    for (Quantity& value : duration.values) scale(value, factor);
    if (duration.range) {
        scale(duration.range->first, factor);
        scale(duration.range->second, factor);
    }
}

Distribution to_distribution(const Duration& duration, Time jiffy, double cv) {
    const Time a = to_time(duration.a, jiffy);
    switch (duration.shape) {
        case Duration::Shape::constant:
            if (cv > 0 && a.ps > 0) return Lognormal{a, cv};
            return Constant{a};
        case Duration::Shape::uniform:
            return Uniform{a, to_time(duration.b, jiffy)};
        case Duration::Shape::exponential:
            return Exponential{a};
        case Duration::Shape::lognormal:
            return Lognormal{a, duration.parameter};
        case Duration::Shape::gamma:
            return Gamma{a, duration.parameter};
        case Duration::Shape::bimodal:
            return Bimodal{a, to_time(duration.b, jiffy), duration.parameter};
        case Duration::Shape::empirical:
            break;
    }
    Empirical empirical;
    for (const Quantity& value : duration.values) empirical.values.push_back(to_time(value, jiffy));
    empirical.weights = duration.weights;
    return empirical;
}

std::string number_text(double value) {
    std::array<char, 40> text{};
    std::snprintf(text.data(), text.size(), "%.6g", value);
    return text.data();
}

std::string to_text(const Quantity& quantity) {
    if (!quantity.is_time) return number_text(quantity.number);
    const std::string jiffies = quantity.jiffies != 0 ? number_text(quantity.jiffies) + "j" : "";
    if (quantity.ps == 0 && !jiffies.empty()) return jiffies;
    struct Unit {
        const char* name;
        double ps;
    };
    constexpr std::array<Unit, 5> units = {{{"s", 1e12}, {"ms", 1e9}, {"us", 1e6}, {"ns", 1e3}, {"ps", 1}}};
    const double size = std::abs(quantity.ps);
    const auto unit = std::find_if(units.begin(), units.end() - 1, [&](const Unit& u) { return size >= u.ps; });
    const std::string time = quantity.ps == 0 ? "0ns" : number_text(quantity.ps / unit->ps) + unit->name;
    return jiffies.empty() ? time : time + "+" + jiffies;
}

std::string to_text(const Duration& duration) {
    switch (duration.shape) {
        case Duration::Shape::constant:
            return to_text(duration.a);
        case Duration::Shape::uniform:
            return "uniform " + to_text(duration.a) + ".." + to_text(duration.b);
        case Duration::Shape::exponential:
            return "exponential " + to_text(duration.a);
        case Duration::Shape::lognormal:
            return "lognormal " + to_text(duration.a) + " cv " + number_text(duration.parameter);
        case Duration::Shape::gamma:
            return "gamma " + to_text(duration.a) + " cv " + number_text(duration.parameter);
        case Duration::Shape::bimodal:
            return "bimodal " + to_text(duration.a) + " | " + to_text(duration.b) + " p " +
                   number_text(duration.parameter);
        case Duration::Shape::empirical:
            break;
    }
    return "empirical, " + std::to_string(duration.values.size()) + " values";
}

}  // namespace forksim::language
