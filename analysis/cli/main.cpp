#include <cstdio>
#include <exception>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/cli/command.hpp"
#include "scenarios/diagnostics.hpp"
#include "sim/error.hpp"

namespace {

using namespace forksim;

struct Subcommand {
    const char* name;
    int (*run)(const Invocation&);
    const char* help;
};

constexpr Subcommand subcommands[] = {
    {"run", run_command, "simulate a scenario and report throughput, waits and latencies"},
    {"whatif", whatif_command, "compare a scenario with variants: what a patch gains, and how sure that is"},
    {"speedup", speedup_command, "throughput as the times of a site go from 100 % to 0 %"},
    {"check", check_command, "read scenarios and say what is wrong with them, or in which order locks are taken"},
    {"show", show_command, "print a scenario with everything applied to it"},
    {"list", list_command, "list kernels, patches, platforms, scenarios or sites"},
};

std::string usage() {
    std::string text =
        "usage: forksim SUBCOMMAND ...\n\n"
        "Simulates the locks that Linux takes when it creates and destroys a task.\n\n";
    for (const Subcommand& s : subcommands)
        text += "  " + std::string(s.name) + std::string(9 - std::string_view(s.name).size(), ' ') + s.help + '\n';
    return text +
           "\n  forksim SUBCOMMAND --help   the options of a subcommand\n"
           "  forksim --version           the version\n\n"
           "Exit status: 0 done, 1 the answer is \"no\", 2 usage or input error,\n"
           "3 deadlock, livelock or a cycle in the model's lock order, 70 internal\n"
           "error, 130 interrupted.\n";
}

int dispatch(const std::vector<std::string>& words, Log& log) {
    const std::string name = words.empty() ? "" : words.front();
    if (name == "--help" || name == "-h" || name == "help") {
        std::fputs(usage().c_str(), stdout);
        return exit_done;
    }
    if (name == "--version") {
        std::puts("forksim " FORKSIM_VERSION);
        return exit_done;
    }
    std::vector<std::string> names;
    for (const Subcommand& s : subcommands) {
        if (name == s.name) return s.run({FORKSIM_VERSION, {words.begin() + 1, words.end()}, log});
        names.emplace_back(s.name);
    }
    if (name.empty()) throw InputError("forksim: no subcommand given (forksim --help lists them)");
    throw InputError("forksim: unknown subcommand " + shown(name) + " (" + suggestion(name, names) + ")");
}

}  // namespace

int main(int argc, char** argv) {
    Log log;
    try {
        return dispatch({argv + 1, argv + argc}, log);
    } catch (const InputError& error) {
        log.error(error.what());
        return exit_usage;
    } catch (const ModelStuck& stuck) {
        log.error(stuck.what());
        return exit_stuck;
    } catch (const std::exception& error) {
        log.error(std::string("forksim: internal error: ") + error.what());
        return exit_internal;
    }
}
