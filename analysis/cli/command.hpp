#pragma once
#include <string>
#include <vector>

#include "analysis/cli/log.hpp"

namespace CLI {
class App;
}

namespace forksim {

/// How the command ends; design of all subcommands. Exceptions become one of these in main().
enum ExitStatus : int {
    exit_done = 0,
    exit_no = 1,             ///< the answer is "no"
    exit_usage = 2,          ///< the user's mistake, in options or files
    exit_stuck = 3,          ///< deadlock or livelock in the model, or a cycle in its lock order
    exit_internal = 70,      ///< a fault of forksim itself
    exit_interrupted = 130,  ///< by SIGINT; what there was is written
};

/// What a subcommand is given.
struct Invocation {
    std::string version;                 ///< of forksim
    std::vector<std::string> arguments;  ///< behind the name of the subcommand
    Log& log;
};

// One file per subcommand. Each throws what main() turns into an exit status.

int run_command(const Invocation& invocation);
int whatif_command(const Invocation& invocation);
int speedup_command(const Invocation& invocation);
int check_command(const Invocation& invocation);
int show_command(const Invocation& invocation);
int list_command(const Invocation& invocation);

/// Parses the arguments of a subcommand and sets the log's verbosity (-v, -q). Returns false after it has printed the
/// help. Throws InputError, with the nearest option, for arguments that `app` does not know.
bool parse_arguments(CLI::App& app, const Invocation& invocation);

}  // namespace forksim
