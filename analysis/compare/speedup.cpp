#include "analysis/compare/speedup.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "analysis/export/json.hpp"
#include "analysis/export/numbers.hpp"
#include "analysis/export/text_table.hpp"

namespace forksim {
namespace {

std::string percent_of(double value) {
    if (!std::isfinite(value)) return "-";
    char text[32];
    std::snprintf(text, sizeof text, "%+.1f", value);
    return text;
}

/// A bar of throughput, as long as the fastest step's is.
std::string bar(double throughput, double fastest) {
    constexpr double width = 24;
    const double length = fastest > 0 ? width * throughput / fastest : 0;
    return std::string(static_cast<std::size_t>(length + 0.5), '#');
}

std::string row(std::string_view hold, std::string_view throughput, std::string_view difference,
                std::string_view interval, std::string_view predicted, std::string_view plot) {
    std::string text = padded_left(hold, 5) + padded_left(throughput, 10) + padded_left(difference, 8) +
                       padded_left(interval, 15) + padded_left(predicted, 8) + "  " + std::string(plot);
    return text.erase(text.find_last_not_of(' ') + 1) + '\n';
}

std::string curve_text(const SpeedupPoint& point, const SpeedupCurve& curve, const Speedup& speedup) {
    double fastest = point.base.throughput.mean;
    for (const SpeedupStep& step : curve.steps) fastest = std::max(fastest, step.throughput.mean);
    std::string text = wrapped(padded_right("site", 11), curve.name + ", " + std::to_string(point.cpus) + " CPUs");
    text += row("hold%", point.base.unit, "diff. %", "sampling", "share", "");
    text += row("100", short_text(point.base.throughput.mean), "", "", "", bar(point.base.throughput.mean, fastest));
    for (const SpeedupStep& step : curve.steps) {
        const PairedDifference& d = step.difference;
        text += row(short_text(100 * step.factor), short_text(step.throughput.mean), percent_of(d.mean),
                    percent_of(d.low()) + ".." + percent_of(d.high()), percent_of(step.predicted_percent),
                    bar(step.throughput.mean, fastest));
    }
    const double pays = pays_down_to(curve, speedup.margin);
    text += wrapped(padded_right("pays", 11),
                    pays == 1 ? "not at all: no step gains more than " + number_12(speedup.margin) + " %"
                    : pays == 0
                        ? "all the way down"
                        : "down to " + short_text(100 * pays) + " % of the hold; behind that a step gains less than " +
                              number_12(speedup.margin) + " %");
    return text;
}

}  // namespace

double pays_down_to(const SpeedupCurve& curve, double margin) {
    double pays = 1;
    double before = 0;
    for (const SpeedupStep& step : curve.steps) {
        if (step.difference.mean - before > margin) pays = step.factor;
        before = step.difference.mean;
    }
    return pays;
}

double predicted_percent(double share, double factor) { return 100 * (1 / (1 - share * (1 - factor)) - 1); }

std::string speedup_text(const Speedup& speedup) {
    const RunInfo& run = speedup.points.front().base.run;
    std::string text = wrapped(padded_right("speedup", 11),
                               run.scenario + ", seed " + std::to_string(run.seed) + " (forksim " + run.version + ")");
    std::string base = run.kernel;
    for (const std::string& patch : run.base_patches) base += " + " + patch;
    text += wrapped(padded_right("base", 11), base);
    for (const std::string& set : run.settings) text += wrapped(padded_right("", 11), "with " + set);
    text += wrapped(padded_right("sampling", 11), "95 % for all " + std::to_string(speedup.plan.comparisons) +
                                                      " intervals together, paired replications, n " +
                                                      std::to_string(speedup.points.front().base.throughput.n));
    text += wrapped(padded_right("share", 11), "what the critical share of these holds in the base predicts");
    text += wrapped(padded_right("model", 11), "world " + std::to_string(run.world) + " only");
    for (const std::string& note : speedup.notes) text += wrapped(padded_right("note", 11), note);
    if (speedup.interrupted) text += wrapped(padded_right("warning", 11), "interrupted: some of it is missing");
    for (const SpeedupPoint& point : speedup.points) {
        for (const SpeedupCurve& curve : point.curves) text += '\n' + curve_text(point, curve, speedup);
    }
    return text;
}

std::string speedup_json(const Speedup& speedup) {
    constexpr auto one_line = JsonWriter::Layout::one_line;
    JsonWriter json;
    json.begin_object().key("schema").string("forksim-speedup/1");
    json.key("confidence").real(confidence).key("comparisons").integer(speedup.plan.comparisons);
    json.key("margin_percent").real(speedup.margin);
    json.key("points").begin_array();
    for (const SpeedupPoint& point : speedup.points) {
        json.begin_object().key("cpus").integer(point.cpus).key("sites").begin_array();
        for (const SpeedupCurve& curve : point.curves) {
            json.begin_object().key("site").string(curve.name).key("hold_share").real(curve.hold_share);
            json.key("pays_down_to").real(pays_down_to(curve, speedup.margin));
            json.key("steps").begin_array();
            for (const SpeedupStep& step : curve.steps) {
                const PairedDifference& d = step.difference;
                json.begin_object(one_line).key("factor").real(step.factor);
                json.key("throughput").real(step.throughput.mean).key("ci95").real(step.throughput.half_width);
                json.key("diff_percent").real(d.mean).key("low").real(d.low()).key("high").real(d.high());
                json.key("predicted_percent").real(step.predicted_percent).key("n").integer(d.n).end();
            }
            json.end().end();
        }
        json.end().key("base");
        write_result(json, point.base, {});
        json.end();
    }
    json.end();
    json.key("notes").begin_array();
    for (const std::string& note : speedup.notes) json.string(note);
    json.end().end();
    return json.text();
}

std::string speedup_csv(const Speedup& speedup) {
    std::string out = "cpus,site,factor,metric,value\n";
    for (const SpeedupPoint& point : speedup.points) {
        for (const SpeedupCurve& curve : point.curves) {
            for (const SpeedupStep& step : curve.steps) {
                const auto real = [&](const char* metric, double value) {
                    if (!std::isfinite(value)) return;
                    out += std::to_string(point.cpus) + ',' + curve.name + ',' + number_12(step.factor) + ',' + metric +
                           ',' + number_12(value) + '\n';
                };
                real("throughput", step.throughput.mean);
                real("diff_percent", step.difference.mean);
                real("low_percent", step.difference.low());
                real("high_percent", step.difference.high());
                real("predicted_percent", step.predicted_percent);
            }
        }
    }
    return out;
}

}  // namespace forksim
