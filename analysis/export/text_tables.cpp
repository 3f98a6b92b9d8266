#include <algorithm>

#include "analysis/export/leading.hpp"
#include "analysis/export/numbers.hpp"
#include "analysis/export/text.hpp"
#include "analysis/export/text_table.hpp"

namespace forksim {
namespace {

std::string contended_text(const Usage& u) {
    return percent_text(static_cast<double>(u.contended) / static_cast<double>(u.acquisitions));
}

std::vector<std::string> use_cells(std::string name, const Usage& u) {
    return {std::move(name),
            short_text(u.per_op),
            contended_text(u),
            time_text(u.hold.mean_ps),
            time_text(u.serial_ps_per_op),
            percent_text(u.utilization),
            percent_text(u.critical_share)};
}

std::vector<std::string> duration_cells(std::string name, const Durations& d) {
    const auto exact = [&](std::int64_t ps) {
        return d.detailed && d.count > 0 ? time_text(static_cast<double>(ps)) : std::string("-");
    };
    return {std::move(name),
            time_text(static_cast<double>(d.sum_ps)),
            d.count > 0 ? time_text(d.mean_ps) : "-",
            exact(d.p50_ps),
            exact(d.p99_ps),
            exact(d.max_ps)};
}

/// A line below a site: how often its reads began anew, per operation.
std::vector<std::string> retry_cells(std::uint64_t retries, std::uint64_t operations) {
    const double per_op = operations > 0 ? static_cast<double>(retries) / static_cast<double>(operations) : unknown;
    return {"    retries", short_text(per_op), "-", "-", "-", "-", "-"};
}

/// A line below a site: the time that its waits spent on one thing; the mean is over all waits.
std::vector<std::string> part_cells(const WaitPart& part, std::uint64_t waits) {
    const auto sum = static_cast<double>(part.sum_ps);
    return {"    " + part.name, time_text(sum), time_text(sum / static_cast<double>(waits)), "-", "-", "-"};
}

std::string site_label(const SiteResult& s, bool several) {
    if (several && s.caller != all_callers) return "    by " + (s.caller.empty() ? "none" : s.caller);
    return "  " + s.site + (s.mode == "read" ? " R" : s.mode == "write" ? " W" : "");
}

/// Calls add(label, usage) for each site, below the title of its lock, locks in the order of their demand.
template <class Add>
void for_each_site(const Result& r, TextTable& table, bool contended_only, Add add) {
    for (const LockResult* lock : by_demand(r)) {
        if (contended_only && lock->usage.contended == 0) continue;
        table.add_title(lock->lock);
        std::string_view with_callers;  // the site whose callers are being listed
        for (const SiteResult& site : r.sites) {
            if (site.lock != lock->lock || (contended_only && site.usage.contended == 0)) continue;
            if (site.caller == all_callers) with_callers = site.site;
            add(site_label(site, site.site == with_callers), site.usage);
        }
    }
}

std::vector<std::string> use_heading(std::string name) {
    return {std::move(name), "acq/op", "cont.%", "hold", "serial/op", "util.%", "crit.%"};
}

std::vector<std::string> wait_heading(std::string name) {
    return {std::move(name), "waited", "mean", "p50", "p99", "max"};
}

}  // namespace

std::string lock_tables(const Result& r) {
    if (r.locks.empty()) return "";
    TextTable use(use_heading("locks"));
    TextTable waiting(wait_heading("waits at locks"));
    for (const LockResult* lock : by_demand(r)) {
        use.add(use_cells(lock->lock, lock->usage));
        if (lock->usage.contended > 0) waiting.add(duration_cells(lock->lock, lock->usage.wait));
    }
    return use.text() + (waiting.empty() ? "" : '\n' + waiting.text());
}

std::string site_tables(const Result& r) {
    if (r.sites.empty()) return "";
    TextTable use(use_heading("sites"));
    TextTable waiting(wait_heading("waits at sites"));
    for_each_site(r, use, false, [&](std::string label, const Usage& u) {
        use.add(use_cells(std::move(label), u));
        if (u.retries.value_or(0) > 0) use.add(retry_cells(*u.retries, r.operations));
    });
    for_each_site(r, waiting, true, [&](std::string label, const Usage& u) {
        waiting.add(duration_cells(std::move(label), u.wait));
        for (const WaitPart& part : u.wait_parts) {
            if (part.sum_ps > 0) waiting.add(part_cells(part, u.contended));
        }
    });
    return use.text() + (waiting.empty() ? "" : '\n' + waiting.text());
}

std::string path_table(const Result& r) {
    if (r.paths.empty()) return "";
    TextTable table({"paths", "count", "mean", "p50", "p90", "p99", "p99.9", "max"});
    for (const PathResult& p : r.paths) {
        const Durations& d = p.latency;
        const auto cell = [](std::int64_t ps) { return time_text(static_cast<double>(ps)); };
        table.add({p.path, std::to_string(d.count), time_text(d.mean_ps), cell(d.p50_ps), cell(d.p90_ps),
                   cell(d.p99_ps), cell(d.p999_ps), cell(d.max_ps)});
    }
    return table.text();
}

}  // namespace forksim
