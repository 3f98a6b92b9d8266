#include "analysis/export/build_result.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "analysis/export/lives_needed.hpp"
#include "analysis/export/usage.hpp"
#include "analysis/export/warmup.hpp"
#include "sim/check.hpp"
#include "sim/critical_path.hpp"

namespace forksim {
namespace {

UsageScale scale_of(const Record& record) {
    UsageScale scale;
    if (!record.counts.empty()) scale.operations = record.counts[0];
    if (record.census_complete && !record.census_counts.empty()) scale.census_operations = record.census_counts[0];
    scale.window_ps = record.window.ps;
    scale.critical_ps = record.critical_length_ps;
    return scale;
}

bool is_shared(const Site& site) { return site.mode == "read"; }

void add_locks(Result& result, const RunSubject& subject, const Record& record, const SummedTimes* sums) {
    std::vector<UsageTally> tallies(subject.model.locks.size());
    for (std::uint32_t i = 0; i < subject.program.sites.size(); ++i) {
        const Site& site = subject.program.sites[i];
        if (site.resource >= 0) tallies[static_cast<std::size_t>(site.resource)].add(record, i, is_shared(site), sums);
    }
    for (std::size_t i = 0; i < tallies.size(); ++i) {
        if (!tallies[i].reached()) continue;
        const LockSpec& lock = subject.model.locks[i];
        Usage usage =
            tallies[i].usage(scale_of(record), instances_of(lock.per, subject), record.resources[i].busy_integral);
        tallies[i].add_details(usage, lock.kind);
        result.locks.push_back({lock.name, name_of(lock.kind), usage});
    }
    std::ranges::sort(result.locks, {}, &LockResult::lock);
}

struct SiteRow {
    const Site* site = nullptr;
    UsageTally tally;
};

void add_sites(Result& result, const RunSubject& subject, const Record& record, const SummedTimes* sums) {
    std::map<std::string_view, std::map<std::string_view, SiteRow>> rows;  // by site, by caller
    for (std::uint32_t i = 0; i < subject.program.sites.size(); ++i) {
        const Site& site = subject.program.sites[i];
        if (site.resource < 0 || record.sites[i].acquisitions == 0) continue;
        auto& callers = rows[site.name];
        for (const std::string_view caller : {std::string_view(all_callers), std::string_view(site.caller)}) {
            SiteRow& row = callers[caller];
            row.site = &site;
            row.tally.add(record, i, is_shared(site), sums);
        }
    }
    for (const auto& [name, callers] : rows) {
        const bool single = callers.size() == 2;  // the total and one caller
        for (const auto& [caller, row] : callers) {
            if (single && caller == all_callers) continue;
            const LockSpec& lock = subject.model.locks[static_cast<std::size_t>(row.site->resource)];
            Usage usage = row.tally.usage(scale_of(record), instances_of(lock.per, subject), row.tally.hold_ps());
            row.tally.add_details(usage, lock.kind);
            result.sites.push_back({std::string(name), std::string(caller), lock.name, row.site->mode, usage});
        }
    }
}

void add_counts(Result& result, const RunSubject& subject, const Record& record) {
    const double seconds = static_cast<double>((record.window / std::max(1u, record.replications)).ps) / 1e12;
    for (std::size_t i = 1; i < subject.program.counters.size(); ++i) {
        Sample sample;
        for (const auto& counts : record.counts_by_replication) sample.add(static_cast<double>(counts[i]) / seconds);
        result.counts.push_back({subject.program.counters[i], record.counts[i], sample.estimate()});
    }
    std::ranges::sort(result.counts, {}, &CountResult::name);
}

std::optional<CpuShares> cpu_shares(const Record& record) {
    std::int64_t total = 0;
    for (const std::int64_t ps : record.cpu_use_ps) total += ps;
    if (total == 0) return std::nullopt;
    const auto share = [&](CpuUse use) {
        return static_cast<double>(record.cpu_use_ps[static_cast<std::size_t>(use)]) / static_cast<double>(total);
    };
    return CpuShares{share(CpuUse::user), share(CpuUse::kernel), share(CpuUse::spin), share(CpuUse::context_switch),
                     share(CpuUse::idle)};
}

std::optional<PathParts> critical_shares(const Record& record) {
    if (record.critical_length_ps <= 0 || record.critical_path_ps.empty()) return std::nullopt;
    return critical_parts(record).divided_by(static_cast<double>(record.critical_length_ps));
}

}  // namespace

PathParts PathParts::divided_by(double by) const {
    return {user / by,           kernel / by,  hold / by,      lines / by, handoff / by,
            context_switch / by, wake_up / by, interrupt / by, asleep / by};
}

PathParts critical_parts(const Record& record) {
    const std::vector<std::int64_t>& ps = record.critical_path_ps;
    if (ps.empty()) return {};
    const auto plain = [&](PathTime kind) { return static_cast<double>(ps[CriticalPath::component(kind)]); };
    const auto summed = [&](Part part) {
        std::int64_t sum = 0;
        for (std::uint32_t site = 0; CriticalPath::component(site, part) < ps.size(); ++site)
            sum += ps[CriticalPath::component(site, part)];
        return static_cast<double>(sum);
    };
    PathParts parts;
    parts.user = plain(PathTime::user);
    parts.kernel = plain(PathTime::kernel);
    parts.hold = summed(Part::hold);
    parts.lines = summed(Part::lines);
    parts.handoff = summed(Part::handoff);
    parts.context_switch = plain(PathTime::context_switch);
    parts.wake_up = plain(PathTime::wake_up);
    parts.interrupt = plain(PathTime::interrupt);
    parts.asleep = plain(PathTime::asleep);
    return parts;
}

std::uint32_t instances_of(const ScopeSpec& scope, const RunSubject& subject) {
    switch (scope.scope) {
        case Scope::global:
            return 1;
        case Scope::cpu:
            return subject.topology.cpu_count();
        case Scope::node:
            return subject.topology.sockets;
        case Scope::cpus:
            return (subject.topology.cpu_count() + scope.every - 1) / scope.every;
        case Scope::process:
            return std::ranges::any_of(subject.program.spawns, &Spawn::new_process) ? 0 : subject.model.process_count;
        case Scope::task:
            return 0;
    }
    return 0;
}

Result build_result(const RunInfo& run, const RunSubject& subject, const Record& record,
                    const ReplicationOutcome& outcome, const SummedTimes* sums) {
    FORKSIM_CHECK(record.sites.size() == subject.program.sites.size(), "the record of another program");
    Result result;
    result.run = run;
    result.simulated = record.window;
    result.unit = subject.program.counters.empty() ? "operations/s" : subject.program.counters[0] + "/s";
    result.throughput = outcome.estimate;
    result.stopped = outcome.reason;
    if (!record.counts.empty()) result.operations = record.counts[0];
    add_counts(result, subject, record);
    add_locks(result, subject, record, sums);
    add_sites(result, subject, record, sums);
    for (std::size_t i = 0; i < record.paths.size(); ++i) {
        if (record.paths[i].count() > 0)
            result.paths.push_back({subject.program.paths[i], durations_of(record.paths[i])});
    }
    std::ranges::sort(result.paths, {}, &PathResult::path);
    result.cpu = cpu_shares(record);
    result.critical_path = critical_shares(record);
    result.events = record.events;
    result.ties = record.ties;
    result.line_ties = record.line_ties;
    if (std::optional<std::string> warning = warmup_warning(record, run.warmup, run.duration))
        result.warnings.push_back(std::move(*warning));
    if (std::string warning = too_few_lives(result, subject.program, subject.topology); !warning.empty())
        result.warnings.push_back(std::move(warning));
    return result;
}

}  // namespace forksim
