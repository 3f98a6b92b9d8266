#include <CLI/CLI.hpp>
#include <set>
#include <string>
#include <vector>

#include "analysis/cli/command.hpp"
#include "analysis/cli/output.hpp"
#include "analysis/cli/request_options.hpp"
#include "analysis/export/listing_text.hpp"
#include "scenarios/listing.hpp"
#include "sim/error.hpp"

namespace forksim {
namespace {

/// The sites of the locks that a scenario reaches.
std::vector<std::string> site_names(const Request& request) {
    std::set<std::string> names;
    for (const Site& site : compile(request).program.sites) {
        if (site.resource >= 0) names.insert(site.name);
    }
    return {names.begin(), names.end()};
}

std::vector<ListedFile> platforms() {
    std::vector<ListedFile> files;
    for (const std::string& name : list_platforms()) files.push_back({name, ""});
    return files;
}

struct Shelf {
    const char* name;
    std::vector<ListedFile> (*files)();
};

constexpr Shelf shelves[] = {
    {"kernels", list_kernels},
    {"patches", list_patches},
    {"platforms", platforms},
    {"scenarios", list_scenarios},
};

}  // namespace

int list_command(const Invocation& invocation) {
    CLI::App app("Lists what the library holds, or the sites of a scenario; each line begins with a name.",
                 "forksim list");
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
        std::string text;
        for (const std::string& name : site_names(request)) text += name + '\n';
        write_output("", text);
        return exit_done;
    }
    if (!request.scenario.empty()) throw InputError("forksim list: only `list sites` takes a scenario");
    std::string text;
    for (const Shelf& shelf : shelves) {
        if (what == shelf.name) text = files_text(shelf.files(), 0);
        if (what.empty()) text += std::string(shelf.name) + '\n' + files_text(shelf.files(), 2);
    }
    write_output("", text);
    return exit_done;
}

}  // namespace forksim
