#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>

#include "analysis/cli/command.hpp"
#include "scenarios/diagnostics.hpp"
#include "sim/error.hpp"

namespace forksim {
namespace {

std::vector<std::string> option_names(const CLI::App& app) {
    std::vector<std::string> names;
    for (const CLI::Option* option : app.get_options()) {
        for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
    }
    return names;
}

/// One line about what CLI11 refuses.
std::string refusal(const CLI::App& app, const CLI::ParseError& error, const Invocation& invocation) {
    const std::string where = app.get_name() + ": ";
    const auto unknown = std::ranges::find_if(invocation.arguments, [&](const std::string& argument) {
        const std::string name = argument.substr(0, argument.find('='));
        return name.starts_with("--") && name.size() > 2 && app.get_option_no_throw(name) == nullptr;
    });
    if (unknown != invocation.arguments.end()) {
        const std::string name = unknown->substr(0, unknown->find('='));
        const std::string near = nearest(name, option_names(app));
        return where + "unknown option " + shown(name) + (near.empty() ? "" : " (did you mean '" + near + "'?)");
    }
    std::string reason = error.what();
    std::ranges::replace(reason, '\n', ' ');
    reason.erase(reason.find_last_not_of(' ') + 1);
    return where + reason;
}

}  // namespace

bool parse_arguments(CLI::App& app, const Invocation& invocation) {
    bool verbose = false;
    bool quiet = false;
    app.add_flag("-v,--verbose", verbose, "explain on standard error what is done");
    app.add_flag("-q,--quiet", quiet, "print errors and the result only");
    std::vector<std::string> reversed(invocation.arguments.rbegin(), invocation.arguments.rend());
    try {
        app.parse(reversed);
    } catch (const CLI::CallForHelp&) {
        std::fputs(app.help().c_str(), stdout);
        return false;
    } catch (const CLI::ParseError& error) {
        throw InputError(refusal(app, error, invocation));
    }
    if (verbose) invocation.log.set(Verbosity::verbose);
    if (quiet) invocation.log.set(Verbosity::quiet);
    return true;
}

}  // namespace forksim
