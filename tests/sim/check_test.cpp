#include "sim/check.hpp"

#include <doctest/doctest.h>

#include <string>

#include "sim/error.hpp"

namespace forksim {

TEST_CASE("a failed check tells its place, its message and its condition") {
    const int line = __LINE__ + 3;
    std::string told;
    try {
        FORKSIM_CHECK(1 + 1 == 3, "sums are wrong");
    } catch (const InternalError& error) {
        told = error.what();
    }
    CHECK(told == "tests/sim/check_test.cpp:" + std::to_string(line) + ": sums are wrong (1 + 1 == 3)");
}

TEST_CASE("a check that holds does not evaluate its message") {
    int evaluated = 0;
    const auto message = [&] {
        ++evaluated;
        return std::string("never told");
    };
    FORKSIM_CHECK(1 + 1 == 2, message());
    CHECK(evaluated == 0);
}

}  // namespace forksim
