// What is drawn depends on who draws for what, and on nothing else.
#include <doctest/doctest.h>

#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "tests/sim/tiny_model.hpp"

namespace forksim::test {
namespace {

/// How long each drawn step lasted: "NAME" is marked before it, "NAME." behind it. Several passes: in order.
std::map<std::string, std::vector<Time>> lengths(const ProgramBuilder& b, std::uint64_t stream = 1) {
    std::map<std::string, std::vector<Time>> found;
    std::map<std::string, Time> began;
    for (const Mark& mark : run_tiny(b, stream).marks) {
        if (mark.label.back() == '.')
            found[mark.label.substr(0, mark.label.size() - 1)].push_back(
                mark.at - began[mark.label.substr(0, mark.label.size() - 1)]);
        else
            began[mark.label] = mark.at;
    }
    return found;
}

Steps& timed(Steps& steps, const std::string& name) {
    return steps.mark(name).drawn(Exponential{1_us}, name).mark(name + ".");
}

TEST_CASE("a removed step changes no other step's draws") {
    const auto run = [](const std::string& removed) {
        ProgramBuilder b(uniform(1, 50_ns));
        Steps turn = b.steps();
        for (const std::string name : {"a", "b", "c"})
            if (name != removed) timed(turn, name);
        b.task(b.steps().repeat(5, turn), 0);
        return lengths(b);
    };
    const auto all = run("");
    CHECK(std::set<Time>(all.at("a").begin(), all.at("a").end()).size() == 5);  // each turn draws anew
    for (const std::string removed : {"a", "b", "c"}) {
        const auto rest = run(removed);
        CHECK(rest.size() == 2);
        for (const auto& [name, values] : rest) CHECK(values == all.at(name));
    }
}

TEST_CASE("a step that is moved keeps its draws") {
    const auto run = [](std::vector<std::string> order) {
        ProgramBuilder b(uniform(1, 50_ns));
        Steps turn = b.steps();
        for (const std::string& name : order) timed(turn, name);
        b.task(turn.forever(), 0);
        b.config.duration = 50_us;
        auto found = lengths(b);
        for (auto& [name, values] : found) values.resize(5);
        return found;
    };
    CHECK(run({"a", "b", "c"}) == run({"c", "a", "b"}));
}

TEST_CASE("seeds and tasks draw independently") {
    ProgramBuilder b(uniform(2, 50_ns));
    Steps s = b.steps();
    b.task(timed(s, "a"), 0);
    CHECK(lengths(b, 1).at("a") == lengths(b, 1).at("a"));
    CHECK(lengths(b, 1).at("a") != lengths(b, 2).at("a"));
    std::set<std::vector<Time>> different;
    ProgramBuilder many(uniform(8, 50_ns));
    for (Cpu cpu = 0; cpu < 8; ++cpu) {
        const std::string name = std::to_string(cpu);
        Steps turn = many.steps().mark(name).drawn(Exponential{1_us}, "same step").mark(name + ".");
        many.task(many.steps().repeat(4, turn), cpu);
    }
    for (const auto& [name, values] : lengths(many)) different.insert(values);
    CHECK(different.size() == 8);
}

TEST_CASE("nested loops draw anew in every turn of every level") {
    ProgramBuilder b(uniform(1, 50_ns));
    Steps inner = b.steps();
    timed(inner, "inner");
    Steps outer = b.steps();
    b.task(timed(outer, "outer").repeat(3, inner).forever(), 0);
    b.config.duration = 60_us;
    const auto found = lengths(b);
    std::set<Time> different(found.at("inner").begin(), found.at("inner").end());
    // Quantiles come from a table, so two of about 45 are now and then the same; repeated draws would leave a third.
    CHECK(found.at("inner").size() >= 30);
    CHECK(4 * different.size() > 3 * found.at("inner").size());
}

TEST_CASE("a loop of no turns is passed over") {
    ProgramBuilder b(uniform(1, 50_ns));
    b.task(b.steps().repeat(0, b.steps().work(5_us)).mark("behind"), 0);
    CHECK(run_tiny(b).at("behind") == 0_ps);
}

/// A parent that spawns from steps "x" and "y" in each of three turns, with or without "y", and a second parent that
/// uses up task numbers in between.
std::vector<Time> children_of_x(bool with_y, bool with_second_parent) {
    ProgramBuilder b(uniform(8, 50_ns));
    Steps child = b.steps();
    const auto x = b.place(timed(child, "x").exit());
    Steps other = b.steps();
    const auto y = b.place(timed(other, "y").exit());
    Steps turn = b.steps();
    if (with_y) turn.spawn("clone y", y);
    turn.spawn("clone x", x).work(40_us);
    std::vector<Cpu> all;
    for (Cpu cpu = 0; cpu < 8; ++cpu) all.push_back(cpu);
    b.task(b.steps().repeat(3, turn), all);
    if (with_second_parent) {
        const auto z = b.place(b.steps().work(3_us).exit());
        b.task(b.steps().repeat(50, b.steps().spawn("clone z", z).work(1_us)), all);
    }
    return lengths(b).at("x");
}

TEST_CASE("a child's draws follow from its parent, the spawning step and the turn, not from who else was created") {
    const std::vector<Time> alone = children_of_x(false, false);
    CHECK(std::set<Time>(alone.begin(), alone.end()).size() == 3);
    CHECK(children_of_x(true, false) == alone);
    CHECK(children_of_x(false, true) == alone);
    CHECK(children_of_x(true, true) == alone);
}

TEST_CASE("branches are taken with their probability, by draws of their own") {
    ProgramBuilder b(uniform(1, 50_ns));
    Steps turn = b.steps();
    turn.maybe(0.25, "rare", b.steps().mark("taken"));
    b.task(b.steps().repeat(4000, turn.maybe(0, "never", b.steps().mark("never taken"))), 0);
    const auto taken = run_tiny(b).marks;
    // Binomial(4000, 1/4): 1000 +- 27.4; five standard deviations.
    CHECK(taken.size() > 863);
    CHECK(taken.size() < 1137);
    for (const Mark& mark : taken) CHECK(mark.label == "taken");
}

}  // namespace
}  // namespace forksim::test
