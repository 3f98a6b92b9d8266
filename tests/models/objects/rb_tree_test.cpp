#include "models/objects/rb_tree.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <vector>

#include "sim/random.hpp"
#include "tests/models/objects/counted_copies.hpp"
#include "tests/models/objects/pinned_spawners.hpp"
#include "tests/models/objects/textbook_tree.hpp"

using namespace forksim;
using namespace forksim::test;

namespace {

constexpr Time apart = Time::from_us(1);  // operations do not meet on the way

std::uint32_t pick(std::uint64_t n, std::uint64_t what, std::uint32_t below) {
    return static_cast<std::uint32_t>(draw(1, n, what, 0)[0] % below);
}

/// Keys in order, as the tree has them; the black height, or -1 if a rule is broken below `n`.
int walk(const RbTree& tree, RbTree::Node n, std::vector<RbTree::Node>& in_order) {
    if (n == RbTree::none) return 0;
    const RbTree::Node l = tree.child(n, RbTree::left);
    const RbTree::Node r = tree.child(n, RbTree::right);
    for (const RbTree::Node child : {l, r}) {
        if (child == RbTree::none) continue;
        if (tree.parent(child) != n || (tree.red(n) && tree.red(child))) return -1;
    }
    const int left_height = walk(tree, l, in_order);
    in_order.push_back(n);
    const int right_height = walk(tree, r, in_order);
    if (left_height < 0 || left_height != right_height) return -1;
    return left_height + (tree.red(n) ? 0 : 1);
}

/// Nodes from the root to the right end.
std::uint32_t spine(const RbTree& tree) {
    std::uint32_t length = 0;
    for (RbTree::Node n = tree.root(); n != RbTree::none; n = tree.child(n, RbTree::right)) ++length;
    return length;
}

/// As transfers_of_pinned_spawners() when CPUs take turns at random and each fills a batch of pids before it erases
/// them, oldest first.
double transfers_of_batches(Cpu cpus, std::uint32_t batch, std::uint32_t resident) {
    const Topology machine = uniform_machine(cpus);
    Lines lines(machine);
    RbTree tree(lines, lines.add(0), cpus, resident);
    std::vector<std::vector<RbTree::Node>> own(cpus);
    std::vector<std::uint32_t> erased(cpus, 0);
    Time now = apart;
    std::int64_t cost_ps = 0;
    std::int64_t count = 0;
    const std::uint64_t steps = std::uint64_t{12} * cpus * batch;
    for (std::uint64_t step = 0; step < steps; ++step) {
        const Cpu cpu = pick(step, 7, cpus);
        TouchCost cost{lines, cpu, now += apart, 0};
        if (own[cpu].size() < batch) {
            own[cpu].push_back(tree.insert(cost));
            if (step < steps / 3) continue;
            cost_ps += (cost.at - now).ps;
            ++count;
        } else {
            tree.erase(own[cpu][erased[cpu]++], cost);
            if (erased[cpu] == batch) {
                own[cpu].clear();
                erased[cpu] = 0;
            }
        }
    }
    return static_cast<double>(cost_ps) / 1000.0 / static_cast<double>(count);
}

}  // namespace

TEST_CASE("a red-black tree keeps its rules and its order over random insertions and removals") {
    const Topology machine = uniform_machine(4);
    Lines lines(machine);
    RbTree tree(lines, lines.add(0), 4, 5);
    std::vector<RbTree::Node> expected;
    REQUIRE(walk(tree, tree.root(), expected) > 0);
    REQUIRE(expected.size() == 5);
    for (std::uint32_t step = 0; step < 4000; ++step) {
        TouchCost cost{lines, step % 4, Time::from_us(step + 1), 512};
        const bool grow = pick(step, 1, 1000) < ((step / 500) % 2 == 0 ? 650u : 350u);
        if (grow || expected.size() <= 5) {
            expected.push_back(tree.insert(cost));
        } else {
            const auto at = expected.begin() + 5 + pick(step, 2, static_cast<std::uint32_t>(expected.size() - 5));
            tree.erase(*at, cost);
            expected.erase(at);
        }
        std::vector<RbTree::Node> in_order;
        REQUIRE(walk(tree, tree.root(), in_order) >= 0);
        REQUIRE(!tree.red(tree.root()));
        REQUIRE(in_order == expected);
    }
}

