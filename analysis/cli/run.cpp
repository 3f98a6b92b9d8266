#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "analysis/cli/command.hpp"
#include "analysis/cli/interrupt.hpp"
#include "analysis/cli/output.hpp"
#include "analysis/cli/progress.hpp"
#include "analysis/cli/reference_run.hpp"
#include "analysis/cli/request_options.hpp"
#include "analysis/export/anchor.hpp"
#include "analysis/export/csv.hpp"
#include "analysis/export/histogram_text.hpp"
#include "analysis/export/json.hpp"
#include "analysis/export/numbers.hpp"
#include "analysis/export/over_worlds.hpp"
#include "analysis/export/run_info.hpp"
#include "analysis/export/simulate.hpp"
#include "analysis/export/text.hpp"
#include "sim/error.hpp"

namespace forksim {
namespace {

struct Options {
    Request request;
    std::string engine = "native";
    std::string format = "text";
    std::string output;
    std::string tie_break;
    std::vector<std::string> histograms;
    unsigned jobs = 1;
    bool reproducible = false;
    std::string world;
    bool worlds = false;
};

/// `--world`: a number, or `none` for the kernel's numbers as written.
void read_world(const std::string& text, Request& request) {
    if (text.empty()) return;
    request.as_written = text == "none";
    if (request.as_written) return;
    if (text.size() > 6 || text.find_first_not_of("0123456789") != std::string::npos)
        throw InputError("forksim run: --world " + text + ": expected a whole number, or none");
    request.world = static_cast<std::uint32_t>(std::stoul(text));
}

bool parse(const Invocation& invocation, Options& options) {
    CLI::App app("Simulates a scenario and reports throughput, waits and latencies.", "forksim run");
    options.jobs = std::max(1u, std::thread::hardware_concurrency());
    app.add_option("scenario", options.request.scenario, "name in the library, path, or PATH#NAME")
        ->type_name("SCENARIO")
        ->required();
    add_request_options(app, options.request);
    add_measure_options(app, options.request);
    app.add_option("--engine", options.engine, "native, or simgrid: the independent reference")
        ->type_name("ENGINE")
        ->check(CLI::IsMember({"native", "simgrid"}));
    app.add_option("--tie-break", options.tie_break, "order of CPUs whose events coincide: random or id")
        ->type_name("HOW")
        ->check(CLI::IsMember({"random", "id"}));
    app.add_option("--jobs", options.jobs, "threads to run replications on")
        ->type_name("J")
        ->check(CLI::Range(1, 1024));
    app.add_option("--format", options.format, "text, json or csv")
        ->type_name("FORMAT")
        ->check(CLI::IsMember({"text", "json", "csv"}));
    app.add_option("--histogram", options.histograms, "draw the histogram of a lock, site or path")
        ->type_name("NAME")
        ->allow_extra_args(false);
    app.add_option("--world", options.world, "row of the kernel's table of worlds instead of 0, or none")
        ->type_name("N");
    app.add_flag("--worlds", options.worlds, "simulate every world too, and print what they leave open");
    app.add_flag("--reproducible", options.reproducible, "leave out what the host did");
    app.add_option("-o,--output", options.output, "file to write the result to")->type_name("FILE");
    if (!parse_arguments(app, invocation)) return false;
    read_world(options.world, options.request);
    if (!options.tie_break.empty()) options.request.sets.push_back("config.tie_break=" + options.tie_break);
    if (options.format == "csv" && !options.histograms.empty())
        throw InputError("forksim run: --histogram goes with --format text or json");
    return true;
}

/// One replication of a single task; nothing if the scenario cannot go on with one.
std::optional<Anchor> one_task(const RunSubject& subject, const SimulationPlan& plan, Log& log) {
    const OneTask one = reduced_to_one_task(subject);
    try {
        return anchor_of(run_replication(one.program, one.model, one.topology, plan.config, {plan.seed, 0}));
    } catch (const ModelStuck& stuck) {
        log.explain(std::string("no one-task anchor: ") + stuck.what());
        return std::nullopt;
    }
}

/// Speeds are of all that was simulated, as the time is.
HostInfo host_of(const Effort& effort, double wall_s) {
    return {wall_s, static_cast<double>(effort.events) / wall_s, static_cast<double>(effort.operations) / wall_s};
}

struct Finished {
    Result result;
    std::vector<NamedHistogram> histograms;
    bool interrupted = false;
};

/// How far a run had come when it was interrupted.
std::string interrupted_text(const Result& r, const Options& options) {
    const auto of = [](std::uint32_t done, std::uint32_t all, const char* what) {
        return "interrupted after " + std::to_string(done) + " of " + std::to_string(all) + what;
    };
    if (!options.worlds || r.stopped == StopReason::interrupted)
        return of(r.throughput.n, r.run.plan.most, " replications");
    return of(r.worlds ? r.worlds->throughput.n : 1, r.run.worlds, " worlds");
}

/// The same run in every world; `first` is its result in world 0. After an interrupt: in those that were run to their
/// end.
OverWorlds over_worlds(const Result& first, const Compiled& compiled, const Options& options,
                       const Invocation& invocation, const InterruptWatch& watch) {
    Progress progress(invocation.log);
    std::vector<WorldRun> runs = {world_run(first)};
    for (std::uint32_t world = 1; world < compiled.banner.worlds; ++world) {
        Request request = options.request;
        request.world = world;
        const Compiled other = compile(request);
        const RunSubject subject{other.program, other.model, other.topology};
        const SimulationPlan plan = plan_of(other, options.jobs);
        const Simulated all = simulate(subject, plan, {}, [&] { return watch.interrupted(); });
        if (all.outcome.reason == StopReason::interrupted) break;
        runs.push_back(world_run(
            build_result(info_of(other, plan, options.engine, invocation.version), subject, all.record, all.outcome)));
        invocation.log.explain("world " + std::to_string(world) + ": mean " + short_text(runs.back().throughput.mean) +
                               " per second");
        progress.update(progress_line(world + 1, compiled.banner.worlds, "worlds"));
        if (watch.interrupted()) break;
    }
    return over_worlds(runs);
}

Finished simulate_all(const Compiled& compiled, const Options& options, const Invocation& invocation,
                      InterruptWatch& watch) {
    const RunSubject subject{compiled.program, compiled.model, compiled.topology};
    const SimulationPlan plan = plan_of(compiled, options.jobs);
    const RunInfo run = info_of(compiled, plan, options.engine, invocation.version);
    const auto start = std::chrono::steady_clock::now();
    Progress progress(invocation.log);
    const auto stop = [&] { return watch.interrupted(); };
    const auto tell = [&](const Estimate& so_far) {
        watch.something_to_show();
        progress.update(progress_line(plan.replications, so_far));
        const std::string interval = so_far.n < 2 ? "" : ", +-" + short_text(so_far.half_width);
        invocation.log.explain("replication " + std::to_string(so_far.n) + ": mean " + short_text(so_far.mean) +
                               " per second" + interval);
    };
    Finished finished;
    Effort effort;
    if (options.engine == "simgrid") {
        const ReferenceSimulated all = simulate_reference(options.request, subject, plan, tell, stop);
        finished.result = build_result(run, subject, all.measured.record, all.outcome, &all.measured.sums);
        effort = all.measured.record.effort;
    } else {
        const Simulated all = simulate(subject, plan, tell, stop);
        finished.result = build_result(run, subject, all.record, all.outcome);
        effort = all.record.effort;
        for (const std::string& name : options.histograms) {
            for (NamedHistogram& h : histograms_of(name, subject, all.record))
                finished.histograms.push_back(std::move(h));
        }
    }
    const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - start;
    finished.result.notes = compiled.notes;
    finished.result.trust = nearest_case(compiled, options.request);
    if (!stop()) finished.result.anchor = one_task(subject, plan, invocation.log);
    if (!options.reproducible) finished.result.host = host_of(effort, wall.count());
    if (options.worlds && !stop())
        finished.result.worlds = over_worlds(finished.result, compiled, options, invocation, watch);
    finished.interrupted = stop();
    if (finished.interrupted) finished.result.warnings.push_back(interrupted_text(finished.result, options));
    return finished;
}

/// Names of histograms are checked before anything runs.
void require_histograms(const Compiled& compiled, const Options& options) {
    if (options.engine != "native" && !options.histograms.empty())
        throw InputError("forksim run: --histogram goes with --engine native");
    const std::vector<std::string> known = histogram_names(compiled.program, compiled.model);
    for (const std::string& name : options.histograms) {
        if (!std::ranges::binary_search(known, name)) throw unknown_histogram(name, known);
    }
}

void require_worlds(const Compiled& compiled, const Options& options) {
    if (!options.worlds) return;
    if (options.engine != "native") throw InputError("forksim run: --worlds goes with --engine native");
    if (!options.world.empty()) throw InputError("forksim run: --world names one world, --worlds asks for all");
    if (compiled.banner.worlds == 0)
        throw InputError("forksim run: --worlds: the kernel " + compiled.banner.kernel + " has no worlds");
}

std::string written(const Finished& finished, const std::string& format) {
    if (format == "json") return to_json(finished.result, finished.histograms);
    if (format == "csv") return to_csv(finished.result);
    return to_text(finished.result, finished.histograms);
}

}  // namespace

int run_command(const Invocation& invocation) {
    Options options;
    if (!parse(invocation, options)) return exit_done;
    require_writable(options.output);
    InterruptWatch watch;
    const Compiled compiled = compile(options.request);
    require_histograms(compiled, options);
    require_worlds(compiled, options);
    invocation.log.explain("compiled " + compiled.banner.scenario + ": " + std::to_string(compiled.program.ops.size()) +
                           " ops, " + std::to_string(compiled.program.sites.size() - 1) + " sites, " +
                           std::to_string(compiled.program.roots.size()) + " tasks at the start, " +
                           compiled.banner.composition);
    const Finished finished = simulate_all(compiled, options, invocation, watch);
    write_output(options.output, written(finished, options.format));
    return finished.interrupted ? exit_interrupted : exit_done;
}

}  // namespace forksim
