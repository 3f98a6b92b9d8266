#include "analysis/cli/request_options.hpp"

#include <CLI/CLI.hpp>

namespace forksim {
namespace {

/// CLI11 takes "-3" for a large unsigned number.
std::string digits_only(const std::string& text) {
    const bool digits = !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
    return digits ? "" : "expected a whole number, 0 or more, not '" + text + "'";
}

}  // namespace

void add_request_options(CLI::App& app, Request& request) {
    app.add_option("--platform", request.platform, "machine: a name, uniform-N, or an XML file")->type_name("PLATFORM");
    app.add_option("--cpus", request.cpus, "logical CPUs to boot")->type_name("N")->check(digits_only);
    // One value each: the next word may be the scenario.
    app.add_option("--base-patch", request.base_patches, "patch that belongs to the base")
        ->type_name("PATCH")
        ->allow_extra_args(false);
    app.add_option("--patch", request.patches, "patch on top of the base")->type_name("PATCH")->allow_extra_args(false);
    app.add_option("--set", request.sets, "SITE.KEY, LOCK.KEY, config.KEY, rcu.KEY or platform.KEY = value")
        ->type_name("KEY=VALUE")
        ->allow_extra_args(false);
}

void add_measure_options(CLI::App& app, Request& request) {
    app.add_option("--seed", request.seed, "seed of all random draws")->type_name("S")->check(digits_only);
    app.add_option("--replications", request.replications, "exactly that many")->type_name("R")->check(digits_only);
    app.add_option("--duration", request.duration, "length of the window, such as 100ms")->type_name("T");
    app.add_option("--warmup", request.warmup, "what is simulated before the window")->type_name("T");
}

}  // namespace forksim
