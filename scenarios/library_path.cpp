#include "scenarios/library_path.hpp"

#include <algorithm>
#include <cstdlib>
#include <string>
#include <system_error>

#include "scenarios/install_paths.hpp"
#include "sim/error.hpp"

namespace forksim {
namespace {

namespace fs = std::filesystem;

fs::path executable() { return fs::read_symlink("/proc/self/exe"); }

bool runs_from_build() {
    const fs::path build = FORKSIM_BUILD_ROOT;
    const fs::path self = executable();
    return std::mismatch(build.begin(), build.end(), self.begin(), self.end()).first == build.end();
}

/// Where `installed` (as configured) lies now: only its place relative to the command, or to the helper, is kept.
fs::path beside_command(const fs::path& installed) {
    const fs::path self = executable();
    const fs::path own = self.filename() == "forksim-simgrid" ? FORKSIM_HELPER_DIR : FORKSIM_BINDIR;
    return (self.parent_path() / installed.lexically_relative(own)).lexically_normal();
}

}  // namespace

fs::path library_directory() {
    fs::path found;
    if (const char* named = std::getenv("FORKSIM_LIBRARY"); named != nullptr && *named != '\0') {
        found = named;
    } else {
        found = runs_from_build() ? fs::path(FORKSIM_SOURCE_ROOT) : beside_command(FORKSIM_LIBRARY_DIR);
    }
    std::error_code ignored;
    if (!fs::is_directory(found / "scenarios", ignored)) {
        throw InputError("no library of scenarios in '" + found.string() +
                         "'; FORKSIM_LIBRARY can name the directory that holds scenarios/ and platforms/");
    }
    return found;
}

fs::path converted_platforms_directory() {
    return runs_from_build() ? fs::path(FORKSIM_BUILD_ROOT) / "platforms" / "converted"
                             : beside_command(FORKSIM_LIBRARY_DIR) / "platforms";
}

fs::path helper_executable() {
    const fs::path found = runs_from_build() ? fs::path(FORKSIM_BUILD_ROOT) / "forksim-simgrid"
                                             : beside_command(FORKSIM_HELPER_DIR) / "forksim-simgrid";
    std::error_code ignored;
    if (!fs::exists(found, ignored)) throw InputError("the helper '" + found.string() + "' is missing");
    return found;
}

}  // namespace forksim
