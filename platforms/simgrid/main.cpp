#include <sys/resource.h>

#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include "platforms/simgrid/topology.hpp"
#include "platforms/topology_text.hpp"
#include "sim/error.hpp"

namespace {

constexpr const char* usage = "usage: forksim-simgrid topology FILE";

/// Everything that can be said about a file without SimGrid, whose own answers are poor.
void require_readable(const std::string& file) {
    std::error_code ignored;
    if (!std::filesystem::exists(file, ignored)) throw forksim::InputError(file + ": no such file");
    if (std::filesystem::is_directory(file, ignored)) throw forksim::InputError(file + ": is a directory");
    if (!std::ifstream(file)) throw forksim::InputError(file + ": cannot be read");
    if (!file.ends_with(".xml")) throw forksim::InputError(file + ": a platform file is called NAME.xml");
}

int print_topology(const std::string& file) {
    require_readable(file);
    const std::string text = forksim::format_topology(forksim::topology_from_simgrid(file));
    const bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0;
    return written ? 0 : 70;
}

}  // namespace

/// Exit status: 0 done, 2 usage or input error (one line on stderr), 70 internal error; SimGrid may abort.
int main(int argc, char** argv) {
    const rlimit no_core_files{0, 0};
    setrlimit(RLIMIT_CORE, &no_core_files);
    try {
        const std::string_view command = argc > 1 ? argv[1] : "";
        if (command == "topology" && argc == 3) return print_topology(argv[2]);
        std::fprintf(stderr, "%s\n", usage);
        return 2;
    } catch (const forksim::InputError& e) {
        std::fprintf(stderr, "%s\n", e.what());
        return 2;
    } catch (const std::exception& e) {
        std::fprintf(stderr, "internal error: %s\n", e.what());
        return 70;
    }
}
