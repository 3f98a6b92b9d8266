#include "analysis/export/numbers.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

using namespace forksim;

TEST_CASE("numbers for programs have at most twelve significant digits and no noise") {
    CHECK(number_12(0.1 + 0.2) == "0.3");
    CHECK(number_12(465000) == "465000");
    CHECK(number_12(1.0 / 3) == "0.333333333333");
    CHECK(number_12(123456789012345.0) == "1.23456789012e+14");
    CHECK(number_12(-0.0) == "0");
    CHECK(number_12(-2.5) == "-2.5");
    CHECK(number_12(std::numeric_limits<double>::infinity()) == "null");
    CHECK(number_12(std::nan("")) == "null");
}

TEST_CASE("picoseconds are written as nanoseconds without loss") {
    CHECK(exact_ns(std::int64_t{0}) == "0");
    CHECK(exact_ns(std::int64_t{12'000}) == "12");
    CHECK(exact_ns(std::int64_t{1'234'567}) == "1234.567");
    CHECK(exact_ns(std::int64_t{500}) == "0.5");
    CHECK(exact_ns(std::int64_t{1}) == "0.001");
    CHECK(exact_ns(std::int64_t{-1'050}) == "-1.05");
    CHECK(exact_ns(std::numeric_limits<std::int64_t>::max()) == "9223372036854775.807");
    CHECK(exact_ns(uint128{10'000'000'000'000'000'000u} * 1000 + 10) == "10000000000000000000.01");
}

TEST_CASE("times for people carry the unit that fits") {
    CHECK(time_text(0) == "0ns");
    CHECK(time_text(48'000) == "48.00ns");
    CHECK(time_text(500) == "0.500ns");
    CHECK(time_text(1'934'250) == "1.934us");
    CHECK(time_text(999'900) == "999.9ns");
    CHECK(time_text(999'960) == "1.000us");
    CHECK(time_text(12.34e9) == "12.34ms");
    CHECK(time_text(1.58e12) == "1.580s");
    CHECK(time_text(4000e12) == "4000s");
}

TEST_CASE("shares and plain numbers for people are short") {
    CHECK(percent_text(0.1234) == "12.3");
    CHECK(percent_text(1) == "100.0");
    CHECK(percent_text(std::nan("")) == "-");
    CHECK(short_text(3) == "3.000");
    CHECK(short_text(0.0625) == "0.06250");
    CHECK(short_text(9.99996) == "10.00");
    CHECK(short_text(465123.4) == "465123");
    CHECK(short_text(0) == "0");
    CHECK(short_text(1.5e-7) == "1.5e-07");
}
