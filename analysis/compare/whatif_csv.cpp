#include <cmath>

#include "analysis/compare/whatif.hpp"
#include "analysis/export/csv.hpp"
#include "analysis/export/numbers.hpp"

namespace forksim {
namespace {

std::string quoted(const std::string& text) {
    std::string field = "\"";
    for (const char c : text) {
        if (c == '"') field += c;
        field += c;
    }
    return field + '"';
}

/// The lines of a result, behind what they belong to.
void add_result(std::string& out, const std::string& prefix, const Result& result) {
    const std::string lines = to_csv(result);
    std::size_t from = lines.find('\n') + 1;  // behind the heading
    while (from < lines.size()) {
        const std::size_t to = lines.find('\n', from) + 1;
        out.append(prefix).append(lines, from, to - from);
        from = to;
    }
}

void add_difference(std::string& out, const std::string& prefix, const WhatifVariant& variant) {
    const auto real = [&](const char* metric, double value) {
        if (std::isfinite(value))
            out.append(prefix).append("difference,,,").append(metric).append(",").append(number_12(value)).append("\n");
    };
    real("mean_percent", variant.difference.mean);
    real("low_percent", variant.difference.low());
    real("high_percent", variant.difference.high());
    if (variant.model) {
        real("model_low_percent", variant.model->percent.low);
        real("model_high_percent", variant.model->percent.high);
    }
    real("n", variant.difference.n);
    real("variance_ratio", variant.difference.variance_ratio);
    out.append(prefix).append("difference,,,verdict,").append(name_of(variant.verdict)).append("\n");
}

}  // namespace

std::string whatif_csv(const Whatif& whatif) {
    std::string out = "cpus,variant,table,name,caller,metric,value\n";
    for (const WhatifPoint& point : whatif.points) {
        const std::string cpus = std::to_string(point.cpus) + ',';
        add_result(out, cpus + "base,", point.base);
        for (const WhatifVariant& variant : point.variants) {
            add_difference(out, cpus + quoted(variant.name) + ',', variant);
            add_result(out, cpus + quoted(variant.name) + ',', variant.result);
        }
    }
    return out;
}

}  // namespace forksim
