#include "scenarios/diagnostics.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>

namespace forksim {
namespace {

/// Number of insertions, removals, changes and swaps of neighbours between two words.
std::size_t edit_distance(std::string_view a, std::string_view b) {
    std::vector<std::vector<std::size_t>> d(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
    for (std::size_t i = 0; i <= a.size(); ++i) d[i][0] = i;
    for (std::size_t j = 0; j <= b.size(); ++j) d[0][j] = j;
    for (std::size_t i = 1; i <= a.size(); ++i) {
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t change = d[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
            d[i][j] = std::min({d[i - 1][j] + 1, d[i][j - 1] + 1, change});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
                d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
            }
        }
    }
    return d[a.size()][b.size()];
}

std::string all_lines(const std::vector<Diagnostic>& found) {
    std::string text;
    for (const Diagnostic& one : found) {
        if (!text.empty()) text += '\n';
        text += one.text();
    }
    return text;
}

std::vector<Diagnostic> in_order(std::vector<Diagnostic> found) {
    std::map<std::string, std::size_t> first_seen;
    for (const Diagnostic& one : found) first_seen.try_emplace(one.file, first_seen.size());
    std::stable_sort(found.begin(), found.end(), [&](const Diagnostic& a, const Diagnostic& b) {
        return std::tuple(first_seen.at(a.file), a.line, a.column) <
               std::tuple(first_seen.at(b.file), b.line, b.column);
    });
    return found;
}

}  // namespace

std::string Diagnostic::text() const {
    std::string where = file;
    if (line > 0) where.append(":").append(std::to_string(line)).append(":").append(std::to_string(column));
    if (!where.empty()) where += ": ";
    where += message;
    if (!hint.empty()) where.append(" (").append(hint).append(")");
    return where;
}

LanguageError::LanguageError(std::vector<Diagnostic> found)
    : InputError(all_lines(in_order(found))), diagnostics(in_order(std::move(found))) {}

void Diagnostics::add(const Mark& mark, std::string message, std::string hint) {
    Diagnostic one{mark.file ? *mark.file : "", mark.line, mark.column, std::move(message), std::move(hint)};
    if (texts_.insert(one.text()).second) found_.push_back(std::move(one));
}

void Diagnostics::throw_if_any() const {
    if (!found_.empty()) throw LanguageError(found_);
}

std::string nearest(std::string_view name, const std::vector<std::string>& candidates) {
    const std::string_view asked = name.substr(0, 64);
    std::string best;
    std::size_t best_distance = std::min(std::max<std::size_t>(1, asked.size() / 3) + 1, asked.size());
    for (const std::string& candidate : candidates) {
        if (candidate.size() > 96) continue;
        std::size_t distance = edit_distance(asked, candidate);
        const bool part = asked.size() >= 3 && (candidate.find(asked) != std::string::npos ||
                                                (candidate.size() >= 3 && asked.find(candidate) != std::string::npos));
        if (part) distance = std::min(distance, best_distance - 1);
        if (distance < best_distance) {
            best_distance = distance;
            best = candidate;
        }
    }
    return best;
}

std::string suggestion(std::string_view name, const std::vector<std::string>& candidates) {
    if (const std::string best = nearest(name, candidates); !best.empty()) return "did you mean '" + best + "'?";
    if (candidates.empty() || candidates.size() > 12) return {};
    std::string list = "known: ";
    for (const std::string& candidate : candidates) list += (list.size() > 7 ? ", " : "") + candidate;
    return list;
}

std::string shown(std::string_view text) {
    constexpr std::size_t most = 48;
    std::string result = "'";
    for (const char c : text.substr(0, most)) result += static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? '?' : c;
    while (text.size() > most && result.size() > 1 && (static_cast<unsigned char>(result.back()) & 0x80) != 0) {
        result.pop_back();
    }
    result += text.size() > most ? "...'" : "'";
    return result;
}

}  // namespace forksim
