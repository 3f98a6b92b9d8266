#include "analysis/compare/whatif.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include "analysis/cli/command.hpp"
#include "analysis/cli/cpu_list.hpp"
#include "analysis/cli/interrupt.hpp"
#include "analysis/cli/output.hpp"
#include "analysis/cli/progress.hpp"
#include "analysis/cli/request_options.hpp"
#include "analysis/compare/variants.hpp"
#include "analysis/export/run_info.hpp"
#include "scenarios/diagnostics.hpp"
#include "sim/error.hpp"

namespace forksim {
namespace {

struct Options {
    Request base;
    std::vector<AskedVariant> variants;
    std::string cpus;
    double precision = 0.5;
    double margin = default_margin;
    std::string format = "text";
    std::string output;
    unsigned jobs = 1;
    bool each_site = false;
    bool with_work = false;
    bool worlds = false;
    bool no_worlds = false;
    bool reproducible = false;
};

/// Variants are numbered as they stand on the command line, whatever their kind.
void add_variant_options(CLI::App& app, Options& options) {
    const auto variant = [&](const char* name, AskedVariant::Kind kind, const char* help, const char* type) {
        app.add_option_function<std::vector<std::string>>(
               name,
               [&options, kind](const std::vector<std::string>& texts) {
                   for (const std::string& text : texts) options.variants.push_back({kind, text});
               },
               help)
            ->type_name(type)
            ->allow_extra_args(false)
            ->trigger_on_parse()
            ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    };
    variant("--patch", AskedVariant::Kind::patch, "variant: a patch, or several joined by +", "PATCH");
    variant("--remove", AskedVariant::Kind::remove, "variant: an acquisition less", "SITE");
    variant("--scale", AskedVariant::Kind::scale, "variant: times of a step and all in it, multiplied", "SITE=F");
    variant("--set", AskedVariant::Kind::set, "variant: another value", "KEY=VALUE");
}

bool parse(const Invocation& invocation, Options& options) {
    CLI::App app("Compares a scenario with variants of it: what each gains, how sure that is, and where the time goes.",
                 "forksim whatif");
    options.jobs = std::max(1u, std::thread::hardware_concurrency());
    app.add_option("scenario", options.base.scenario, "name in the library, path, or PATH#NAME")
        ->type_name("SCENARIO")
        ->required();
    app.add_option("--base-patch", options.base.base_patches, "patch that belongs to the base")
        ->type_name("PATCH")
        ->allow_extra_args(false);
    app.add_option("--base-set", options.base.sets, "value that belongs to the base")
        ->type_name("KEY=VALUE")
        ->allow_extra_args(false);
    add_variant_options(app, options);
    app.add_flag("--each-site", options.each_site, "a variant for each acquisition, removed; ranked");
    app.add_flag("--with-work", options.with_work, "--remove drops what was done under the lock, too");
    app.add_option("--cpus", options.cpus, "logical CPUs to boot: 20,40,80")->type_name("N,N,...");
    app.add_option("--platform", options.base.platform, "machine: a name, uniform-N, or an XML file")
        ->type_name("PLATFORM");
    app.add_option("--precision", options.precision, "half-width wanted of the intervals, in percent of the base")
        ->type_name("PERCENT")
        ->check(CLI::Range(0.001, 100.0));
    app.add_option("--margin", options.margin, "differences smaller than this are equal, in percent")
        ->type_name("PERCENT")
        ->check(CLI::Range(0.0, 100.0));
    add_measure_options(app, options.base);
    app.add_flag("--worlds", options.worlds, "with --each-site: the first five over all worlds");
    app.add_flag("--no-worlds", options.no_worlds, "world 0 only: quicker, without the model interval");
    app.add_option("--jobs", options.jobs, "threads to run replications on")
        ->type_name("J")
        ->check(CLI::Range(1, 1024));
    app.add_option("--format", options.format, "text, json or csv")
        ->type_name("FORMAT")
        ->check(CLI::IsMember({"text", "json", "csv"}));
    app.add_flag("--reproducible", options.reproducible, "as elsewhere; nothing here differs between two runs");
    app.add_option("-o,--output", options.output, "file to write the result to")->type_name("FILE");
    return parse_arguments(app, invocation);
}

/// A base and its variants at one CPU count, ready to run.
struct Prepared {
    Compiled base;
    std::vector<Variant> variants;
    std::vector<Compiled> compiled;
};

Prepared prepare(Request request, const Options& options, Whatif& whatif) {
    Prepared prepared{compile(request), {}, {}};
    std::vector<AskedVariant> asked = options.variants;
    if (options.each_site) asked = each_site(prepared.base);
    for (const AskedVariant& one : asked) {
        Variant variant = variant_of(request, one, options.with_work);
        try {
            prepared.compiled.push_back(compile(variant.request));
        } catch (const LanguageError& error) {
            if (!options.each_site) throw;
            const std::string note = variant.name + " is left out: " + error.what();
            if (std::ranges::find(whatif.notes, note) == whatif.notes.end()) whatif.notes.push_back(note);
            continue;
        }
        prepared.variants.push_back(std::move(variant));
    }
    return prepared;
}

void add_warnings(const Result& result, Whatif& whatif) {
    for (const std::string& warning : result.warnings) {
        const std::string text = std::to_string(result.run.cpus) + " CPUs: " + warning;
        if (std::ranges::find(whatif.warnings, text) == whatif.warnings.end()) whatif.warnings.push_back(text);
    }
}

/// The model interval of the variants from `first` on, `count` of them.
void add_worlds(const Prepared& prepared, const Options& options, const Request& request, WhatifPoint& point,
                const WorkHooks& hooks) {
    const std::size_t count =
        options.each_site ? std::min<std::size_t>(5, point.variants.size()) : point.variants.size();
    std::vector<Request> sides = {request};
    for (std::size_t i = 0; i < count; ++i) {
        const auto it = std::ranges::find(prepared.variants, point.variants[i].name, &Variant::name);
        sides.push_back(it->request);
    }
    const WorldPlan plan = world_plan(prepared.base, point.base.throughput.mean, options.margin);
    const DifferencesOverWorlds over =
        differences_over_worlds(sides, prepared.base.banner.worlds, plan, options.jobs, hooks);
    if (!over.complete) return;
    point.world_replications = over.replications;
    point.base_leaders = over.sides[0].leaders;
    for (std::size_t i = 0; i < count; ++i) point.variants[i].model = over.sides[i + 1];
}

/// Runs the base and the variants with these numbers; the variants are put in place of those of the point.
void run_variants(const Prepared& prepared, const std::vector<std::size_t>& numbers, const PairedPlan& plan,
                  unsigned jobs, const std::string& version, const WorkHooks& hooks, WhatifPoint& point) {
    std::vector<const Compiled*> sides = {&prepared.base};
    for (const std::size_t number : numbers) sides.push_back(&prepared.compiled[number]);
    PairedRun run = run_paired(sides, plan, jobs, version, hooks);
    point.stopped = run.stopped;
    point.base = std::move(run.results[0]);
    point.variants.resize(prepared.variants.size());
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        WhatifVariant& variant = point.variants[numbers[i]];
        variant.name = prepared.variants[numbers[i]].name;
        variant.result = std::move(run.results[i + 1]);
        variant.difference = run.differences[i];
    }
}

/// `--each-site`: all with few replications, then those that gained most with as many as the scenario asks for at
/// least, all of them simulated anew; then all by what they gain.
void rank(const Prepared& prepared, PairedPlan plan, const Options& options, const std::string& version,
          const WorkHooks& hooks, WhatifPoint& point) {
    constexpr std::uint32_t few = 4;
    constexpr std::size_t leading = 8;
    std::vector<std::size_t> numbers(prepared.variants.size());
    std::iota(numbers.begin(), numbers.end(), std::size_t{0});
    const std::uint32_t full = plan.least;
    const bool two_stages = !options.base.replications && full > few && numbers.size() > leading;
    plan.least = plan.most = two_stages ? few : full;
    run_variants(prepared, numbers, plan, options.jobs, version, hooks, point);
    if (two_stages && !(hooks.stop && hooks.stop())) {
        const auto gain = [&](std::size_t number) { return -point.variants[number].difference.mean; };
        std::ranges::stable_sort(numbers, {}, gain);
        numbers.resize(leading);
        std::ranges::sort(numbers);
        plan.least = plan.most = full;
        run_variants(prepared, numbers, plan, options.jobs, version, hooks, point);
    }
    std::ranges::stable_sort(point.variants, {}, [](const WhatifVariant& v) { return -v.difference.mean; });
}

WhatifPoint compare(const Prepared& prepared, const Options& options, const Request& request, const Whatif& whatif,
                    const std::string& version, const WorkHooks& sampling, const WorkHooks& modelling) {
    PairedPlan plan = whatif.plan;
    plan.least = prepared.base.measure.replications_min;
    plan.most = prepared.base.measure.replications_max;
    WhatifPoint point;
    point.cpus = prepared.base.banner.cpus;
    if (options.each_site) {
        rank(prepared, plan, options, version, sampling, point);
    } else {
        std::vector<std::size_t> all(prepared.variants.size());
        std::iota(all.begin(), all.end(), std::size_t{0});
        run_variants(prepared, all, plan, options.jobs, version, sampling, point);
    }
    const bool worlds = options.each_site ? options.worlds : !options.no_worlds;
    if (worlds && prepared.base.banner.worlds > 0) add_worlds(prepared, options, request, point, modelling);
    for (WhatifVariant& variant : point.variants) {
        const std::optional<Spread> model = variant.model ? std::optional(variant.model->percent) : std::nullopt;
        variant.verdict = verdict_of(variant.difference, model, options.margin);
    }
    return point;
}

/// Where the difference of each variant comes from.
void add_explanations(const Prepared& prepared, const Options& options, WhatifPoint& point) {
    const Compiled& base = prepared.base;
    const RunSubject subject{base.program, base.model, base.topology};
    for (std::size_t i = 0; i < point.variants.size(); ++i) {
        const Compiled& other = prepared.compiled[i];
        const RunSubject variant{other.program, other.model, other.topology};
        point.variants[i].explanation =
            explain(subject, variant, plan_of(base, options.jobs), plan_of(other, options.jobs));
    }
}

/// "[#####.....] 2 of 4 CPU counts: worlds, about 20 s left"
class Watch {
  public:
    Watch(const Log& log, std::size_t points, bool worlds) : progress_(log), points_(points), worlds_(worlds) {}

