#include "analysis/export/histogram_text.hpp"

#include <algorithm>
#include <bit>
#include <set>

#include "analysis/export/text_table.hpp"
#include "sim/uint128.hpp"

namespace forksim {
namespace {

/// 1024 as "1K", as bpftrace does.
std::string binary_number(std::uint64_t value) {
    std::string suffix;
    for (const char unit : {'K', 'M', 'G', 'T'}) {
        if (value < 1024 || value % 1024 != 0) break;
        value /= 1024;
        suffix = unit;
    }
    return std::to_string(value) + suffix;
}

std::string range_text(const Bar& bar) {
    if (bar.to - bar.from == 1) return '[' + binary_number(bar.from) + ']';
    return '[' + binary_number(bar.from) + ", " + binary_number(bar.to) + ')';
}

}  // namespace

std::vector<Bar> octaves_of(const Histogram& histogram) {
    std::vector<Bar> bars;
    histogram.for_each_bin([&](Time lowest, Time, std::uint64_t count) {
        const auto octave = std::bit_width(static_cast<std::uint64_t>(lowest.ps) / 1000);
        const std::uint64_t from = octave == 0 ? 0 : std::uint64_t{1} << (octave - 1);
        if (bars.empty()) bars.push_back({from, std::uint64_t{1} << octave, 0});
        while (bars.back().from != from)
            bars.push_back({bars.back().to, std::max<std::uint64_t>(2, 2 * bars.back().to), 0});
        bars.back().count += count;
    });
    return bars;
}

std::string histogram_text(const NamedHistogram& named) {
    std::string text = shortened("@" + named.name + " " + named.of + ", ns:", text_width) + '\n';
    const std::vector<Bar> bars = octaves_of(named.histogram);
    if (bars.empty()) return text + "(nothing counted)\n";
    std::uint64_t most = 1;
    for (const Bar& bar : bars) most = std::max(most, bar.count);
    const std::size_t count_width = std::max<std::size_t>(8, std::to_string(most).size());
    const std::size_t bar_width = text_width - 16 - count_width - 3;
    for (const Bar& bar : bars) {
        const auto length = static_cast<std::size_t>(uint128{bar.count} * bar_width / most);
        text += padded_right(range_text(bar), 16) + padded_left(std::to_string(bar.count), count_width) + " |" +
                padded_right(std::string(length, '@'), bar_width) + "|\n";
    }
    return text;
}

}  // namespace forksim
