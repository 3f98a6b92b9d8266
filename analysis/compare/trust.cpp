#include "analysis/compare/trust.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "analysis/export/simulate.hpp"

namespace forksim {
namespace {

// Behind the case's own warm-up of 20 ms. The first callbacks run after some 25 ms, in bursts: windows of 25 ms after
// 10 ms give figures 3 to 9 % too high.
constexpr std::uint32_t case_replications = 5;
constexpr Time case_duration = Time::from_ms(50);

std::string unit_of(const Compiled& compiled) { return compiled.program.counters[0] + "/s"; }

std::string creates(const Program& program) {
    if (program.spawns.empty()) return "no tasks";
    return std::ranges::any_of(program.spawns, &Spawn::new_process) ? "processes" : "threads";
}

std::uint32_t sockets(const Compiled& compiled) {
    std::set<std::uint32_t> seen;
    for (const CpuPlace& place : compiled.topology.cpus) seen.insert(place.socket);
    return static_cast<std::uint32_t>(seen.size());
}

std::set<std::string> patches(const Compiled& compiled) {
    std::set<std::string> all;
    for (const auto* list : {&compiled.origin.patches, &compiled.banner.base_patches, &compiled.banner.patches})
        all.insert(list->begin(), list->end());
    return all;
}

std::set<std::string> tasks(const Compiled& compiled) {
    std::set<std::string> names;
    for (const TaskGroup& group : compiled.program.groups) names.insert(group.name);
    return names;
}

/// |log2(a / b)| in thousandths, so that libm's last bits do not matter.
double doublings(std::size_t a, std::size_t b) {
    return std::round(1000 * std::abs(std::log2(static_cast<double>(a) / static_cast<double>(b)))) / 1000;
}

std::string joined(const std::set<std::string>& names) {
    std::string text;
    for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
    return text.empty() ? "none" : text;
}

double differing(const std::set<std::string>& one, const std::set<std::string>& other) {
    std::vector<std::string> apart;
    std::ranges::set_symmetric_difference(one, other, std::back_inserter(apart));
    return static_cast<double>(apart.size());
}

/// Settings that say something of the model.
double settings(const Compiled& compiled) {
    return static_cast<double>(std::ranges::count_if(
        compiled.banner.sets, [](const std::string& set) { return !set.starts_with("config.tie_break="); }));
}

std::vector<Difference> differences(const Compiled& here, const Compiled& there) {
    std::vector<Difference> found;
    const auto add = [&](const char* what, std::string one, std::string other, double steps) {
        if (steps != 0) found.push_back({what, std::move(one), std::move(other), steps});
    };
    const auto counts = [&](const char* what, std::size_t one, std::size_t other, double steps) {
        add(what, std::to_string(one), std::to_string(other), steps);
    };
    counts("CPUs", here.banner.cpus, there.banner.cpus, doublings(here.banner.cpus, there.banner.cpus));
    counts("sockets", sockets(here), sockets(there), std::abs(double(sockets(here)) - double(sockets(there))));
    add("machine", here.banner.platform, there.banner.platform, here.banner.platform != there.banner.platform);
    const std::optional<std::uint32_t> steps = version_steps(here.origin.family, there.origin.family);
    const bool own = here.banner.kernel != here.origin.family;  // a kernel made from the library's
    add("kernel", here.banner.kernel, there.banner.kernel, steps.value_or(1) + own);
    add("patches", joined(patches(here)), joined(patches(there)), differing(patches(here), patches(there)));
    const std::size_t roots_here = here.program.roots.size();
    const std::size_t roots_there = there.program.roots.size();
    counts("tasks", roots_here, roots_there, doublings(roots_here, roots_there));
    const auto shared = [](const Compiled& c) { return c.program.roots.size() > 1 && c.model.process_count == 1; };
    const auto workload = [&](const Compiled& c) { return joined(tasks(c)) + (shared(c) ? " of one process" : ""); };
    add("workload", workload(here), workload(there),
        differing(tasks(here), tasks(there)) + (shared(here) != shared(there)));
    counts("settings", static_cast<std::size_t>(settings(here)), 0, settings(here));
    std::ranges::stable_sort(found, std::greater{}, &Difference::steps);
    return found;
}

/// The case in the world of the run, or as near to it as its kernel has one.
Compiled compile_case(const PublishedCase& figure, const Compiled& base) {
    Request request;
    request.scenario = figure.scenario;
    request.patches = figure.patches;
    request.seed = base.measure.seed;
    request.as_written = base.banner.worlds == 0;
    Compiled compiled = compile(request);
    if (request.as_written || base.banner.world == 0 || base.banner.world >= compiled.banner.worlds) return compiled;
    request.world = base.banner.world;
    return compile(request);
}

struct Found {
    Trust trust;
    Compiled compiled;  ///< the nearest case, if there is one
};

Found find_case(const Compiled& base, const Request& request) {
    Found found;
    Trust& trust = found.trust;
    trust.unit = unit_of(base);
    trust.creates = creates(base.program);
    trust.unmodelled = base.origin.unmodelled;
    for (const PublishedCase& figure : published_cases()) {
        if (figure.unit != trust.unit) continue;
        Compiled there = compile_case(figure, base);
        if (creates(there.program) != trust.creates) continue;
        std::vector<Difference> apart = differences(base, there);
        const bool alike = runs_alike(base, there);
        if (alike) apart.clear();
        if (!alike && apart.empty()) apart.push_back({"values", request.scenario, figure.scenario, 1});
        double distance = 0;
        for (const Difference& one : apart) distance += one.steps;
        if (trust.nearest && distance >= trust.distance) continue;
        trust.nearest = figure;
        trust.is_case = alike;
        trust.distance = distance;
        trust.differences = std::move(apart);
        trust.worlds = there.banner.worlds > 0;
        trust.world = there.banner.world;
        found.compiled = std::move(there);
    }
    return found;
}

}  // namespace

Trust nearest_case(const Compiled& base, const Request& request) { return find_case(base, request).trust; }

Trust trust_of(const Compiled& base, const Request& request, unsigned jobs) {
    Found found = find_case(base, request);
    Trust& trust = found.trust;
    if (!trust.nearest) return trust;
    const Compiled& there = found.compiled;
    SimulationPlan plan;
    plan.config = there.core;
    plan.config.duration = case_duration;
    plan.seed = base.measure.seed;
    plan.replications.least = plan.replications.most = case_replications;
    plan.jobs = jobs;
    CaseRun run;
    run.per_second = simulate({there.program, there.model, there.topology}, plan, {}).outcome.estimate;
    run.error_percent = 100 * (run.per_second.mean / trust.nearest->value - 1);
    run.error_half_width_percent = 100 * run.per_second.half_width / trust.nearest->value;
    trust.model = run;
    return trust;
}

}  // namespace forksim
