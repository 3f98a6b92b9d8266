#include <CLI/CLI.hpp>
#include <cstdio>
#include <string>
#include <vector>

#include "analysis/cli/command.hpp"
#include "analysis/cli/request_options.hpp"
#include "scenarios/listing.hpp"
#include "sim/error.hpp"

namespace forksim {

/// Prints "NAME: ok" for each file without faults, and all faults of the others on standard error.
int check_command(const Invocation& invocation) {
    CLI::App app("Reads scenarios, kernels and patches and says what is wrong with them; nothing is run.",
                 "forksim check");
    std::vector<std::string> scenarios;
    Request request;
    app.add_option("scenario", scenarios, "names in the library, or paths")->type_name("SCENARIO")->required();
    add_request_options(app, request);
    if (!parse_arguments(app, invocation)) return exit_done;

    int status = exit_done;
    for (const std::string& scenario : scenarios) {
        request.scenario = scenario;
        try {
            for (const std::string& good : check(request)) invocation.log.explain(scenario + ": " + good + " is good");
            std::printf("%s: ok\n", scenario.c_str());
        } catch (const InputError& error) {
            invocation.log.error(error.what());
            status = exit_usage;
        }
    }
    return status;
}

}  // namespace forksim