    bool interrupted() const { return interrupt_.interrupted(); }
    WorkHooks sampling(std::size_t point) {
        return {[this, point](double share) {
                    interrupt_.something_to_show();
                    tell(point, worlds_ ? share / 2 : share, "replications");
                },
                [this] { return interrupted(); }};
    }
    WorkHooks modelling(std::size_t point) {
        return {[this, point](double share) { tell(point, 0.5 + share / 2, "worlds"); },
                [this] { return interrupted(); }};
    }

  private:
    void tell(std::size_t point, double share, const std::string& what) {
        const double done = (static_cast<double>(point) + share) / static_cast<double>(points_);
        const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start_;
        const std::string left = std::to_string(static_cast<long>(spent.count() * (1 - done) / done + 0.5));
        const auto filled = static_cast<std::size_t>(done * 20);
        progress_.update("[" + std::string(filled, '#') + std::string(20 - filled, '.') + "] " +
                         std::to_string(point + 1) + " of " + std::to_string(points_) + " CPU counts: " + what +
                         ", about " + left + " s left");
    }

    InterruptWatch interrupt_;
    Progress progress_;
    std::size_t points_;
    bool worlds_;
    std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

Whatif compare_all(const Options& options, const Invocation& invocation) {
    Whatif whatif;
    whatif.with_work = options.with_work;
    whatif.ranked = options.each_site;
    whatif.margin = options.margin;
    whatif.plan.precision = options.precision;
    whatif.removes = options.each_site || std::ranges::any_of(options.variants, [](const AskedVariant& v) {
                         return v.kind == AskedVariant::Kind::remove;
                     });
    // All faults come before any work.
    std::vector<Request> requests;
    std::vector<Prepared> prepared;
    for (const std::optional<std::uint32_t> cpus : read_cpu_list(options.cpus, "forksim whatif")) {
        requests.push_back(options.base);
        if (cpus) requests.back().cpus = cpus;
        prepared.push_back(prepare(requests.back(), options, whatif));
    }
    std::size_t comparisons = 0;
    for (const Prepared& one : prepared) comparisons += one.variants.size();
    if (comparisons == 0) throw InputError("forksim whatif: nothing to compare: no acquisition can be removed");
    whatif.plan.comparisons = static_cast<std::uint32_t>(comparisons);
    Watch watch(invocation.log, prepared.size(), options.each_site ? options.worlds : !options.no_worlds);
    for (std::size_t i = 0; i < prepared.size(); ++i) {
        whatif.points.push_back(compare(prepared[i], options, requests[i], whatif, invocation.version,
                                        watch.sampling(i), watch.modelling(i)));
        WhatifPoint& point = whatif.points.back();
        add_warnings(point.base, whatif);
        if (!options.each_site && !watch.interrupted()) {
            add_explanations(prepared[i], options, point);
            point.trust = trust_of(prepared[i].base, requests[i], options.jobs);
        } else {
            point.trust = nearest_case(prepared[i].base, requests[i]);
        }
        for (const Compiled& variant : prepared[i].compiled) {
            for (const std::string& note : variant.notes) {
                if (std::ranges::find(whatif.notes, note) == whatif.notes.end()) whatif.notes.push_back(note);
            }
        }
        if (watch.interrupted()) {
            whatif.interrupted = true;
            whatif.warnings.push_back("interrupted: what was not simulated any more is missing");
            break;
        }
    }
    return whatif;
}

}  // namespace

int whatif_command(const Invocation& invocation) {
    Options options;
    if (!parse(invocation, options)) return exit_done;
    if (options.each_site == !options.variants.empty())
        throw InputError("forksim whatif: expected variants (--patch, --remove, --scale, --set) or --each-site");
    if (options.worlds && options.no_worlds) throw InputError("forksim whatif: --worlds and --no-worlds");
    require_writable(options.output);
    const Whatif whatif = compare_all(options, invocation);
    write_output(options.output, options.format == "json"  ? whatif_json(whatif)
                                 : options.format == "csv" ? whatif_csv(whatif)
                                                           : whatif_text(whatif));
    return whatif.interrupted ? exit_interrupted : exit_done;
}

}  // namespace forksim
