#include <CLI/CLI.hpp>
#include <cstdio>
#include <string>
#include <vector>

#include "analysis/cli/command.hpp"
#include "analysis/cli/request_options.hpp"
#include "sim/error.hpp"

namespace forksim {

/// Prints "NAME: ok" for each scenario without faults, and all faults of the others on standard error.
int check_command(const Invocation& invocation) {
    CLI::App app("Reads scenarios and says what is wrong with them; nothing is run.", "forksim check");
    std::vector<std::string> scenarios;
    Request request;
    app.add_option("scenario", scenarios, "names in the library, or paths")->type_name("SCENARIO")->required();
    add_request_options(app, request);
    if (!parse_arguments(app, invocation)) return exit_done;

    int status = exit_done;
    for (const std::string& scenario : scenarios) {
        request.scenario = scenario;
        try {
            const Compiled compiled = compile(request);
            for (const std::string& note : compiled.notes) invocation.log.explain(scenario + ": " + note);
            std::printf("%s: ok\n", scenario.c_str());
        } catch (const InputError& error) {
            invocation.log.error(error.what());
            status = exit_usage;
        }
    }
    return status;
}

}  // namespace forksim
