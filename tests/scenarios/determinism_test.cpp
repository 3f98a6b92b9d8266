// What does not matter changes nothing: order of keys, unused definitions, names.
#include <doctest/doctest.h>

#include <algorithm>

#include "tests/scenarios/scratch.hpp"

namespace forksim {

using test::compile_text;

namespace {

const std::string plain =
    "scenario: s\n"
    "platform: {uniform: 4, distance: 10ns}\n"
    "config: {cv: 0.3, wake_cost: 1us}\n"
    "locks:\n"
    "  L: {kind: spinlock, irq: off}\n"
    "  R: {kind: rwlock}\n"
    "lines:\n"
    "  a: {lines: 2}\n"
    "  b: {far: true}\n"
    "functions:\n"
    "  f: [{section: L, name: x, body: [{work: 1us, name: p, touch: {a: read, b: 2 write}}]}]\n"
    "  g: [{section: R, mode: read, name: y, body: [{call: f}]}]\n"
    "workload:\n"
    "  - {tasks: t, count: 4, affinity: core, forever: [{branch: {p: 0.5, do: [{call: g}], else: [{call: f}]}}, "
    "{count: n}]}\n";

/// The same with the keys of every map in another order, comments and other quotes.
const std::string reordered =
    "scenario: s\n"
    "# a comment\n"
    "workload:\n"
    "- affinity: core\n"
    "  forever:\n"
    "  - branch:\n"
    "      else: [{call: f}]\n"
    "      do: {call: g}\n"
    "      p: 50%\n"
    "  - count: n\n"
    "  tasks: 't'\n"
    "  count: 2+2\n"
    "functions:\n"
    "  g: [{body: [{call: f}], name: y, mode: read, section: R}]\n"
    "  f: [{body: [{touch: {b: 2 write, a: read}, name: p, work: 1000ns}], name: x, section: L}]\n"
    "lines:\n"
    "  b: {far: true}\n"
    "  a: {lines: 2}\n"
    "locks:\n"
    "  R: {kind: rwlock}\n"
    "  L: {irq: off, kind: spinlock}\n"
    "config: {wake_cost: 1us, cv: 0.3}\n"
    "platform: {distance: 10ns, uniform: 4}\n";

std::string replace_all(std::string text, const std::string& from, const std::string& to) {
    for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size()) {
        text.replace(at, from.size(), to);
    }
    return text;
}

}  // namespace

TEST_CASE("the order of keys and the way of writing change nothing") {
    CHECK(compile_text(reordered).hash == compile_text(plain).hash);
}

TEST_CASE("unused locks, lines, pools, functions and patches change nothing") {
    std::string more = replace_all(plain, "locks:\n", "locks:\n  A: {kind: percpu_rwsem}\n  zone: {kind: rwsem}\n");
    more = replace_all(more, "lines:\n", "pools: {q: {size: 3}}\nlines:\n  A: {}\n");
    more = replace_all(more, "functions:\n", "functions:\n  A: [{section: A, body: [{work: 7us}]}, {signal: S}]\n");
    more += "---\npatch: unused\nedits: [{scale: {f: 2}}]\n";
    CHECK(more != plain);
    CHECK(compile_text(more).hash == compile_text(plain).hash);
}

TEST_CASE("what does matter changes the hash") {
    const std::string hash = compile_text(plain).hash;
    CHECK(hash.size() == 32);
    CHECK(hash.find_first_not_of("0123456789abcdef") == std::string::npos);
    const auto changed = [&](const std::string& from, const std::string& to) {
        const std::string text = replace_all(plain, from, to);
        REQUIRE(text != plain);
        return compile_text(text).hash != hash;
    };
    CHECK(changed("work: 1us", "work: 1001ns"));
    CHECK(changed("p: 0.5", "p: 0.6"));
    CHECK(changed("distance: 10ns", "distance: 11ns"));
    CHECK(changed("irq: off", "irq: on"));
    CHECK(changed("lines: 2", "lines: 3"));
    CHECK(changed("2 write", "3 write"));
    CHECK(changed("cv: 0.3", "cv: 0.31"));
    CHECK(changed("wake_cost: 1us", "wake_cost: 2us"));
    CHECK(changed("affinity: core", "affinity: any"));
    CHECK(changed("name: x", "name: z"));
    const auto other_seed = [](Request& request) { request.seed = 2; };
    CHECK(compile_text(plain, other_seed).hash != hash);
}

TEST_CASE("renaming locks and steps changes names and keys of draws, and nothing else") {
    std::string renamed = replace_all(plain, "L: {kind", "zz: {kind");
    renamed = replace_all(renamed, "section: L", "section: zz");
    renamed = replace_all(renamed, "R: {kind", "aa: {kind");
    renamed = replace_all(renamed, "section: R", "section: aa");
    renamed = replace_all(renamed, "name: x", "name: zx");
    renamed = replace_all(renamed, "name: p", "name: a");
    const Compiled before = compile_text(plain);
    const Compiled after = compile_text(renamed);
    REQUIRE(after.program.ops.size() == before.program.ops.size());
    for (std::size_t i = 0; i < before.program.ops.size(); ++i) {
        const Op& a = before.program.ops[i];
        const Op& b = after.program.ops[i];
        CHECK(a.code == b.code);
        CHECK(a.sub == b.sub);
        CHECK(a.site == b.site);
        CHECK(a.a == b.a);
    }
    REQUIRE(after.model.locks.size() == before.model.locks.size());
    for (std::size_t i = 0; i < before.model.locks.size(); ++i) {
        CHECK(after.model.locks[i].kind == before.model.locks[i].kind);
        CHECK(after.model.locks[i].irq_off == before.model.locks[i].irq_off);
    }
}

TEST_CASE("removing a step leaves the keys of all other draws as they are") {
    const auto keys = [](const Compiled& compiled) {
        std::vector<std::uint64_t> result;
        for (const Op& op : compiled.program.ops) {
            if (op.code == Code::work) result.push_back(op.b);
        }
        return result;
    };
    const std::string steps =
        "{work: 1us, name: a}, {section: L, name: s, body: [{work: 2us, name: b}]}, {work: 3us, name: c}";
    const auto all = keys(compile_text(test::scenario_of(steps)));
    const auto fewer = keys(compile_text(test::scenario_of(replace_all(steps, "{work: 2us, name: b}", ""))));
    REQUIRE(all.size() == 3);
    CHECK(fewer == std::vector<std::uint64_t>{all[0], all[2]});
}

TEST_CASE("the same request compiles to the same bytes") {
    Request request;
    request.scenario = "threadspawn1-20c";
    CHECK(compile(request).hash == compile(request).hash);
}

}  // namespace forksim