TEST_CASE("shape and cost of each operation are those of the textbook's tree on counted copies") {
    constexpr Cpu cpus = 6;
    const Topology machine = uniform_machine(cpus);
    Lines lines(machine);
    RbTree tree(lines, lines.add(0), cpus, 0);
    CountedCopies copies;
    TextbookTree textbook(copies);
    std::map<RbTree::Node, std::uint64_t> key_of{{RbTree::none, 0}};
    std::vector<RbTree::Node> present;
    std::uint64_t key = 0;
    for (std::uint32_t step = 0; step < 6000; ++step) {
        const Cpu cpu = pick(step, 3, cpus);
        const Time now = Time::from_us(step + 1);
        TouchCost cost{lines, cpu, now, 512};
        copies.begin(cpu, now);
        if (present.empty() || pick(step, 4, 100) < ((step / 200) % 2 == 0 ? 70u : 30u)) {
            const RbTree::Node node = tree.insert(cost);
            present.push_back(node);
            key_of[node] = ++key;
            copies.made({key, 0}, cpu);
            textbook.insert(key);
        } else {
            const auto at = present.begin() + pick(step, 5, static_cast<std::uint32_t>(present.size()));
            tree.erase(*at, cost);
            textbook.erase(key_of[*at]);
            copies.lost({key_of[*at], 0});
            present.erase(at);
        }
        CAPTURE(step);
        REQUIRE(cost.at == copies.end());
        REQUIRE(key_of.at(tree.root()) == textbook.root());
        for (const RbTree::Node n : present) {
            const TextbookTree::Node& same = textbook.nodes().at(key_of.at(n));
            REQUIRE(key_of.at(tree.parent(n)) == same.parent);
            REQUIRE(key_of.at(tree.child(n, RbTree::left)) == same.child[0]);
            REQUIRE(key_of.at(tree.child(n, RbTree::right)) == same.child[1]);
            REQUIRE(tree.red(n) == same.red);
        }
    }
}

TEST_CASE("among pinned spawners the rightmost insertion needs more transfers the more CPUs there are") {
    // Stand-alone counts of the same thing, rounded: 2, 5, 8, 10, 11 and 13.
    const std::map<Cpu, double> counted{{2, 2}, {8, 5}, {16, 8}, {32, 10}, {64, 11}, {128, 13}};
    double previous = 0;
    for (const auto& [cpus, expected] : counted) {
        const double bare = transfers_of_pinned_spawners(cpus, 0);
        const double among_residents = transfers_of_pinned_spawners(cpus, 400);
        MESSAGE(cpus << " CPUs: " << bare << " dependent transfers per insertion, " << among_residents
                     << " with 400 residents; counted elsewhere: " << expected);
        CHECK(bare == doctest::Approx(expected).epsilon(0.2));
        CHECK(among_residents == doctest::Approx(bare + 1).epsilon(0.2));
        CHECK(bare > previous);
        previous = bare;
    }
}

TEST_CASE("batches push the right spine forward, so that nobody finds it in his cache") {
    for (const Cpu cpus : {20u, 64u}) {
        const double one = transfers_of_batches(cpus, 1, 400);
        const double many = transfers_of_batches(cpus, 512, 400);
        MESSAGE(cpus << " CPUs: " << one << " dependent transfers per insertion one by one, " << many
                     << " in batches of 512");
        CHECK(many > one + 5);
        CHECK(many > 11);
        CHECK(many < 17);
    }
}

TEST_CASE("a lone CPU that inserts and erases moves no line but the residents', once") {
    const Topology machine = uniform_machine(8);
    Lines lines(machine);
    RbTree tree(lines, lines.add(0), 8, 400);
    CHECK(spine(tree) >= 9);   // no shorter than a balanced tree of 400
    CHECK(spine(tree) <= 18);  // nor longer than twice that: half of the nodes at least are black
    std::vector<RbTree::Node> nodes(40);
    std::uint64_t before = 0;
    std::size_t lines_before = 0;
    for (int round = 0; round < 3; ++round) {
        before = lines.transfers();
        lines_before = lines.size();
        for (RbTree::Node& node : nodes) {
            TouchCost cost{lines, 3, Time::from_ms(round + 1), 512};
            node = tree.insert(cost);
        }
        for (const RbTree::Node node : nodes) {
            TouchCost cost{lines, 3, Time::from_ms(round + 1), 512};
            tree.erase(node, cost);
        }
        if (round == 0) CHECK(lines.transfers() > before);
    }
    CHECK(lines.transfers() == before);
    CHECK(lines.size() == lines_before);
}
