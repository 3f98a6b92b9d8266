#include "analysis/export/lives_needed.hpp"

#include <doctest/doctest.h>

#include "tests/analysis/export/made_up.hpp"

using namespace forksim;

TEST_CASE("a million lives give 1 % on two sockets, 30 thousand 0.2 % on one") {
    CHECK(lives_needed(2, 0.01) == 1'000'000);
    CHECK(lives_needed(1, 0.002) == 30'000);
    CHECK(lives_needed(2, 0.02) == 250'000);
}

TEST_CASE("a run with too few lives is warned about, one that creates no task is not") {
    Result r = made_up::result();
    Topology t = made_up::topology();
    Program p = made_up::program();
    CHECK(too_few_lives(r, p, t).empty());
    p.spawns.resize(1);
    CHECK(too_few_lives(r, p, t).find("100 lives simulated; 1 % on 1 socket takes 1200") == 0);
    r.operations = 1200;
    CHECK(too_few_lives(r, p, t).empty());
    t.cpus[10].socket = 1;
    CHECK_FALSE(too_few_lives(r, p, t).empty());
    r.operations = 1'000'000;
    CHECK(too_few_lives(r, p, t).empty());
}
