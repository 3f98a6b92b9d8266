#include "analysis/export/listing_text.hpp"

#include <algorithm>
#include <string_view>

#include "analysis/export/numbers.hpp"
#include "analysis/export/text_table.hpp"

namespace forksim {
namespace {

using Pairs = std::vector<std::pair<std::string, std::string>>;

std::string line(std::string_view label, std::string_view text) { return wrapped(padded_right(label, 11), text); }

/// "key value, key value"
std::string joined(const Pairs& pairs) {
    std::string text;
    for (const auto& [key, value] : pairs) text += (text.empty() ? "" : ", ") + key + ' ' + value;
    return text;
}

std::string joined(const std::vector<std::string>& names, std::string_view by) {
    std::string text;
    for (const std::string& name : names) text.append(text.empty() ? "" : by).append(name);
    return text;
}

/// Adds `part` behind `by` unless one of the two is empty.
void add(std::string& text, std::string_view by, std::string_view part) {
    if (part.empty()) return;
    if (!text.empty()) text += by;
    text += part;
}

std::string head_text(const Listing& listing) {
    const Banner& b = listing.banner;
    const Measure& m = listing.measure;
    std::string text = line("scenario", b.scenario);
    text += line("base", b.kernel + (b.base_patches.empty() ? "" : " + ") + joined(b.base_patches, " + "));
    text += line("patches", b.patches.empty() ? "none" : joined(b.patches, ", "));
    if (!b.sets.empty()) text += line("set", joined(b.sets, ", "));
    text += line("platform", b.platform) + line("", b.composition);
    std::string replications = std::to_string(m.replications_min);
    if (m.replications_max != m.replications_min) replications += ".." + std::to_string(m.replications_max);
    text += line("measure", time_text(static_cast<double>(m.duration.ps)) + " after " +
                                time_text(static_cast<double>(m.warmup.ps)) + " of warm-up, " + replications +
                                " replications, precision " + number_12(100 * m.precision) + " %, seed " +
                                std::to_string(m.seed));
    text += line("hash", listing.hash);
    for (const std::string& note : listing.notes) text += line("note", note);
    return text + line("config", joined(listing.config));
}

std::string objects_text(const std::vector<ShownObject>& objects) {
    std::string text;
    for (const std::string_view what : {"lock", "line", "object", "pool"}) {
        std::string block;
        for (const ShownObject& object : objects) {
            if (object.what == what) block += wrapped("  " + object.name + ' ', joined(object.keys));
        }
        if (!block.empty()) text += '\n' + std::string(what) + "s\n" + block;
    }
    return text;
}

/// Behind the kind of a step: its name, what it names, its value and where that comes from.
std::string step_text(const ShownStep& step) {
    std::string text = step.name;
    std::string what = step.lock;
    add(what, " ", step.mode);
    add(what, " ", step.value);
    add(text, ": ", what);
    std::string source = step.source;
    add(source, " ", step.range);
    if (!source.empty()) add(text, " ", '(' + source + ')');
    if (!step.touches.empty()) add(text, "; ", "touches " + step.touches);
    if (!step.when.empty()) add(text, "; ", "when " + step.when);
    return text;
}

std::string function_text(const ShownFunction& function) {
    std::string text = wrapped(
        "  ", function.name + (function.callers.empty() ? "" : ", called by ") + joined(function.callers, ", "));
    for (const ShownStep& step : function.steps) {
        const auto depth = static_cast<std::size_t>(std::clamp(step.depth, 0, 12));
        if (!step.block.empty()) text += std::string(3 + 2 * depth, ' ') + shortened(step.block, 40) + ":\n";
        text += wrapped(std::string(4 + 2 * depth, ' ') + step.kind + ' ', step_text(step));
    }
    return text;
}

std::string functions_text(const std::vector<ShownFunction>& functions) {
    std::string text;
    std::string_view context;
    for (const ShownFunction& function : functions) {
        if (function.context != context) text += "\nin the context of: " + function.context + '\n';
        context = function.context;
        text += function_text(function);
    }
    return text;
}

std::string sites_text(const std::vector<ShownSite>& sites) {
    std::vector<ListedFile> rows;
    for (const ShownSite& site : sites) {
        std::string lock = site.lock.empty() ? "no lock" : site.lock;
        add(lock, " ", site.mode);
        if (!site.caller.empty()) add(lock, ", ", "called by " + site.caller);
        rows.push_back({site.name, lock});
    }
    return rows.empty() ? "" : "\nsites\n" + files_text(rows, 2);
}

}  // namespace

std::string listing_text(const Listing& listing) {
    return head_text(listing) + objects_text(listing.objects) + functions_text(listing.functions) +
           sites_text(listing.sites);
}

std::string files_text(std::span<const ListedFile> files, std::size_t indent) {
    constexpr std::size_t widest = 30;
    std::size_t width = 0;
    for (const ListedFile& file : files) width = std::max(width, std::min(file.name.size(), widest));
    std::string text;
    for (const ListedFile& file : files) {
        const std::string name = padded_right(file.name, width) + "  ";
        text += wrapped(std::string(indent, ' ') + name, file.about);
    }
    return text;
}

}  // namespace forksim
