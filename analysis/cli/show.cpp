#include <CLI/CLI.hpp>
#include <string>

#include "analysis/cli/command.hpp"
#include "analysis/cli/output.hpp"
#include "analysis/cli/request_options.hpp"
#include "sim/error.hpp"

namespace forksim {

/// Prints a scenario with everything applied to it.
int show_command(const Invocation& invocation) {
    CLI::App app("Prints a scenario with everything applied to it.", "forksim show");
    Request request;
    app.add_option("scenario", request.scenario, "name in the library, path, or PATH#NAME")->type_name("SCENARIO");
    add_request_options(app, request);
    if (!parse_arguments(app, invocation)) return exit_done;
    std::string text;
    for (const Site& site : compile(request).program.sites) text += site.name + '\n';
    write_output("", text);
    return exit_done;
}

}  // namespace forksim
