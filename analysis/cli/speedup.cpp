#include "analysis/compare/speedup.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <thread>
#include <vector>

#include "analysis/cli/command.hpp"
#include "analysis/cli/cpu_list.hpp"
#include "analysis/cli/interrupt.hpp"
#include "analysis/cli/output.hpp"
#include "analysis/cli/progress.hpp"
#include "analysis/cli/request_options.hpp"
#include "analysis/compare/compare_point.hpp"
#include "analysis/compare/verdict.hpp"
#include "analysis/export/numbers.hpp"
#include "sim/critical_path.hpp"

namespace forksim {
namespace {

struct Options {
    Request base;
    std::vector<std::string> sites;
    std::string cpus;
    std::uint32_t steps = 10;
    double margin = default_margin;
    double precision = 0.5;
    std::string format = "text";
    std::string output;
    unsigned jobs = 1;
};

bool parse(const Invocation& invocation, Options& options) {
    CLI::App app("Shows what shorter holds would buy: throughput as the times of a site go from 100 % to 0 %.",
                 "forksim speedup");
    options.jobs = std::max(1u, std::thread::hardware_concurrency());
    app.add_option("scenario", options.base.scenario, "name in the library, path, or PATH#NAME")
        ->type_name("SCENARIO")
        ->required();
    app.add_option("--site", options.sites, "a section, or any step; several: each alone, then all together")
        ->type_name("SITE")
        ->allow_extra_args(false)
        ->required();
    app.add_option("--steps", options.steps, "from 100 % to 0 %")->type_name("N")->check(CLI::Range(1, 100));
    app.add_option("--base-patch,--patch", options.base.base_patches, "patch that belongs to the base")
        ->type_name("PATCH")
        ->allow_extra_args(false);
    app.add_option("--base-set,--set", options.base.sets, "value that belongs to the base")
        ->type_name("KEY=VALUE")
        ->allow_extra_args(false);
    app.add_option("--cpus", options.cpus, "logical CPUs to boot: 20,40,80")->type_name("N,N,...");
    app.add_option("--platform", options.base.platform, "machine: a name, uniform-N, or an XML file")
        ->type_name("PLATFORM");
    app.add_option("--precision", options.precision, "half-width wanted of the intervals, in percent of the base")
        ->type_name("PERCENT")
        ->check(CLI::Range(0.001, 100.0));
    app.add_option("--margin", options.margin, "a step that gains less does not pay, in percent")
        ->type_name("PERCENT")
        ->check(CLI::Range(0.0, 100.0));
    add_measure_options(app, options.base);
    app.add_option("--jobs", options.jobs, "threads to run replications on")
        ->type_name("J")
        ->check(CLI::Range(1, 1024));
    app.add_option("--format", options.format, "text, json or csv")
        ->type_name("FORMAT")
        ->check(CLI::IsMember({"text", "json", "csv"}));
    app.add_option("-o,--output", options.output, "file to write the result to")->type_name("FILE");
    return parse_arguments(app, invocation);
}

/// The sites that one curve is about.
struct Subject {
    std::string name;
    std::vector<std::string> sites;
};

std::vector<Subject> subjects_of(const Options& options) {
    std::vector<Subject> subjects;
    for (const std::string& site : options.sites) subjects.push_back({site, {site}});
    if (subjects.size() > 1) subjects.push_back({"all of them", options.sites});
    return subjects;
}

double factor_at(std::uint32_t step, std::uint32_t steps) { return 1 - static_cast<double>(step) / steps; }

Compiled compile_scaled(const Request& base, const Subject& subject, double factor) {
    Request request = base;
    for (const std::string& site : subject.sites)
        request.edits.push_back({AskedEdit::Verb::scale, site + '=' + number_12(factor)});
    return compile(request);
}

/// Share of the critical path that lies in the holds of the sites; NaN if one of them takes no lock.
double hold_share(const Subject& subject, const Record& record, const Program& program) {
    if (record.critical_length_ps <= 0) return std::numeric_limits<double>::quiet_NaN();
    std::int64_t ps = 0;
    for (const std::string& name : subject.sites) {
        bool found = false;
        for (std::uint32_t site = 1; site < program.sites.size(); ++site) {
            if (program.sites[site].name != name) continue;
            found = true;
            ps += record.critical_path_ps[CriticalPath::component(site, Part::hold)];
        }
        if (!found) return std::numeric_limits<double>::quiet_NaN();
    }
    return static_cast<double>(ps) / static_cast<double>(record.critical_length_ps);
}

SpeedupPoint measure(const Compiled& base, const std::vector<Subject>& subjects, const std::vector<Compiled>& variants,
                     const Options& options, PairedPlan plan, const std::string& version, const WorkHooks& hooks) {
    std::vector<const Compiled*> sides = {&base};
    for (const Compiled& variant : variants) sides.push_back(&variant);
    plan.least = base.measure.replications_min;
    plan.most = base.measure.replications_max;
    PairedRun run = run_paired(sides, plan, options.jobs, version, hooks);
    SpeedupPoint point;
    point.cpus = base.banner.cpus;
    std::size_t next = 0;
    for (const Subject& subject : subjects) {
        SpeedupCurve& curve = point.curves.emplace_back();
        curve.name = subject.name;
        curve.hold_share = hold_share(subject, run.base, base.program);
        for (std::uint32_t step = 1; step <= options.steps; ++step, ++next) {
            const double factor = factor_at(step, options.steps);
            curve.steps.push_back({factor, run.results[next + 1].throughput, run.differences[next],
                                   predicted_percent(curve.hold_share, factor)});
        }
    }
    point.base = std::move(run.results[0]);
    return point;
}

Speedup measure_all(const Options& options, const Invocation& invocation) {
    const std::vector<Subject> subjects = subjects_of(options);
    Speedup speedup;
    speedup.margin = options.margin;
    speedup.plan.precision = options.precision;
    std::vector<Compiled> bases;
    std::vector<std::vector<Compiled>> variants;
    for (const std::optional<std::uint32_t> cpus : read_cpu_list(options.cpus, "forksim speedup")) {
        Request request = options.base;
        if (cpus) request.cpus = cpus;
        bases.push_back(compile(request));
        std::vector<Compiled>& scaled = variants.emplace_back();
        for (const Subject& subject : subjects) {
            for (std::uint32_t step = 1; step <= options.steps; ++step)
                scaled.push_back(compile_scaled(request, subject, factor_at(step, options.steps)));
        }
    }
    for (const std::string& note : variants.front().front().notes) speedup.notes.push_back(note);
    speedup.plan.comparisons = static_cast<std::uint32_t>(bases.size() * variants.front().size());
    InterruptWatch watch;
    Progress progress(invocation.log);
    for (std::size_t i = 0; i < bases.size() && !speedup.interrupted; ++i) {
        const WorkHooks hooks{[&](double share) {
                                  watch.something_to_show();
                                  const auto percent = static_cast<std::uint32_t>(100 * share);
                                  progress.update(progress_line(percent, 100,
                                                                "percent of CPU count " + std::to_string(i + 1) +
                                                                    " of " + std::to_string(bases.size())));
                              },
                              [&] { return watch.interrupted(); }};
        speedup.points.push_back(
            measure(bases[i], subjects, variants[i], options, speedup.plan, invocation.version, hooks));
        speedup.interrupted = watch.interrupted();
    }
    return speedup;
}

}  // namespace

int speedup_command(const Invocation& invocation) {
    Options options;
    if (!parse(invocation, options)) return exit_done;
    require_writable(options.output);
    const Speedup speedup = measure_all(options, invocation);
    write_output(options.output, options.format == "json"  ? speedup_json(speedup)
                                 : options.format == "csv" ? speedup_csv(speedup)
                                                           : speedup_text(speedup));
    return speedup.interrupted ? exit_interrupted : exit_done;
}

}  // namespace forksim
