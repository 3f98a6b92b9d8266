// Children and processes in the language: whom names mean, and what is refused.
#include <doctest/doctest.h>

#include "tests/scenarios/fault_table.hpp"
#include "tests/scenarios/scratch.hpp"

namespace forksim {

using test::compile_text;
using test::ops_text;

namespace {

/// t forks kid, or collects kids; `steps` stand behind that in its loop.
std::string text(const std::string& steps, const std::string& child = "{work: 1us}, {signal: done}",
                 const std::string& spawn = "as: kid, process: new") {
    return "scenario: s\nplatform: uniform-4\nlocks: {L: {kind: spinlock}, sig: {kind: spinlock, per: process}, own: "
           "{kind: spinlock, per: task}}\nlines: {a: {}, s: {per: process}}\nfunctions:\n"
           "  f: [{work: 1us, name: w}, {start: child}]\n"
           "  child: [" +
           child + "]\n  release: [{section: sig@victim, hold: 1us}]\n  wait: [{await: {done: victim}}]\n" +
           "workload: [{tasks: t, forever: [{spawn: {via: f, run: child, " + spawn + "}},\n  " + steps +
           ",\n  {count: n}]}]\n";
}

const std::string into = "into: kids, process: new";

}  // namespace

TEST_CASE("faults of children, processes and whose things are meant, each at its place") {
    test::check_places({
        {"nobody's lock", text("{section: ^sig@kit, hold: 1us}"), "no child is named 'kit' here", "'kid'"},
        {"a global lock's owner", text("{section: ^L@kid, hold: 1us}"), "'L' is not per process or task", ""},
        {"a global line's owner", text("{work: 1us, touch: {a: ^read @kid}}"), "'a' is not per process or task", ""},
        {"the parent's task", text("{section: ^own@parent, hold: 1us}"), "'own' is per task", "child"},
        {"an unknown lock with an owner", text("{section: ^sgi@kid, hold: 1us}"), "unknown lock 'sgi'", "'sig'"},
        {"embryo after its start", text("{section: ^sig@embryo, hold: 1us}"), "'embryo' where no child", ""},
        {"waiting for oneself", text("{call: wait}, {work: 1us}").insert(text("").find("done: victim") + 6, "^"),
         "the victim is the task itself here", "{call: wait, victim: CHILD}"},
        {"an unknown victim", text("{call: release, victim: ^kit}"), "no child is named 'kit' here", "'kid'"},
        {"a caller that is no function", text("{work: 1us, when: ^called_by wiat}"), "unknown function 'wiat'", ""},
        {"two names for one child", text("{work: 1us}", "{signal: done}", "as: ^kid, into: kids"),
         "'as' and 'into' in one spawn", ""},
        {"a name that means somebody", text("{work: 1us}", "{signal: done}", "as: ^victim"),
         "a child cannot be named 'victim'", ""},
        {"a set outside a loop over it", text("{await: {done: ^kids}}", "{signal: done}", into),
         "'kids' is a set of children", "{repeat: {each: kids}}"},
        {"no such set", text("{repeat: {each: ^kits, do: [{work: 1us}]}}", "{signal: done}", into),
         "no set of children is named 'kits'", "'kids'"},
        {"a loop over a set inside one",
         text("{repeat: {each: kids, do: [{repeat: {take: ^kids, do: [{work: 1us}]}}]}}", "{signal: done}", into),
         "inside a loop over it", ""},
        {"two sorts of turns", text("{repeat: ^{each: kids, n: 2, do: [{work: 1us}]}}", "{signal: done}", into),
         "two of 'n', 'each' and 'take'", ""},
        {"affinity that goes round", text("{work: 1us}", "{signal: done}", "as: kid, affinity: ^core"),
         "a child is not one of many", "any or {cpus: LIST}"},
        {"affinity to a CPU that is not there", text("{work: 1us}", "{signal: done}", "as: kid, affinity: ^{cpus: 7}"),
         "CPU 7 does not exist", ""},
    });
}

TEST_CASE("self, parent and victim mean what the caller says; one's own takes the plain op") {
    const Compiled plain = compile_text(text("{section: sig, name: x, hold: 1us}"));
    const Compiled self = compile_text(text("{section: sig@self, name: x, hold: 1us}"));
    const Compiled victim = compile_text(text("{section: sig@victim, name: x, hold: 1us}"));
    CHECK(self.hash == plain.hash);
    CHECK(victim.hash == plain.hash);
    CHECK(compile_text(text("{section: sig@kid, name: x, hold: 1us}")).hash != plain.hash);
    CHECK(compile_text(text("{call: release}")).hash != compile_text(text("{call: release, victim: kid}")).hash);
}

TEST_CASE("a child's affinity is its parent's unless the spawn says otherwise") {
    CHECK(compile_text(text("{work: 1us}")).program.spawns.at(0).mask == same_mask);
    const Compiled moved = compile_text(text("{work: 1us}", "{signal: done}", "as: kid, affinity: {cpus: 2-3}"));
    const CpuMask& mask = moved.program.masks.at(moved.program.spawns.at(0).mask);
    for (Cpu cpu = 0; cpu < 4; ++cpu) CHECK(mask.test(cpu) == (cpu >= 2));
}

TEST_CASE("a step that depends on the caller is there in one copy of the function and not in the other") {
    const std::string functions =
        "  g: [{work: 1us, name: yes, when: called_by h}, {work: 2us, name: no, when: not "
        "called_by h}]\n  h: [{call: g}]\n";
    const auto with = [&](const std::string& call) {
        std::string all = text(call);
        return ops_text(compile_text(all.insert(all.find("  release:"), functions)));
    };
    CHECK(with("{call: h}").find("work user 2us") == std::string::npos);
    CHECK(with("{call: g}").find("work user 2us") != std::string::npos);
}

}  // namespace forksim
