#include <CLI/CLI.hpp>
#include <string>

#include "analysis/cli/command.hpp"
#include "analysis/cli/output.hpp"
#include "analysis/cli/request_options.hpp"
#include "analysis/export/listing_text.hpp"
#include "scenarios/listing.hpp"
#include "sim/error.hpp"

namespace forksim {

/// Prints a scenario with everything applied to it, or the JSON Schema of the language.
int show_command(const Invocation& invocation) {
    CLI::App app("Prints a scenario with everything applied to it: functions, values and their sources.",
                 "forksim show");
    Request request;
    bool schema = false;
    app.add_option("scenario", request.scenario, "name in the library, path, or PATH#NAME")->type_name("SCENARIO");
    add_request_options(app, request);
    app.add_flag("--schema", schema, "print the JSON Schema of scenarios, kernels, patches and platforms instead");
    if (!parse_arguments(app, invocation)) return exit_done;
    if (schema != request.scenario.empty()) throw InputError("forksim show: give a scenario or --schema, and not both");
    write_output("", schema ? json_schema() : listing_text(show(request)));
    return exit_done;
}

}  // namespace forksim
