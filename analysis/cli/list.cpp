#include <CLI/CLI.hpp>
#include <set>
#include <string>
#include <vector>

#include "analysis/cli/command.hpp"
#include "analysis/cli/output.hpp"
#include "analysis/cli/request_options.hpp"
#include "platforms/library.hpp"
#include "scenarios/library.hpp"
#include "sim/error.hpp"

namespace forksim {
namespace {

std::vector<std::string> platform_names() {
    std::vector<std::string> names = shipped_platforms();
    names.emplace_back("uniform-N");
    return names;
}

/// The sites of the locks that a scenario reaches.
std::vector<std::string> site_names(const Request& request) {
    std::set<std::string> names;
    for (const Site& site : compile(request).program.sites) {
        if (site.resource >= 0) names.insert(site.name);
    }
    return {names.begin(), names.end()};
}

struct Shelf {
    const char* name;
    std::vector<std::string> (*names)();
};

const Shelf shelves[] = {
    {"kernels", [] { return Library::shipped_names("kernels"); }},
    {"patches", [] { return Library::shipped_names("patches"); }},
    {"platforms", platform_names},
    {"scenarios", [] { return Library::shipped_names(""); }},
};

std::string lines(const std::vector<std::string>& names, const std::string& indent) {
    std::string text;
    for (const std::string& name : names) text += indent + name + '\n';
    return text;
}

}  // namespace

int list_command(const Invocation& invocation) {
    CLI::App app("Lists what the library holds, or the sites of a scenario; one name per line.", "forksim list");
    std::string what;
    Request request;
    app.add_option("what", what, "kernels, patches, platforms, scenarios or sites; nothing: all but sites")
        ->type_name("WHAT")
        ->check(CLI::IsMember({"kernels", "patches", "platforms", "scenarios", "sites"}));
    app.add_option("scenario", request.scenario, "sites: of this scenario (threadspawn1)")->type_name("SCENARIO");
    add_request_options(app, request);
    if (!parse_arguments(app, invocation)) return exit_done;

    if (what == "sites") {
        if (request.scenario.empty()) request.scenario = "threadspawn1";
        write_output("", lines(site_names(request), ""));
        return exit_done;
    }
    if (!request.scenario.empty()) throw InputError("forksim list: only `list sites` takes a scenario");
    std::string text;
    for (const Shelf& shelf : shelves) {
        if (what == shelf.name) text = lines(shelf.names(), "");
        if (what.empty()) text += std::string(shelf.name) + '\n' + lines(shelf.names(), "  ");
    }
    write_output("", text);
    return exit_done;
}

}  // namespace forksim
