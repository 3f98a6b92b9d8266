#include "tests/scenarios/fault_table.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <vector>

#include "tests/scenarios/scratch.hpp"

namespace forksim::test {
namespace {

struct Placed {
    std::string text;
    std::uint32_t line = 1;
    std::uint32_t column = 1;
};

/// Takes the mark out of the text.
Placed place(const std::string& marked) {
    Placed result;
    const std::size_t at = marked.find('^');
    REQUIRE(at != std::string::npos);
    for (std::size_t i = 0; i < at; ++i) {
        result.line += marked[i] == '\n' ? 1 : 0;
        result.column = marked[i] == '\n' ? 1 : result.column + 1;
    }
    result.text = marked.substr(0, at) + marked.substr(at + 1);
    return result;
}

}  // namespace

void check_places(const std::vector<Fault>& faults) {
    for (const Fault& fault : faults) {
        CAPTURE(fault.name);
        for (const std::string prefix : {"", "# one\n\n# three\n"}) {
            const Placed placed = place(prefix + fault.text);
            const std::vector<Diagnostic> found = faults_of(placed.text);
            REQUIRE(!found.empty());
            std::string all;
            bool matches = false;
            for (const Diagnostic& one : found) {
                all += "\n" + one.text();
                matches = matches || (one.line == placed.line && one.column == placed.column &&
                                      one.message.find(fault.message) != std::string::npos &&
                                      one.hint.find(fault.hint) != std::string::npos);
            }
            INFO("expected ", placed.line, ":", placed.column, " ", fault.message, "; found:", all);
            CHECK(matches);
            CHECK(found.size() == 1);
        }
    }
}

void check_fault(const Fault& fault) { check_places({fault}); }

}  // namespace forksim::test
