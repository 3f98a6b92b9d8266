#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <sstream>

#include "platforms/library.hpp"
#include "platforms/machine.hpp"
#include "platforms/machines.hpp"
#include "platforms/settings.hpp"
#include "platforms/units.hpp"

using namespace forksim;

namespace {

bool readme_has_line(const std::string& wanted) {
    std::ifstream readme(std::filesystem::path(FORKSIM_PLATFORMS) / "README.md");
    for (std::string line; std::getline(readme, line);) {
        if (line == wanted) return true;
    }
    return false;
}

std::string code(std::string_view name) {
    std::ostringstream text;
    text << '`' << name << '`';
    return text.str();
}

/// In ns, or a dash for a distance that the machine does not have.
std::string ns(Time time) {
    std::ostringstream text;
    text << static_cast<double>(time.ps) / 1000;
    return time.ps == 0 ? "-" : text.str();
}

/// A line of a table.
std::string row(std::initializer_list<std::string_view> cells) {
    std::ostringstream text;
    for (const std::string_view cell : cells) text << "| " << cell << ' ';
    text << '|';
    return text.str();
}

}  // namespace

TEST_CASE("the README's table of machines is the table") {
    for (const Machine& m : machines()) {
        std::string names = code(m.key);
        if (!m.alias.empty()) names.append(" ").append(code(m.alias));
        const std::string caches = m.cores_per_llc == 0 ? "socket" : std::to_string(m.cores_per_llc);
        const std::string line = row({names, m.source, ns(m.smt), ns(m.llc), ns(m.socket), ns(m.cross_socket), caches,
                                      name_of(m.coherence), std::to_string(m.clock_mhz)});
        CAPTURE(line);
        CHECK(readme_has_line(line));
    }
}

TEST_CASE("the README's list of shipped platforms is the list") {
    for (const PlatformShape& shape : shipped_shapes()) {
        const std::string line = row({code(shape.name), composition(topology_of_shape(shape)), code(shape.like)});
        CAPTURE(line);
        CHECK(readme_has_line(line));
    }
}

TEST_CASE("the README's table of settable keys is the table") {
    for (const PlatformKey& key : platform_keys()) {
        const std::string name = std::string("platform.").append(key.name);
        const std::string line = row({code(name), key.unit, key.range, key.doc});
        CAPTURE(line);
        CHECK(readme_has_line(line));
    }
}
