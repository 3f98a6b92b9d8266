#include "analysis/export/reference.hpp"

#include <doctest/doctest.h>

#include <string>

#include "sim/error.hpp"
#include "tests/analysis/export/made_up.hpp"

using namespace forksim;

namespace {

const std::string answer =
    "forksim-reference/1\nwindow_ps 1000000000\nevents 400\nties 2\ncount 0 50\ncount 1 3\n"
    "site 1 100 7 123456789 500\nsite 4 25 0 0 20000000000000000000\nend\n";

ReferenceRecord parse(const std::string& text) { return parse_reference(text, made_up::program(), 4); }

std::string with(const std::string& from, const std::string& to) {
    std::string text = answer;
    text.replace(text.find(from), from.size(), to);
    return text;
}

}  // namespace

TEST_CASE("the reference engine's answer is read to the picosecond and merges like a record") {
    ReferenceRecord r = parse(answer);
    CHECK(r.record.window == Time::from_ms(1));
    CHECK(r.record.events == 400);
    CHECK(r.record.counts == std::vector<std::uint64_t>{50, 3});
    CHECK(r.record.sites[1].acquisitions == 100);
    CHECK(r.record.sites[1].contended == 7);
    CHECK(r.sums.waits[1] == 123456789);
    CHECK(r.record.sites[2].acquisitions == 0);
    r.merge(parse(answer));
    CHECK(r.sums.waits[1] == 246913578);
    CHECK(r.sums.holds[1] == 1000);
    CHECK(r.sums.holds[4] == uint128{10'000'000'000'000'000'000u} * 4);
    CHECK(r.record.counts_by_replication.size() == 2);
    CHECK(r.record.replications == 2);
}

TEST_CASE("an answer that is cut short, of another form or about another program is refused") {
    CHECK_THROWS_AS(parse(""), InternalError);
    CHECK_THROWS_AS(parse(answer.substr(0, answer.size() - 4)), InternalError);
    CHECK_THROWS_AS(parse(answer.substr(0, answer.size() - 1)), InternalError);
    CHECK_THROWS_AS(parse(with("reference/1", "reference/2")), InternalError);
    CHECK_THROWS_AS(parse(with("site 4", "site 7")), InternalError);
    CHECK_THROWS_AS(parse(with("count 1", "count 2")), InternalError);
    CHECK_THROWS_AS(parse(with("100 7", "100 101")), InternalError);
    CHECK_THROWS_AS(parse(with("9 500", "9 500 0")), InternalError);
    CHECK_THROWS_AS(parse(with("9 500", "9 -1")), InternalError);
    CHECK_THROWS_AS(parse(with("9 500", "9")), InternalError);
    CHECK_THROWS_AS(parse(with("events", "evens")), InternalError);
    CHECK_THROWS_AS(parse(with("window_ps 1000000000\n", "")), InternalError);
}
