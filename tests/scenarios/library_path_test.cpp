#include "scenarios/library_path.hpp"

#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>

#include "sim/error.hpp"

namespace forksim {

namespace fs = std::filesystem;

TEST_CASE("from the build directory, the library is the source tree") {
    unsetenv("FORKSIM_LIBRARY");
    CHECK(fs::exists(library_directory() / "meson.build"));
    CHECK(fs::is_directory(library_directory() / "platforms"));
}

TEST_CASE("FORKSIM_LIBRARY names the library, and a wrong one is refused by name") {
    const fs::path folder = fs::temp_directory_path() / "forksim-library-test";
    fs::remove_all(folder);
    setenv("FORKSIM_LIBRARY", folder.c_str(), 1);
    CHECK_THROWS_WITH_AS(library_directory(), doctest::Contains(folder.c_str()), InputError);

    fs::create_directories(folder / "scenarios");
    CHECK(library_directory() == folder);
    unsetenv("FORKSIM_LIBRARY");
    fs::remove_all(folder);
}

TEST_CASE("from the build directory, the helper is the one just built") {
    CHECK(helper_executable().filename() == "forksim-simgrid");
    CHECK(helper_executable().parent_path() == converted_platforms_directory().parent_path().parent_path());
}

}  // namespace forksim
