#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "analysis/cli/command.hpp"
#include "analysis/cli/lock_order.hpp"
#include "analysis/cli/output.hpp"
#include "analysis/cli/request_options.hpp"
#include "scenarios/listing.hpp"
#include "sim/error.hpp"

namespace forksim {
namespace {

struct Options {
    std::vector<std::string> names;
    Request request;
    LockOrderOptions order;
};

bool parse(const Invocation& invocation, Options& options) {
    CLI::App app("Reads scenarios, kernels and patches and says what is wrong with them; only --dot runs something.",
                 "forksim check");
    app.add_option("scenario", options.names, "names in the library, or paths")->type_name("SCENARIO")->required();
    add_request_options(app, options.request);
    app.add_flag("--lock-order", options.order.wanted,
                 "print which locks are taken while others are held; exit status 3 if there is a cycle");
    const CLI::Option* dot = app.add_option("--dot", options.order.dot,
                                            "with --lock-order: file for its graph, with weights from a short run")
                                 ->type_name("FILE");
    const CLI::Option* format = app.add_option("--format", options.order.format, "with --lock-order: text or json")
                                    ->type_name("FORMAT")
                                    ->check(CLI::IsMember({"text", "json"}));
    if (!parse_arguments(app, invocation)) return false;
    for (const CLI::Option* option : {dot, format}) {
        if (!option->empty() && !options.order.wanted)
            throw InputError("forksim check: " + option->get_name() + " goes with --lock-order");
    }
    require_writable(options.order.dot, "--dot");
    return true;
}

/// Checks one name or file; its scenarios are added to `scenarios`.
void check_one(Request request, const Invocation& invocation, std::vector<Request>& scenarios) {
    const std::string name = request.scenario;
    for (const std::string& good : check(request)) {
        invocation.log.explain(name + ": " + good + " is good");
        if (good.rfind("scenario ", 0) != 0) continue;
        const std::string scenario = good.substr(9);
        request.scenario = scenario == name ? name : name + '#' + scenario;
        scenarios.push_back(request);
    }
}

}  // namespace

/// Prints "NAME: ok" for each file without faults, or the lock orders of its scenarios, and all faults of the others on
/// standard error.
int check_command(const Invocation& invocation) {
    Options options;
    if (!parse(invocation, options)) return exit_done;
    int status = exit_done;
    std::vector<Request> scenarios;
    for (const std::string& name : options.names) {
        options.request.scenario = name;
        try {
            check_one(options.request, invocation, scenarios);
            if (!options.order.wanted) write_output("", name + ": ok\n");
        } catch (const InputError& error) {
            invocation.log.error(error.what());
            status = exit_usage;
        }
    }
    if (!options.order.wanted || (scenarios.empty() && status != exit_done)) return status;
    if (scenarios.empty()) throw InputError("forksim check: --lock-order: there is no scenario to order the locks of");
    const bool cycle = print_lock_orders(scenarios, options.order, invocation.log);
    return status == exit_done && cycle ? exit_stuck : status;
}

}  // namespace forksim
