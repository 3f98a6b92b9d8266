#include "analysis/export/anchor.hpp"

#include <doctest/doctest.h>

#include "tests/analysis/export/made_up.hpp"

using namespace forksim;

TEST_CASE("one task is the first root on the first CPU, every duration at its mean") {
    Program p = made_up::program();
    p.roots[0].key = 77;
    p.samplers = {{1'000, 0}, {2'000, -2}, {3'000, Sampler::constant}};
    const ModelSpec m = made_up::model();
    const Topology t = made_up::topology();
    const OneTask one = reduced_to_one_task({p, m, t});
    REQUIRE(one.program.roots.size() == 1);
    CHECK(one.program.roots[0].key == 77);
    CHECK(one.topology.cpu_count() == 1);
    REQUIRE(one.program.masks.size() == 1);
    CHECK(one.program.masks[0].test(0));
    CHECK_FALSE(one.program.masks[0].test(1));
    for (std::size_t i = 0; i < 3; ++i) {
        CHECK(one.program.samplers[i].table == Sampler::constant);
        CHECK(one.program.samplers[i].mean_ps == p.samplers[i].mean_ps);
    }
}

TEST_CASE("the anchor is the critical path per operation, and its parts sum to its length") {
    const auto anchor = anchor_of(made_up::record());
    REQUIRE(anchor);
    CHECK(anchor->operations == 100);
    CHECK(anchor->length_ps == 10);
    CHECK(anchor->parts.user == 3);
    CHECK(anchor->parts.hold == 4);
    CHECK(anchor->parts.lines == 0.5);
    CHECK(anchor->parts.handoff == 2.5);
}

TEST_CASE("a run without operations has no anchor") {
    Record record = made_up::record();
    record.counts[0] = 0;
    CHECK_FALSE(anchor_of(record));
}
