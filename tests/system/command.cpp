#include "tests/system/command.hpp"

#include <doctest/doctest.h>
#include <sys/wait.h>

#include <cstdlib>

#include "tests/system/runs.hpp"

namespace forksim::test {

CommandRun forksim(const std::string& arguments, const std::filesystem::path& folder, const std::string& environment) {
    const TempFolder files;
    const std::string out = (files.path() / "out").string();
    const std::string err = (files.path() / "err").string();
    const std::string line = "cd '" + folder.string() + "' && " + environment + " '" FORKSIM_COMMAND "' " + arguments +
                             " </dev/null >'" + out + "' 2>'" + err + "'";
    const int status = std::system(line.c_str());
    CommandRun run;
    run.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128;
    run.out = read_text(out);
    run.err = read_text(err);
    return run;
}

std::string forksim_output(const std::string& arguments, const std::filesystem::path& folder,
                           const std::string& environment) {
    const CommandRun run = forksim(arguments, folder, environment);
    REQUIRE_MESSAGE(run.status == 0, "forksim " << arguments << ": " << run.err);
    return run.out;
}

}  // namespace forksim::test
