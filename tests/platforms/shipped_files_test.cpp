#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "platforms/library.hpp"

// FORKSIM_UPDATE=1 in the environment writes the files anew instead of comparing them.

using namespace forksim;

namespace fs = std::filesystem;

namespace {

std::string contents(const fs::path& file) {
    std::ostringstream text;
    text << std::ifstream(file).rdbuf();
    return text.str();
}

}  // namespace

TEST_CASE("the shipped platform files are what the generator prints") {
    for (const PlatformShape& shape : shipped_shapes()) {
        const fs::path file = fs::path(FORKSIM_PLATFORMS) / (shape.name + ".xml");
        CAPTURE(file);
        const std::string generated = generate_platform_xml(shape);
        if (std::getenv("FORKSIM_UPDATE") != nullptr) std::ofstream(file) << generated;
        CHECK(contents(file) == generated);
    }
}

TEST_CASE("no platform file is shipped without being listed") {
    std::set<std::string> files;
    for (const auto& entry : fs::directory_iterator(FORKSIM_PLATFORMS)) {
        if (entry.path().extension() == ".xml") files.insert(entry.path().stem());
    }
    const std::vector<std::string> listed = shipped_platforms();
    CHECK(files == std::set<std::string>(listed.begin(), listed.end()));
}

TEST_CASE("each shipped file names its measured row, or says that it is an estimate") {
    const auto header = [](const char* name) {
        const std::string text = contents(fs::path(FORKSIM_PLATFORMS) / (std::string(name) + ".xml"));
        return text.substr(0, text.find("-->"));
    };
    CHECK(header("xeon-1s-20c").find("2x Xeon 8275CL (Cascade Lake, c5.metal)") != std::string::npos);
    CHECK(header("cascadelake-2s-20c-smt").find("2x Xeon Gold 6242 and 2x Xeon 8275CL") != std::string::npos);
    CHECK(header("epyc-2s-128c-smt").find("ESTIMATE: the row 2x EPYC 7R13 (Milan)") != std::string::npos);
}
