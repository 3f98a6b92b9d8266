#include "analysis/export/numbers.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>

namespace forksim {
namespace {

std::string fixed(double value, int decimals) {
    std::array<char, 400> text;
    const auto end = std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed, decimals);
    return {text.data(), end.ptr};
}

/// `value` with `digits` significant ones, never in exponent form; whole when it has more before the point.
std::string significant(double value, int digits) {
    std::array<char, 40> text;
    const auto end =
        std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::scientific, digits - 1);
    // The exponent of the rounded value: 9.9996 has that of 10.00.
    const int exponent = std::atoi(std::string(std::find(text.data(), end.ptr, 'e') + 1, end.ptr).c_str());
    return fixed(value, std::max(0, digits - 1 - exponent));
}

}  // namespace

std::string number_12(double value) {
    if (!std::isfinite(value)) return "null";
    if (value == 0) return "0";  // never "-0"
    std::array<char, 40> text;
    const auto end = std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::general, 12);
    return {text.data(), end.ptr};
}

std::string exact_ns(uint128 ps) {
    auto rest = static_cast<unsigned>(ps % 1000);
    std::string decimals;
    if (rest != 0) {
        decimals = std::to_string(1000 + rest).substr(1);
        decimals.erase(decimals.find_last_not_of('0') + 1);
        decimals.insert(0, 1, '.');
    }
    std::string whole;
    uint128 ns = ps / 1000;
    do whole += static_cast<char>('0' + static_cast<int>(ns % 10));
    while ((ns /= 10) != 0);
    std::reverse(whole.begin(), whole.end());
    return whole + decimals;
}

std::string exact_ns(std::int64_t ps) {
    if (ps >= 0) return exact_ns(static_cast<uint128>(static_cast<std::uint64_t>(ps)));
    return '-' + exact_ns(static_cast<uint128>(0 - static_cast<std::uint64_t>(ps)));
}

std::string time_text(double ps) {
    if (!std::isfinite(ps)) return "-";
    if (ps == 0) return "0ns";
    const double ns = ps / 1000;
    const double size = std::abs(ns);
    // The largest unit in which the rounded number is at least one.
    if (size < 999.95) return size < 0.001 ? fixed(ns, 3) + "ns" : significant(ns, size < 1 ? 3 : 4) + "ns";
    if (size < 999.95e3) return significant(ns / 1e3, 4) + "us";
    if (size < 999.95e6) return significant(ns / 1e6, 4) + "ms";
    return significant(ns / 1e9, 4) + "s";
}

std::string percent_text(double share) { return std::isfinite(share) ? fixed(100 * share, 1) : "-"; }

std::string short_text(double value) {
    if (!std::isfinite(value)) return "-";
    if (value == 0) return "0";
    const double size = std::abs(value);
    if (size >= 1e12 || size < 0.0001) return number_12(std::stod(significant(value, 4)));
    return significant(value, 4);
}

}  // namespace forksim
