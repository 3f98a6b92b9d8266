#include "analysis/export/text.hpp"

#include <cmath>
#include <initializer_list>
#include <utility>

#include "analysis/export/leading.hpp"
#include "analysis/export/numbers.hpp"
#include "analysis/export/text_table.hpp"

namespace forksim {
namespace {

std::string line(std::string_view label, std::string_view text) { return wrapped(padded_right(label, 11), text); }

std::string joined(const std::vector<std::string>& names, std::string_view by) {
    std::string text;
    for (const std::string& name : names) text.append(text.empty() ? "" : by).append(name);
    return text;
}

std::string percent_of(double precision) { return short_text(100 * precision) + " %"; }

/// "+-123 (0.42 %): 95 % sampling interval"
std::string interval_text(const Estimate& e) {
    if (!std::isfinite(e.half_width)) return "no sampling interval from one replication";
    const std::string share = e.mean == 0 ? "" : " (" + percent_of(e.half_width / std::abs(e.mean)) + ")";
    return "+-" + short_text(e.half_width) + share + ": 95 % sampling interval";
}

std::string reason_text(const Result& r) {
    const std::string precision = number_12(100 * r.run.plan.precision) + " %";
    switch (r.stopped) {
        case StopReason::precise:
            return "stopped: within " + precision + ", and still so " + std::to_string(r.run.plan.look_ahead) +
                   " replications later";
        case StopReason::cap:
            return "stopped at the most replications allowed; " + precision + " was wanted and not reached";
        case StopReason::fixed:
            return "as many replications as were asked for";
        case StopReason::interrupted:
            return "interrupted before the end; " + precision + " was wanted";
        case StopReason::not_yet:
            break;
    }
    return "";
}

using Parts = std::initializer_list<std::pair<const char*, double>>;

std::string shares(Parts parts) {
    std::string text;
    for (const auto& [name, share] : parts) {
        if (share != 0) text += (text.empty() ? "" : ", ") + std::string(name) + ' ' + percent_text(share) + " %";
    }
    return text;
}

}  // namespace

std::string banner_text(const RunInfo& run) {
    std::string text =
        line("seed", std::to_string(run.seed) + " (forksim " + run.version + ", engine " + run.engine + ", ties by " +
                         (run.tie_break == TieBreak::random ? "chance" : "CPU number") + ")");
    text += line("scenario", run.scenario);
    text += line("base", run.kernel + (run.base_patches.empty() ? "" : " + ") + joined(run.base_patches, " + ") +
                             ", preempt " + name_of(run.preempt));
    text += line("patches", run.patches.empty() ? "none" : joined(run.patches, ", "));
    if (!run.settings.empty()) text += line("set", joined(run.settings, ", "));
    text += line("platform", run.platform);
    text += line("", run.composition);
    text += line("window", time_text(static_cast<double>(run.duration.ps)) + " after " +
                               time_text(static_cast<double>(run.warmup.ps)) + " of warm-up, per replication");
    text += line("hash", run.hash);
    return text;
}

namespace {

/// What the numbers that nobody has measured leave open.
std::string model_text(const Result& r) {
    if (r.worlds) {
        const Spread& spread = r.worlds->throughput;
        const std::string low = short_text(100 * (spread.low / r.throughput.mean - 1));
        const std::string high = short_text(100 * (spread.high / r.throughput.mean - 1));
        std::string text = line("model", short_text(spread.low) + " to " + short_text(spread.high) + " over " +
                                             std::to_string(spread.n) + " worlds (" + low + " to " + high + " %)");
        for (const auto& [lock, times] : r.worlds->leaders)
            text += line("", lock + " leads in " + std::to_string(times) + " of them");
        return text;
    }
    if (r.run.worlds == 0)
        return line("model", "no worlds: what the model itself may be wrong by is not in this interval");
    return line("model", "world " + std::to_string(r.run.world) + " of " + std::to_string(r.run.worlds) +
                             "; --worlds shows what its uncertain numbers leave open");
}

}  // namespace

std::string throughput_text(const Result& r) {
    std::string text = line("throughput", short_text(r.throughput.mean) + ' ' + r.unit);
    text += line("", interval_text(r.throughput) + ", n " + std::to_string(r.throughput.n));
    text += line("", reason_text(r));
    text += model_text(r);
    for (const CountResult& c : r.counts)
        text += line("count", c.name + ' ' + short_text(c.per_second.mean) + "/s " + interval_text(c.per_second));
    for (const std::string& note : r.notes) text += line("note", note);
    for (const std::string& warning : r.warnings) text += line("warning", warning);
    return text;
}

std::string demand_text(const Result& r) {
    const Leading leading = leading_demand(r);
    if (leading.first == nullptr) return "";
    std::string text =
        line("demand", leading.first->lock + " leads with " + time_text(leading.first->usage.serial_ps_per_op) +
                           " per operation: at most " + short_text(leading.bound_per_s) + ' ' + r.unit);
    if (leading.second == nullptr) return text;
    text += line("", "next " + leading.second->lock + " with " + time_text(leading.second->usage.serial_ps_per_op));
    if (leading.rivals.empty()) return text;
    std::string names;
    for (const LockResult* rival : leading.rivals) names += (names.empty() ? "" : ", ") + rival->lock;
    return text + line("", "which lock is first is not resolved: within 15 % of " + leading.first->lock +
                               (leading.rivals.size() == 1 ? " lies " : " lie ") + names);
}

std::string shares_text(const Result& r) {
    std::string text;
    if (r.cpu) {
        text += line("CPU time", shares({{"user", r.cpu->user},
                                         {"kernel", r.cpu->kernel},
                                         {"spin", r.cpu->spin},
                                         {"switch", r.cpu->context_switch},
                                         {"idle", r.cpu->idle}}));
    }
    if (r.critical_path) {
        const PathParts& p = *r.critical_path;
        text += line("critical", shares({{"holds", p.hold},
                                         {"lines", p.lines},
                                         {"hand-offs", p.handoff},
                                         {"kernel", p.kernel},
                                         {"user", p.user},
                                         {"switch", p.context_switch},
                                         {"wake-up", p.wake_up},
                                         {"interrupt", p.interrupt},
                                         {"asleep", p.asleep}}));
    }
    return text;
}

std::string anchor_text(const Result& r) {
    if (!r.anchor) return "";
    const PathParts& p = r.anchor->parts;
    std::string parts;
    for (const auto& [name, ps] : Parts{{"user", p.user},
                                        {"kernel outside sections", p.kernel},
                                        {"holds", p.hold},
                                        {"lines", p.lines},
                                        {"hand-offs", p.handoff},
                                        {"switch", p.context_switch},
                                        {"wake-up", p.wake_up},
                                        {"interrupt", p.interrupt},
                                        {"asleep", p.asleep}}) {
        if (ps != 0) parts += (parts.empty() ? "" : ", ") + std::string(name) + ' ' + time_text(ps);
    }
    return line("one task",
                time_text(r.anchor->length_ps) + " per operation alone on one CPU, nothing contended: " + parts);
}

std::string events_text(const Result& r) {
    std::string text = line("events", std::to_string(r.events) + ", ties " + std::to_string(r.ties) +
                                          ", ties at a cache line " + std::to_string(r.line_ties));
    if (!r.host) return text;
    return text + line("host", short_text(r.host->wall_s) + " s, " + short_text(r.host->events_per_s) + " events/s, " +
                                   short_text(r.host->ops_per_s) + " operations/s");
}

std::string to_text(const Result& r, std::span<const NamedHistogram> histograms) {
    std::string text = banner_text(r.run) + '\n' + throughput_text(r) + demand_text(r);
    for (const std::string& block : {lock_tables(r), site_tables(r), path_table(r)}) {
        if (!block.empty()) text += '\n' + block;
    }
    text += '\n' + shares_text(r) + anchor_text(r) + events_text(r);
    if (r.trust) text += trust_text(*r.trust);
    for (const NamedHistogram& histogram : histograms) text += '\n' + histogram_text(histogram);
    return text;
}

}  // namespace forksim
