#include "sim/event_tree.hpp"

#include <doctest/doctest.h>

#include <set>
#include <stdexcept>
#include <utility>

#include "sim/error.hpp"
#include "sim/random.hpp"

namespace forksim {

TEST_CASE("a new event tree is empty and its next time is never") {
    for (const std::uint32_t leaves : {1u, 2u, 3u, 60u, EventTree::max_leaves}) {
        const EventTree tree(leaves);
        CHECK(tree.empty());
        CHECK(tree.next_time() == Time::never());
        CHECK(tree.time_of(leaves - 1) == Time::never());
    }
}

TEST_CASE("events leave the tree by time, and by leaf number at equal times") {
    EventTree tree(5);
    tree.set(4, Time{70});
    tree.set(3, Time{50});
    tree.set(1, Time{50});
    tree.set(0, Time{90});
    for (const auto& [leaf, ps] : {std::pair{1u, 50}, {3u, 50}, {4u, 70}, {0u, 90}}) {
        CHECK(tree.next_leaf() == leaf);
        CHECK(tree.next_time() == Time{ps});
        CHECK(tree.time_of(leaf) == Time{ps});
        tree.set(leaf, Time::never());
    }
    CHECK(tree.empty());
}

TEST_CASE("the largest tree tells neighbouring picoseconds apart up to the time limit") {
    EventTree tree(EventTree::max_leaves);
    const std::uint32_t last = EventTree::max_leaves - 1;
    tree.set(0, time_limit);
    tree.set(last, time_limit - Time{1});
    CHECK(tree.next_leaf() == last);
    CHECK(tree.next_time() == time_limit - Time{1});
    tree.set(last, time_limit);
    CHECK(tree.next_leaf() == 0);
    CHECK(tree.time_of(last) == time_limit);
}

TEST_CASE("an event beyond the time limit waits at the limit, behind all others, and is not lost") {
    EventTree tree(2);
    tree.set(0, time_limit + Time::from_s(4000));
    tree.set(1, time_limit - Time{1});
    CHECK(tree.next_leaf() == 1);
    tree.set(1, Time::never());
    CHECK(tree.next_leaf() == 0);
    CHECK(tree.next_time() == time_limit);
}

TEST_CASE("random updates leave the tree in the order of a sorted set") {
    for (const std::uint32_t leaves : {1u, 2u, 7u, 64u, 241u, 3080u}) {
        EventTree tree(leaves);
        std::set<std::pair<Time, std::uint32_t>> expected;
        for (std::uint64_t step = 0; step < 4000; ++step) {
            const Words random = draw(leaves, step, 0, 0);
            const auto leaf = static_cast<std::uint32_t>(random[0] % leaves);
            expected.erase({tree.time_of(leaf), leaf});
            // Few distinct times, so that ties are common; one update in four clears the leaf.
            const Time t = random[1] % 4 == 0 ? Time::never() : Time{static_cast<std::int64_t>(random[1] >> 56)};
            tree.set(leaf, t);
            if (t != Time::never()) expected.insert({t, leaf});
            REQUIRE(tree.empty() == expected.empty());
            if (expected.empty()) continue;
            REQUIRE(tree.next_time() == expected.begin()->first);
            REQUIRE(tree.next_leaf() == expected.begin()->second);
        }
    }
}

TEST_CASE("a tree refuses sizes, leaves and times that make no sense") {
    CHECK_THROWS_AS(EventTree(0), std::invalid_argument);
    CHECK_THROWS_AS(EventTree(EventTree::max_leaves + 1), std::invalid_argument);
    EventTree tree(3);
    CHECK_THROWS_AS(tree.set(3, Time{}), InternalError);
    CHECK_THROWS_AS(tree.set(0, Time{-1}), InternalError);
}

}  // namespace forksim
