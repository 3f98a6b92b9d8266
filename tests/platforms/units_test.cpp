#include "platforms/units.hpp"

#include <doctest/doctest.h>

#include <iterator>

using namespace forksim;

TEST_CASE("durations are read exactly, with their unit") {
    const auto ps = [](const char* text) { return parse_duration(text)->ps; };
    CHECK(ps("0ns") == 0);
    CHECK(ps("7ps") == 7);
    CHECK(ps("46.6ns") == 46'600);
    CHECK(ps("0.001ns") == 1);
    CHECK(ps("12.670000ns") == 12'670);
    CHECK(ps("1.5us") == 1'500'000);
    CHECK(ps("100ms") == 100'000'000'000);
    CHECK(ps("1s") == 1'000'000'000'000);
}

TEST_CASE("what is no duration is not read as one") {
    for (const char* text : {"",      "ns",
                             "5",     "5 ns",
                             "5n",    "-5ns",
                             "+5ns",  "5.ns",
                             ".5ns",  "5..1ns",
                             "1e3ns", "0x5ns",
                             "5ns ",  "0.0001ns",
                             "0.5ps", "1.000000000001s",
                             "2s",    "99999999999999999999s",
                             "5nss",  "NaNns"}) {
        CAPTURE(text);
        CHECK_FALSE(parse_duration(text).has_value());
    }
}

TEST_CASE("durations are printed in the largest unit that leaves at least one, and read back the same") {
    CHECK(format_duration({0}) == "0ns");
    CHECK(format_duration({7}) == "7ps");
    CHECK(format_duration({46'600}) == "46.6ns");
    CHECK(format_duration({1'000'001}) == "1.000001us");
    CHECK(format_duration(Time::from_us(600)) == "600us");
    for (std::int64_t ps = 1; ps < 1'000'000'000'000; ps = ps * 3 + 1)
        CHECK(parse_duration(format_duration({ps}))->ps == ps);
}

TEST_CASE("fractions lie above zero and up to one") {
    CHECK(parse_fraction("0.62") == 0.62);
    CHECK(parse_fraction("1") == 1.0);
    CHECK(parse_fraction("1.000") == 1.0);
    for (const char* text : {"0", "0.0", "1.1", "-0.5", "0,5", "half", "", "."}) {
        CAPTURE(text);
        CHECK_FALSE(parse_fraction(text).has_value());
    }
}

TEST_CASE("idle states are pairs in ascending order") {
    const auto states = parse_idle_states("0ns:1us 2us:2us 600us:95us");
    REQUIRE(states.has_value());
    REQUIRE(states->size() == 3);
    CHECK(states->at(2).after == Time::from_us(600));
    CHECK(states->at(2).exit == Time::from_us(95));
    CHECK(format_idle_states(*states) == "0ns:1us 2us:2us 600us:95us");
    CHECK(parse_idle_states("none")->empty());
    CHECK(format_idle_states({}) == "none");
    for (const char* text :
         {"", "1us", "1us:", ":1us", "2us:1us 1us:2us", "1us:1us 1us:2us", "1us:1us ", "1us:1us  2us:2us"}) {
        CAPTURE(text);
        CHECK_FALSE(parse_idle_states(text).has_value());
    }
}

TEST_CASE("counts are whole numbers within their bound") {
    CHECK(parse_count("0", 63) == 0U);
    CHECK(parse_count("63", 63) == 63U);
    for (const char* text : {"64", "-1", "+1", "1.0", "", "1 ", "99999999999"}) {
        CAPTURE(text);
        CHECK_FALSE(parse_count(text, 63).has_value());
    }
}
