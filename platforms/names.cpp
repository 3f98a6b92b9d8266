#include "platforms/names.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

namespace forksim {
namespace {

/// Letters inserted, deleted or replaced (Levenshtein).
std::size_t edit_distance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 0; i < a.size(); ++i) {
        std::size_t diagonal = row[0];
        row[0] = i + 1;
        for (std::size_t j = 0; j < b.size(); ++j) {
            const std::size_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
            diagonal = row[j + 1];
            row[j + 1] = std::min({replaced, row[j] + 1, row[j + 1] + 1});
        }
    }
    return row[b.size()];
}

}  // namespace

std::string did_you_mean(std::string_view wrong, std::span<const std::string> known) {
    if (wrong.size() > 64) return "";
    std::size_t best = std::max<std::size_t>(2, wrong.size() / 3) + 1;
    std::string_view nearest;
    for (const std::string& name : known) {
        const std::size_t distance = edit_distance(wrong, name);
        if (distance < best) {
            best = distance;
            nearest = name;
        }
    }
    return nearest.empty() ? "" : "; did you mean '" + std::string(nearest) + "'?";
}

bool is_platform_name(std::string_view name) {
    constexpr std::string_view allowed = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";
    return !name.empty() && name.size() <= 100 && name.find_first_not_of(allowed) == std::string_view::npos;
}

}  // namespace forksim
