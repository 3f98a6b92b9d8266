#include "scenarios/values.hpp"

#include <doctest/doctest.h>

namespace forksim::language {
namespace {

double number(const char* text, const Names& names = {}) {
    const Evaluated result = evaluate(text, names);
    REQUIRE_MESSAGE(result.value.has_value(), text, ": ", result.message);
    CHECK(!result.value->is_time);
    return result.value->number;
}

std::int64_t ps(const char* text, const Names& names = {}) {
    const Evaluated result = evaluate(text, names);
    REQUIRE_MESSAGE(result.value.has_value(), text, ": ", result.message);
    CHECK(result.value->is_time);
    return to_time(*result.value, Time::from_ms(4)).ps;
}

std::string refusal(const char* text) {
    const Evaluated result = evaluate(text, {});
    CHECK(!result.value.has_value());
    return result.message;
}

}  // namespace

TEST_CASE("times are exact to the picosecond in every unit") {
    CHECK(ps("60ns") == 60'000);
    CHECK(ps("1.4us") == 1'400'000);
    CHECK(ps("0.001ns") == 1);
    CHECK(ps("15ms") == 15'000'000'000);
    CHECK(ps("4000s") == 4'000'000'000'000'000);
    CHECK(ps("3999.999999999999s") == 3'999'999'999'999'999);
    CHECK(ps("7ps") == 7);
}

TEST_CASE("a jiffy is 1 / hz, here 4 ms") {
    CHECK(ps("5j") == 20'000'000'000);
    CHECK(ps("0.5j + 1us") == 2'001'000'000);
}

TEST_CASE("expressions follow the usual precedence") {
    CHECK(number("2+3*4") == 14);
    CHECK(number("(2+3)*4") == 20);
    CHECK(number("-2^2") == -4);
    CHECK(number("2^-20") == 1.0 / 1048576);
    CHECK(number("2^3^2") == 512);
    CHECK(number("6%") == 0.06);
    CHECK(number("1e3") == 1000);
    CHECK(number("10ms/2ms") == 5);
    CHECK(ps("2*(1us+500ns)") == 3'000'000);
    CHECK(ps("1us/4") == 250'000);
}

TEST_CASE("names stand for values") {
    const Names names = {{"n", {72, 0, 0, false}}, {"hold", {0, 50e9, 0, true}}};
    CHECK(number("1/(n*2000*100)", names) == 1.0 / 14'400'000);
    CHECK(ps("2*hold", names) == 100'000'000'000);
}

TEST_CASE("what makes no sense is refused, and says why") {
    CHECK(refusal("1us+1") == "adds a time and a plain number");
    CHECK(refusal("1us*1us") == "multiplies two times");
    CHECK(refusal("1/0") == "divides by zero");
    CHECK(refusal("1/1us") == "divides by a time");
    CHECK(refusal("2^0.5") == "'^' needs a plain number and a whole exponent up to 1000");
    CHECK(refusal("(1") == "lacks a ')'");
    CHECK(refusal("1 2") == "unexpected '2'");
    CHECK(refusal("") == "is not a number");
    CHECK(refusal("1h") == "unknown unit 'h'");
    CHECK(refusal("10^400") == "is not a usable number");
    CHECK(refusal("0^-1") == "is not a usable number");
    CHECK(refusal("0.0004ns") == "is finer than a picosecond");
}

TEST_CASE("values are shown as they are written") {
    const auto shown_as = [](const char* text) { return to_text(*evaluate(text, {}).value); };
    CHECK(shown_as("60ns") == "60ns");
    CHECK(shown_as("1400ns") == "1.4us");
    CHECK(shown_as("0ns") == "0ns");
    CHECK(shown_as("5j") == "5j");
    CHECK(shown_as("0.25") == "0.25");
}

TEST_CASE("scaling a duration scales every time of it, and its range") {
    Duration duration;
    duration.shape = Duration::Shape::bimodal;
    duration.a = *evaluate("40ns", {}).value;
    duration.b = *evaluate("250ns", {}).value;
    duration.range = {*evaluate("30ns", {}).value, *evaluate("50ns", {}).value};
    scale(duration, 0.5);
    CHECK(duration.a.ps == 20'000);
    CHECK(duration.b.ps == 125'000);
    CHECK(duration.range->second.ps == 25'000);
}

}  // namespace forksim::language
