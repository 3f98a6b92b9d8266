// Patches on patches, and versions made of patches: what is refused, and whom the message names.
#include <doctest/doctest.h>

#include "scenarios/listing.hpp"
#include "tests/scenarios/scratch.hpp"

namespace forksim {

using test::compile_text;
using test::faults_of;
using test::ops_text;

namespace {

const std::string kernel =
    "kernel: k\n"
    "locks: {L: {kind: spinlock}}\n"
    "functions:\n"
    "  f:\n"
    "    - {section: L, name: one, body: [{work: 1us, name: p}]}\n"
    "    - {work: 3us, name: mid}\n"
    "    - {section: L, name: two, body: [{work: 2us, name: q}]}\n"
    "  g: [{work: 5us, name: start}, {call: f}]\n"
    "  h: [{work: 6us, name: start}, {call: f}, {work: 7us, name: end}]\n";

/// Kernel k, then `documents`, then a scenario that runs g and h on `on`.
std::string scenario(const std::string& documents, const std::string& patches = "[]", const std::string& on = "k") {
    return kernel + documents + "---\nscenario: s\nkernel: " + on + "\npatches: " + patches +
           "\nplatform: uniform-2\nworkload: [{tasks: t, forever: [{call: g}, {call: h}, {count: n}]}]\n";
}
std::string patch(const std::string& name, const std::string& rest) { return "---\npatch: " + name + "\n" + rest; }

std::string ops(const std::string& documents, const std::string& patches = "[]", const std::string& on = "k") {
    const std::string text = ops_text(compile_text(scenario(documents, patches, on)));
    return text.substr(0, text.find("; count n"));
}

/// The only fault of a scenario, without file and line.
std::string fault(const std::string& documents, const std::string& patches = "[]", const std::string& on = "k") {
    const std::vector<Diagnostic> found = faults_of(scenario(documents, patches, on));
    REQUIRE(found.size() == 1);
    return found[0].message + " | " + found[0].hint;
}

const std::string once =
    patch("once", "edits:\n  - {move: f/mid, to: {before: f/one}}\n  - {merge: [f/one, f/two], name: both}\n");
const std::string f =
    "acquire L @ f/one; work 1us @ f/one; release L @ f/one; work 3us; acquire L @ f/two; "
    "work 2us @ f/two; release L @ f/two";

}  // namespace

TEST_CASE("an address that an earlier patch took away is a fault that names both patches") {
    CHECK(fault(once + patch("late", "edits: [{remove: f/two/q}]\n"), "[once, late]") ==
          "'f/two/q' matches nothing in kernel k + once | 'once' has taken it away before 'late' could use it");
    CHECK(fault(patch("first", "edits: [{remove: f/mid}]\n") + patch("other", "edits: [{scale: {f/one: 2}}]\n") +
                    patch("late", "edits: [{insert: {work: 1us}, after: f/mid}]\n"),
                "[first, other, late]") ==
          "'f/mid' matches nothing in kernel k + first + other | 'first' has taken it away before 'late' could use it");
    // What was never there is a misspelling, as before.
    CHECK(fault(once + patch("late", "edits: [{remove: f/mdi}]\n"), "[once, late]") ==
          "'f/mdi' matches nothing in kernel k + once | did you mean 'f/mid'?");
}

TEST_CASE("settings say which patch took their step away, too") {
    const auto set = [](Request& request) { request.sets = {"f/two/q.work=9us"}; };
    const std::vector<Diagnostic> found = faults_of(scenario(once, "[once]"), set);
    REQUIRE(found.size() == 1);
    CHECK(found[0].text() ==
          "--set f/two/q.work=9us: 'f/two/q' matches nothing in kernel k + once ('once' has taken it away)");
}

TEST_CASE("what one patch has put in place of a step, another does not replace, unless it says that it stands on it") {
    const std::string a = patch("a", "edits: [{replace: f/mid, with: [{work: 8us}]}]\n");
    const std::string again = "edits: [{replace: f/mid, with: [{work: 9us}]}]\n";
    CHECK(fault(a + patch("b", again), "[a, b]") ==
          "'b' cannot replace 'f/mid' of kernel k + a | 'a' has replaced it already");
    CHECK(ops(a + patch("b", "applies_to: k + a\n" + again), "[a, b]").find("work 9us") != std::string::npos);
    // To change it is no conflict, and a patch may replace what it has put there itself.
    CHECK(ops(a + patch("b", "edits: [{scale: {f/mid: 2}}]\n"), "[a, b]").find("work 16us") != std::string::npos);
    CHECK(ops(patch("b", "edits:\n" + std::string(2, ' ') + "- {replace: f/mid, with: [{work: 8us}]}\n" +
                             "  - {replace: f/mid, with: [{work: 9us}]}\n"),
              "[b]")
              .find("work 9us") != std::string::npos);
}

TEST_CASE("a patch with applies_to is refused elsewhere") {
    const std::string b = patch("b", "applies_to: [k + a, other]\nedits: []\n");
    const std::string a = patch("a", "edits: []\n");
    CHECK(fault(b, "[b]") == "the patch 'b' does not apply to kernel k | it needs 'a' before it");
    CHECK(fault(a + b, "[b, a]") == "the patch 'b' does not apply to kernel k | it needs 'a' before it");
    CHECK(faults_of(scenario(a + b, "[a, b]")).empty());
    CHECK(fault(patch("c", "applies_to: [other, another + a]\nedits: []\n"), "[c]") ==
          "the patch 'c' does not apply to kernel k | it is for other, another");
}

TEST_CASE("a kernel made from one of the library takes the patches of that one") {
    const std::string text =
        "kernel: mine\nlike: linux-6.19\nedits: [{set: {config.hz: 250}}]\n---\n"
        "scenario: s\nkernel: mine\nplatform: uniform-2\nworkload: {tasks: spawner, use: threadspawn1/spawner}\n";
    const auto with = [](const std::string& name) { return [name](Request& request) { request.patches = {name}; }; };
    CHECK(faults_of(text, with("pidmap-once")).empty());
    const std::vector<Diagnostic> found = faults_of(text, with("pidfs-rbtree"));
    REQUIRE(found.size() == 1);
    CHECK(found[0].message == "the patch 'pidfs-rbtree' does not apply to kernel mine");
}

TEST_CASE("a version may be its neighbour and patches, which it then has") {
    const std::string next = once + "---\nkernel: next\nlike: k\npatches: once\nedits: [{set: {f/both/q.work: 4us}}]\n";
    const std::string both = "work 3us; acquire L @ f/both; work 1us @ f/both; work 4us @ f/both; release L @ f/both";
    CHECK(ops(next, "[]", "next") == "work 5us; " + both + "; work 6us; " + both + "; work 7us");
    CHECK(fault(next, "[once]", "next") == "the kernel 'next' has the patch 'once' already | ");
    CHECK(compile_text(scenario(next, "[]", "next")).banner.base_patches.empty());
    const std::string on_it = patch("b", "applies_to: next + once\nedits: [{remove: f/mid}]\n");
    CHECK(faults_of(scenario(next + on_it, "[b]", "next")).empty());
    CHECK(fault(next + patch("c", "edits: [{remove: f/two}]\n"), "[c]", "next") ==
          "'f/two' matches nothing in kernel next | 'once' has taken it away before 'c' could use it");
    const std::string orphan = once + "---\nkernel: next\npatches: [once]\n";
    CHECK(faults_of(scenario(orphan, "[]", "next")).front().message == "patches without `like`");
}

TEST_CASE("a call without a name goes by that of its function, and a bare name as destination is every such step") {
    CHECK(ops("") == "work 5us; " + f + "; work 6us; " + f + "; work 7us");
    CHECK(ops(patch("x", "edits: [{insert: {work: 9us}, before: f}]\n"), "[x]") ==
          "work 5us; work 9us; " + f + "; work 6us; work 9us; " + f + "; work 7us");
    CHECK(ops(patch("x", "edits: [{remove: g/f}]\n"), "[x]") == "work 5us; work 6us; " + f + "; work 7us");
    CHECK(ops(patch("x", "edits: [{insert: {call: f}, after: g/f}, {remove: g/f2}]\n"), "[x]") == ops(""));
}

TEST_CASE("a step that was moved to several places is moved back from all of them") {
    const std::string apart = "  - {move: h/end, to: {before: f}}\n";
    CHECK(ops(patch("x", "edits:\n" + apart), "[x]") == "work 5us; work 7us; " + f + "; work 6us; work 7us; " + f);
    CHECK(ops(patch("x", "edits:\n" + apart + "  - {move: h/end, to: {after: h/f}}\n"), "[x]") == ops(""));
    // Steps that only have the same name are not copies of each other.
    CHECK(fault(patch("x", "edits: [{move: start, to: {after: h/end}}]\n"), "[x]").find("is not one step but 2") !=
          std::string::npos);
}

TEST_CASE("applies_to takes kernels with patches, and check tries them all") {
    const std::vector<Diagnostic> found = faults_of(scenario(patch("b", "applies_to: [k +, 'k + a b']\nedits: []\n")));
    REQUIRE(found.size() == 2);
    CHECK(found[0].text().find("'k +' is no kernel with patches (expected KERNEL or KERNEL + PATCH + ...)") !=
          std::string::npos);
    const test::Scratch scratch;
    const auto checked = [&](const std::string& text) {
        Request request;
        request.scenario = scratch.file("patch.yaml", text);
        try {
            check(request);
        } catch (const LanguageError& error) {
            return error.diagnostics;
        }
        return std::vector<Diagnostic>{};
    };
    const std::string good = "patch: x\napplies_to: [linux-6.19, linux-6.19 + pidmap-once]\nedits: [{remove: A}]\n";
    const auto on = [&](const std::string& address) { return good.substr(0, good.find("A}")) + address + "}]\n"; };
    CHECK(checked(on("alloc_pid/init")).empty());
    const std::vector<Diagnostic> gone = checked(on("alloc_pid/publish"));
    REQUIRE(gone.size() == 1);
    CHECK(gone[0].message == "'alloc_pid/publish' matches nothing in kernel linux-6.19 + pidmap-once");
    const std::vector<Diagnostic> unknown = checked("patch: x\napplies_to: linux-6.91\nedits: []\n");
    REQUIRE(unknown.size() == 1);
    CHECK(unknown[0].message == "unknown kernel 'linux-6.91'");
}

}  // namespace forksim
