#include <sys/resource.h>
#include <unistd.h>

#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "platforms/simgrid/run_command.hpp"
#include "platforms/simgrid/topology.hpp"
#include "platforms/topology_text.hpp"
#include "sim/error.hpp"

namespace {

constexpr const char* topology_usage = "usage: forksim-simgrid topology FILE";

/// Everything that can be said about a file without SimGrid, whose own answers are poor.
void require_readable(const std::string& file) {
    std::error_code ignored;
    if (!std::filesystem::exists(file, ignored)) throw forksim::InputError(file + ": no such file");
    if (std::filesystem::is_directory(file, ignored)) throw forksim::InputError(file + ": is a directory");
    if (!std::ifstream(file)) throw forksim::InputError(file + ": cannot be read");
    if (!file.ends_with(".xml")) throw forksim::InputError(file + ": a platform file is called NAME.xml");
}

std::string topology_text(const std::string& file) {
    require_readable(file);
    return forksim::format_topology(forksim::topology_from_simgrid(file));
}

int print(const std::string& text) {
    const bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0;
    return written ? 0 : 70;
}

int complain(const std::string& what, int status) {
    std::fprintf(stderr, "%s\n", what.c_str());
    return status;
}

int helper(const std::vector<std::string>& words) {
    try {
        const std::string_view command = words.empty() ? "" : std::string_view(words.front());
        if (command == "topology" && words.size() == 2) return print(topology_text(words[1]));
        if (command == "run") return print(forksim::run_command({words.begin() + 1, words.end()}));
        return complain(std::string(topology_usage) + "\n" + forksim::run_usage, 2);
    } catch (const forksim::InputError& e) {
        return complain(e.what(), 2);
    } catch (const forksim::ModelStuck& e) {
        return complain(e.what(), 3);
    } catch (const std::exception& e) {
        return complain("internal error: " + std::string(e.what()), 70);
    }
}

}  // namespace

/// Exit status: 0 done, 2 usage or input error (one line on stderr), 3 deadlock, 70 internal error; SimGrid may abort.
int main(int argc, char** argv) {
    const rlimit no_core_files{0, 0};
    setrlimit(RLIMIT_CORE, &no_core_files);
    const int status = helper({argv + 1, argv + argc});
    std::fflush(stderr);
    _exit(status);  // the actors of a run have not ended, and SimGrid would insist
}
