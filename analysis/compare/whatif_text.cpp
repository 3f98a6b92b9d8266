#include <algorithm>
#include <cmath>
#include <cstdio>

#include "analysis/compare/whatif.hpp"
#include "analysis/export/build_result.hpp"
#include "analysis/export/leading.hpp"
#include "analysis/export/numbers.hpp"
#include "analysis/export/text_table.hpp"

namespace forksim {
namespace {

std::string line(std::string_view label, std::string_view text) { return wrapped(padded_right(label, 11), text); }

std::string label_of(std::size_t variant) { return "(" + std::to_string(variant + 1) + ")"; }

/// "+1.2", "-28": a difference in percent with its sign, three digits or so.
std::string signed_text(double percent) {
    if (!std::isfinite(percent)) return "-";
    char text[32];
    const double size = std::abs(percent);
    std::snprintf(text, sizeof text, size >= 99.95 ? "%+.0f" : size >= 0.995 ? "%+.1f" : "%+.2f", percent);
    return text;
}

std::string range_text(double low, double high) {
    if (!std::isfinite(low) || !std::isfinite(high)) return "-";
    return signed_text(low) + ".." + signed_text(high);
}

std::string patches_text(const RunInfo& run) {
    std::string text = run.kernel;
    for (const std::string& patch : run.base_patches) text += " + " + patch;
    for (const std::string& patch : run.patches) text += " + " + patch;
    return text + ", preempt " + name_of(run.preempt);
}

std::string heading(const Whatif& whatif) {
    const WhatifPoint& first = whatif.points.front();
    const RunInfo& run = first.base.run;
    std::string text =
        line("what if", run.scenario + ", seed " + std::to_string(run.seed) + " (forksim " + run.version + ")");
    text += line("base", patches_text(run));
    for (const std::string& set : run.settings) text += line("", "with " + set);
    if (whatif.ranked) {
        text += line("variants",
                     "each acquisition removed, ranked by what that gains; those that gained most "
                     "in a first look have the most replications");
    } else {
        for (std::size_t i = 0; i < first.variants.size(); ++i)
            text += line(i == 0 ? "variants" : "", label_of(i) + " " + first.variants[i].name);
    }
    if (whatif.removes) {
        text +=
            line("removal", whatif.with_work ? "the lock and all that was done under it go"
                                             : "the lock goes; its hold and the lines it touches stay, as "
                                               "accesses that each line serves one by one (--with-work drops them)");
    }
    for (const WhatifPoint& point : whatif.points)
        text += line(&point == &first ? "machines" : "", point.base.run.platform + ", " + point.base.run.composition);
    text += line("window", time_text(static_cast<double>(run.duration.ps)) + " after " +
                               time_text(static_cast<double>(run.warmup.ps)) +
                               " of warm-up; the same draws in base and variants");
    return text;
}

/// Widths of the columns of the main table, which add up to text_width.
std::string row(std::string_view cpus, std::string_view name, std::string_view throughput, std::string_view difference,
                std::string_view sampling, std::string_view model, std::string_view verdict) {
    std::string text = padded_left(cpus, 4) + ' ' + padded_right(name, 4) + padded_left(throughput, 10) +
                       padded_left(difference, 8) + padded_left(sampling, 14) + padded_left(model, 14) + "  " +
                       std::string(verdict);
    return text.erase(text.find_last_not_of(' ') + 1) + '\n';
}

std::string main_table(const Whatif& whatif) {
    const Result& first = whatif.points.front().base;
    std::string text = row("cpus", "", first.unit, "diff. %", "sampling", "model", "verdict");
    for (const WhatifPoint& point : whatif.points) {
        text += row(std::to_string(point.cpus), "base", short_text(point.base.throughput.mean), "", "", "", "");
        for (std::size_t i = 0; i < point.variants.size(); ++i) {
            const WhatifVariant& v = point.variants[i];
            const PairedDifference& d = v.difference;
            text += row("", label_of(i), short_text(v.result.throughput.mean), signed_text(d.mean),
                        range_text(d.low(), d.high()),
                        v.model ? range_text(v.model->percent.low, v.model->percent.high) : "-", name_of(v.verdict));
            if (whatif.ranked) text += "          " + v.name.substr(v.name.find(' ') + 1) + '\n';
        }
    }
    return text;
}

std::string ratio_text(const WhatifPoint& point) {
    std::string text;
    for (std::size_t i = 0; i < point.variants.size() && i < 8; ++i) {
        const double ratio = point.variants[i].difference.variance_ratio;
        text += (text.empty() ? "" : ", ") + label_of(i) + " " + (std::isnan(ratio) ? "-" : short_text(ratio));
    }
    return text;
}

/// How the intervals came about.
std::string interval_notes(const Whatif& whatif) {
    std::string text = line("sampling", "95 % for all " + std::to_string(whatif.plan.comparisons) +
                                            " intervals together, Student t, paired replications; "
                                            "half-width wanted " +
                                            number_12(whatif.plan.precision) + " %");
    for (const WhatifPoint& point : whatif.points) {
        const bool cap = point.stopped == StopReason::cap;
        text += line("", std::to_string(point.cpus) + " CPUs: n " + std::to_string(point.base.throughput.n) +
                             (cap ? ", the most allowed: not reached" : "") +
                             "; variance saved by common draws, as a factor: " + ratio_text(point));
    }
    const WhatifPoint& first = whatif.points.front();
    if (first.world_replications > 0) {
        text += line("model", std::to_string(first.variants.front().model->percent.n) +
                                  " worlds, each of which meets the published figures; " +
                                  std::to_string(first.world_replications) +
                                  " short replications in each, sampling variance taken out");
    } else if (first.base.run.worlds > 0) {
        text += line("model", "world " + std::to_string(first.base.run.world) +
                                  " only: what the unmeasured numbers leave open is not in these intervals");
    } else {
        text += line("model", "no worlds: what the model itself may be wrong by is not in these intervals");
    }
    text += line("verdict", "of both intervals; equal: within +-" + number_12(whatif.margin) +
                                " %; identical: no difference in any replication");
    return text;
}

double waited(const Result& result) {
    double sum = 0;
    for (const LockResult& lock : result.locks) sum += static_cast<double>(lock.usage.wait.sum_ps);
    return sum;
}

std::vector<std::string> usage_cells(std::string name, const Usage& u, double all_waits) {
    const double waits = static_cast<double>(u.wait.sum_ps);
    return {std::move(name),
            short_text(u.per_op),
            std::isnan(u.serial_ps_per_op) ? "-" : time_text(u.serial_ps_per_op),
            all_waits > 0 ? percent_text(waits / all_waits) : "-",
            percent_text(u.utilization),
            percent_text(u.critical_share)};
}

const Usage* find_lock(const Result& result, const std::string& name) {
    for (const LockResult& lock : result.locks)
        if (lock.lock == name) return &lock.usage;
    return nullptr;
}

const SiteResult* find_site(const Result& result, const SiteResult& like) {
    for (const SiteResult& site : result.sites)
        if (site.site == like.site && site.caller == like.caller) return &site;
    return nullptr;
}

/// Does it matter to anybody, before or after?
bool matters(const Usage& u, double all_waits) {
    return u.critical_share >= 0.01 || (all_waits > 0 && static_cast<double>(u.wait.sum_ps) >= 0.02 * all_waits);
}

/// How base and variants use the locks, one below the other.
std::string lock_table(const WhatifPoint& point) {
    TextTable table({"where it went, " + std::to_string(point.cpus) + " CPUs", "acq/op", "serial/op", "waits%",
                     "util.%", "crit.%"});
    std::vector<std::string> names;
    const auto collect = [&](const Result& result) {
        const double all = waited(result);
        for (const LockResult* lock : by_demand(result)) {
            if (matters(lock->usage, all) && std::ranges::find(names, lock->lock) == names.end())
                names.push_back(lock->lock);
        }
    };
    collect(point.base);
    for (const WhatifVariant& v : point.variants) collect(v.result);
    for (const std::string& name : names) {
        table.add_title(name);
        const auto add = [&](const std::string& label, const Result& result) {
            const Usage* usage = find_lock(result, name);
            if (usage == nullptr) return table.add({"  " + label, "0", "-", "-", "-", "-"});
            table.add(usage_cells("  " + label, *usage, waited(result)));
        };
        add("base", point.base);
        for (std::size_t i = 0; i < point.variants.size(); ++i) add(label_of(i), point.variants[i].result);
    }
    return table.text();
}

/// The sites at which it changes most.
std::string site_table(const WhatifPoint& point) {
    TextTable table({"at sites", "acq/op", "waits%", "crit.%", "waits%", "crit.%"});
    bool any = false;
    for (std::size_t i = 0; i < point.variants.size(); ++i) {
        const Result& after = point.variants[i].result;
        const double before_waits = waited(point.base);
        const double after_waits = waited(after);
        table.add_title("base, then " + label_of(i));
        for (const SiteResult& site : point.base.sites) {
            if (site.caller == all_callers) continue;
            const SiteResult* same = find_site(after, site);
            const bool shown =
                matters(site.usage, before_waits) || (same != nullptr && matters(same->usage, after_waits));
            if (!shown) continue;
            any = true;
            const auto share = [](const Usage& u, double all) {
                return all > 0 ? percent_text(static_cast<double>(u.wait.sum_ps) / all) : "-";
            };
            table.add({"  " + site.site + (site.caller.empty() ? "" : " < " + site.caller),
                       same == nullptr ? "0" : short_text(same->usage.per_op), share(site.usage, before_waits),
                       percent_text(site.usage.critical_share), same == nullptr ? "-" : share(same->usage, after_waits),
                       same == nullptr ? "-" : percent_text(same->usage.critical_share)});
        }
    }
    return any ? table.text() : "";
}

/// "pidmap_lock 2.1us, tasklist_lock 517ns"
std::string order_text(const Result& result) {
    std::string text;
    std::size_t count = 0;
    for (const LockResult* lock : by_demand(result)) {
        if (!(lock->usage.serial_ps_per_op > 0) || ++count > 3) break;
        text += (text.empty() ? "" : ", ") + lock->lock + " " + time_text(lock->usage.serial_ps_per_op);
    }
    const Leading leading = leading_demand(result);
    if (!leading.rivals.empty()) text += "; order not resolved: less than 15 % apart";
    return text.empty() ? "no lock serialises anything" : text;
}

std::string leaders_text(const Leaders& leaders) {
    std::string text;
    for (const auto& [lock, worlds] : leaders)
        text += (text.empty() ? "first over the worlds: " : ", ") + lock + " " + std::to_string(worlds);
    return text;
}

/// Which lock bounds the throughput, before and after.
std::string bottleneck_text(const WhatifPoint& point) {
    std::string text = line("demand", "base: " + order_text(point.base));
    if (!point.base_leaders.empty()) text += line("", leaders_text(point.base_leaders));
    const Leading before = leading_demand(point.base);
    for (std::size_t i = 0; i < point.variants.size(); ++i) {
        const WhatifVariant& v = point.variants[i];
        const Leading after = leading_demand(v.result);
        const bool moves = before.first != nullptr && after.first != nullptr && before.first->lock != after.first->lock;
        text += line("", label_of(i) + " " + order_text(v.result) +
                             (moves ? "; the first place moves to " + after.first->lock : ""));
        if (v.model && !v.model->leaders.empty()) text += line("", leaders_text(v.model->leaders));
    }
    return text;
}

}  // namespace

std::string whatif_text(const Whatif& whatif) {
    std::string text = heading(whatif) + '\n' + main_table(whatif) + '\n' + interval_notes(whatif);
    for (const std::string& note : whatif.notes) text += line("note", note);
    for (const std::string& warning : whatif.warnings) text += line("warning", warning);
    for (const WhatifPoint& point : whatif.points) {
        if (!whatif.ranked) {
            text += '\n' + lock_table(point) + '\n' + site_table(point) + '\n' + bottleneck_text(point);
            for (std::size_t i = 0; i < point.variants.size(); ++i) {
                if (!point.variants[i].explanation) continue;
                text += '\n' + line("explained", "base to " + label_of(i) + " " + point.variants[i].name);
                text += explanation_text(*point.variants[i].explanation);
            }
        }
        if (point.trust) text += '\n' + trust_text(*point.trust);
    }
    return text;
}

}  // namespace forksim
