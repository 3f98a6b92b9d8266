// The verbs of patches and versions.
#include <doctest/doctest.h>

#include "sim/random.hpp"
#include "tests/scenarios/scratch.hpp"

namespace forksim {

using test::compile_text;
using test::faults_of;
using test::ops_text;

namespace {

/// A kernel whose function f has a section with two parts, a plain step, a second section; g has a section.
std::string with_patch(const std::string& edits, const std::string& add = "{}") {
    return "kernel: k\n"
           "locks: {L: {kind: spinlock}, R: {kind: rwlock}}\n"
           "lines: {a: {}, b: {}}\n"
           "functions:\n"
           "  f:\n"
           "    - {section: L, name: one, body: [{work: 1us, name: p}, {work: 2us, name: q}]}\n"
           "    - {work: 3us, name: mid}\n"
           "    - {section: L, name: two, body: [{work: 4us, name: r}]}\n"
           "  g: [{section: R, mode: read, name: s, body: [{work: 5us, name: leaf}]}]\n"
           "---\n"
           "patch: x\n"
           "add: " +
           add + "\nedits:\n" + edits +
           "---\n"
           "scenario: s\n"
           "kernel: k\n"
           "patches: [x]\n"
           "platform: uniform-2\n"
           "workload: [{tasks: t, forever: [{call: f}, {call: g}, {count: n}]}]\n";
}

std::string ops(const std::string& edits, const std::string& add = "{}") {
    std::string text = ops_text(compile_text(with_patch(edits, add)));
    const std::size_t end = text.find("; count n");
    REQUIRE(end != std::string::npos);
    return text.substr(0, end);
}

const std::string one = "acquire L @ f/one; work 1us @ f/one; work 2us @ f/one; release L @ f/one";
const std::string two = "acquire L @ f/two; work 4us @ f/two; release L @ f/two";
const std::string g = "acquire R read @ g/s; work 5us @ g/s; release R @ g/s";

std::string fault(const std::string& edits) {
    const std::vector<Diagnostic> found = faults_of(with_patch(edits));
    REQUIRE(found.size() == 1);
    return std::to_string(found[0].line) + ":" + std::to_string(found[0].column) + " " + found[0].message + " | " +
           found[0].hint;
}

}  // namespace

TEST_CASE("without edits nothing changes") { CHECK(ops("  []\n") == one + "; work 3us; " + two + "; " + g); }

TEST_CASE("a step is put under a seqcount that the patch adds, and edits reach what stands under it") {
    const std::string add = "{locks: {C: {kind: seqcount, under: L}}}";
    const std::string written =
        "acquire L @ f/one; work 1us @ f/one; seq_write_begin C @ f/w; work 2us @ f/w; seq_write_end C @ f/w; release "
        "L @ f/one";
    CHECK(ops("  - {wrap: f/one/q, in: {seqwrite: C, name: w}}\n", add) == written + "; work 3us; " + two + "; " + g);
    CHECK(ops("  - {wrap: f/one/q, in: {section: C, mode: write, name: w}}\n", add) ==
          written + "; work 3us; " + two + "; " + g);
    CHECK(ops("  - {wrap: f/mid, in: {rcu_read: [], name: section}}\n") ==
          one + "; rcu_read_lock @ f/section; work 3us; rcu_read_unlock; " + two + "; " + g);
    const std::string read =
        "  - replace: f/mid\n    with: {seqread: C, body: [{work: 1us, name: x}], on_retry: [{work: 2us, name: y}]}\n";
    const std::string begin = one + "; seq_begin C @ f/mid; work 1us @ f/mid; seq_retry C @ f/mid; ";
    const std::string rest = two + "; " + g;
    CHECK(ops(read, add) == begin + "jump 9; jump 11; work 2us; jump 4; " + rest);
    CHECK(ops(read + "  - {set: {f/mid/y.work: 7us}}\n  - {scale: {f/mid/y: 2}}\n", add) ==
          begin + "jump 9; jump 11; work 14us; jump 4; " + rest);
    CHECK(ops(read + "  - {remove: f/mid/y}\n", add) == begin + "jump 4; " + rest);
    CHECK(ops(read + "  - {move: f/mid/y, to: {before: f/mid/x}}\n", add) ==
          one + "; seq_begin C @ f/mid; work 2us @ f/mid; work 1us @ f/mid; seq_retry C @ f/mid; jump 4; " + rest);
}

TEST_CASE("move puts a step elsewhere, also into another function, and it keeps its name") {
    CHECK(ops("  - {move: f/mid, to: {before: f/one}}\n") == "work 3us; " + one + "; " + two + "; " + g);
    CHECK(ops("  - {move: f/two, to: {after: g/s}}\n") == one + "; work 3us; " + g + "; " + two);
    CHECK(ops("  - {move: f/two/r, to: {after: f/one/p}}\n") ==
          "acquire L @ f/one; work 1us @ f/one; work 4us @ f/one; work 2us @ f/one; release L @ f/one; work 3us; "
          "acquire L @ f/two; release L @ f/two; " +
              g);
    const Compiled moved = compile_text(with_patch("  - {move: f/mid, to: {after: g/s/leaf}}\n"));
    bool found = false;
    for (const Op& op : moved.program.ops) found = found || (op.code == Code::work && op.b == hash_name("f/mid"));
    CHECK(found);
}

TEST_CASE("move to several places makes copies, and with: replaces the content under the old name") {
    CHECK(ops("  - {move: f/mid, to: [{before: f/one}, {after: g/s}]}\n") ==
          "work 3us; " + one + "; " + two + "; " + g + "; work 3us");
    const std::string text = ops("  - {move: f/one/q, to: {after: f/one}, with: {work: 9us, touch: {a: read}}}\n");
    CHECK(text == "acquire L @ f/one; work 1us @ f/one; release L @ f/one; touch a:1read @ f/q; work 9us; work 3us; " +
                      two + "; " + g);
}

TEST_CASE("copy puts a step elsewhere too, and makes a double of a function that addresses of the original reach") {
    CHECK(ops("  - {copy: f/mid, to: {after: g/s}}\n") == one + "; work 3us; " + two + "; " + g + "; work 3us");
    CHECK(ops("  - {copy: g, name: h}\n  - {replace: f/mid, with: {call: h}}\n") ==
          one + "; " + g + "; " + two + "; " + g);
    // What is said of the original holds for the double; what is said of the double, for it alone.
    CHECK(ops("  - {copy: g, name: h}\n  - {replace: f/mid, with: {call: h}}\n  - {scale: {g/leaf: 2}}\n"
              "  - {insert: {work: 7us}, before: h/s/leaf}\n") ==
          one + "; acquire R read @ g/s; work 7us @ g/s; work 10us @ g/s; release R @ g/s; " + two +
              "; acquire R read @ g/s; work 10us @ g/s; release R @ g/s");
    CHECK(fault("  - {copy: gg, name: h}\n") == "14:12 no function 'gg' in kernel k | did you mean 'g'?");
    CHECK(fault("  - {copy: f, name: g}\n").find("the function 'g' exists already in kernel k") != std::string::npos);
    CHECK(fault("  - {copy: f/mid}\n").find("'copy' needs either 'to' or 'name'") != std::string::npos);
    CHECK(fault("  - {copy: f/mdi, to: {after: f/one}}\n").find("did you mean 'f/mid'?") != std::string::npos);
}

TEST_CASE("merge joins sections of one lock, bodies in order") {
    CHECK(
        ops("  - {move: f/mid, to: {before: f/one}}\n  - {merge: [f/one, f/two], name: both}\n") ==
        "work 3us; acquire L @ f/both; work 1us @ f/both; work 2us @ f/both; work 4us @ f/both; release L @ f/both; " +
            g);
    CHECK(fault("  - {merge: [f/one, f/two], name: both}\n").find("'mid' stands between them") != std::string::npos);
    CHECK(fault("  - {merge: [f/one, g/s], name: both}\n").find("not sections of one lock") != std::string::npos);
}

TEST_CASE("wrap puts a step into a new section") {
    CHECK(ops("  - {wrap: g/s/leaf, in: {section: L, name: in}}\n") ==
          one + "; work 3us; " + two +
              "; acquire R read @ g/s; acquire L @ g/in; work 5us @ g/in; release L @ g/in; release R @ g/s");
}

TEST_CASE("unwrap takes the lock away and leaves what was done under it, with its site and its draws") {
    CHECK(ops("  - unwrap: f/one\n") == "work 1us @ f/one; work 2us @ f/one; work 3us; " + two + "; " + g);
    CHECK(ops("  - unwrap: g/s\n") == one + "; work 3us; " + two + "; work 5us @ g/s");
    CHECK(fault("  - unwrap: f/mid\n") == "14:13 'f/mid' takes no lock | ");
}

TEST_CASE("replace, insert and remove") {
    CHECK(ops("  - {replace: f/one, with: [{work: 7us}, {work: 8us}]}\n") ==
          "work 7us; work 8us; work 3us; " + two + "; " + g);
    CHECK(ops("  - {replace: f/two, with: [{atomic: b}]}\n") == one + "; work 3us; atomic b @ f/two; " + g);
    CHECK(ops("  - {insert: {work: 7us}, before: f/two/r}\n") ==
          one + "; work 3us; acquire L @ f/two; work 7us @ f/two; work 4us @ f/two; release L @ f/two; " + g);
    CHECK(ops("  - {insert: [{work: 7us}, {work: 8us}], after: f/mid}\n") ==
          one + "; work 3us; work 7us; work 8us; " + two + "; " + g);
    CHECK(ops("  - remove: f/one\n  - remove: f/mid\n") == two + "; " + g);
}

TEST_CASE("set reaches steps, locks, lines and the configuration") {
    CHECK(ops("  - set: {f/mid.work: 6us, g/s.mode: write}\n") ==
          one + "; work 6us; " + two + "; acquire R write @ g/s; work 5us @ g/s; release R @ g/s");
    const Compiled compiled = compile_text(
        with_patch("  - set: {f/mid.touch: {a: read}, L.irq: off, a.lines: 3, config.hz: 250, f/one/p.work: 1j}\n"));
    CHECK(compiled.model.locks[0].irq_off);
    CHECK(compiled.model.lines[0].lines == 3);
    CHECK(compiled.core.tick == Time::from_ms(4));
    CHECK(compiled.program.samplers[compiled.program.ops[1].a].mean_ps == Time::from_ms(4).ps);
}

TEST_CASE("scale multiplies the times of a step and all in it, or of a whole function") {
    CHECK(ops("  - scale: {f/one: 2, g: 0.5}\n") ==
          "acquire L @ f/one; work 2us @ f/one; work 4us @ f/one; release L @ f/one; work 3us; " + two +
              "; acquire R read @ g/s; work 2500ns @ g/s; release R @ g/s");
}

TEST_CASE("addresses: * is any one step, a|b whichever exists, a bare name every step of that name") {
    CHECK(ops("  - remove: f/*/r\n") == one + "; work 3us; acquire L @ f/two; release L @ f/two; " + g);
    CHECK(ops("  - remove: f/uno|one\n") == "work 3us; " + two + "; " + g);
    CHECK(ops("  - remove: f/two|zwei/r\n") == one + "; work 3us; acquire L @ f/two; release L @ f/two; " + g);
    CHECK(fault("  - remove: f/one|two\n") ==
          "14:13 'f/one|two' is ambiguous: more than one of the alternatives exists | ");
    const Compiled twice = compile_text(with_patch("  - insert: {work: 7us, name: leaf}\n    before: f/mid\n"),
                                        [](Request& request) { request.sets = {"leaf.work=8us"}; });
    CHECK(ops_text(twice).find("work 8us; work 3us") != std::string::npos);
    CHECK(ops_text(twice).find("work 8us @ g/s") != std::string::npos);
    REQUIRE(twice.notes.size() == 1);
    CHECK(twice.notes[0] == "leaf is at 2 places: f/leaf g/leaf");
}

TEST_CASE("an address sees through groups without a name, and finds a moved step under its old address") {
    CHECK(ops("  - {wrap: f/one/p, in: {branch: {p: 0.5, do: []}}}\n  - remove: f/one/p\n").find("work 1us") ==
          std::string::npos);
    CHECK(ops("  - {move: f/mid, to: {after: g/s}}\n  - set: {f/mid.work: 6us}\n") ==
          one + "; " + two + "; " + g + "; work 6us");
}

TEST_CASE("an edit that matches nothing is a fault at its place, with the nearest name") {
    CHECK(fault("  - remove: f/tow\n") == "14:13 'f/tow' matches nothing in kernel k | did you mean 'f/two'?");
    CHECK(fault("  - {move: f/mid, to: {after: ff/one}}\n").find("14:31 'ff/one' matches nothing: no function 'ff'") ==
          0);
    CHECK(fault("  - scale: {midd: 2}\n") == "14:13 'midd' matches nothing in kernel k | did you mean 'mid'?");
    CHECK(fault("  - set: {f/mid.wrok: 2us}\n") == "14:11 step 'f/mid' has no key 'wrok' | did you mean 'work'?");
    CHECK(fault("  - set: {LL.irq: off}\n").find("14:11 'LL' matches nothing") == 0);
}

TEST_CASE("edits that cannot be done are faults") {
    CHECK(fault("  - {move: f/one, to: {after: f/one/p}}\n").find("cannot move behind itself") != std::string::npos);
    CHECK(fault("  - {insert: {work: 1us, name: one}, before: f/mid}\n").find("a second step named 'one'") !=
          std::string::npos);
    CHECK(fault("  - {wrap: f/mid, in: {work: 1us}}\n").find("has no body") != std::string::npos);
    CHECK(fault("  - {remove: f/mid, to: {after: f/one}}\n") == "14:21 'to' does not belong to 'remove' | ");
    CHECK(fault("  - {move: f/mid}\n").find("'move' needs 'to'") != std::string::npos);
    CHECK(fault("  - {insert: {work: 1us}}\n").find("either 'before' or 'after'") != std::string::npos);
    CHECK(fault("  - {delete: f/mid}\n").find("unknown key 'delete'") != std::string::npos);
    CHECK(fault("  - {remove: f/mid, scale: {f: 2}}\n").find("two verbs in one edit") != std::string::npos);
}

TEST_CASE("what a patch adds is there for its edits") {
    CHECK(ops("  - {replace: f/one, with: [{call: h}]}\n",
              "{locks: {N: {kind: spinlock}}, functions: {h: [{section: N, name: new}]}}") ==
          "acquire N @ h/new; release N @ h/new; work 3us; " + two + "; " + g);
}

TEST_CASE("a version is its neighbour and edits") {
    const std::string text =
        "kernel: new\nlocks: {L: {kind: spinlock}}\n"
        "functions: {f: [{section: L, name: s, body: [{work: 1us, name: p}]}]}\n---\n"
        "kernel: old\nlike: new\nconfig: {hz: 100}\nadd: {functions: {g: [{work: 2us}]}}\n"
        "edits: [{insert: {call: g}, after: f/s}]\n---\n"
        "scenario: s\nkernel: old\nplatform: uniform-1\nworkload: [{tasks: t, forever: [{call: f}, {count: n}]}]\n";
    const Compiled compiled = compile_text(text);
    CHECK(ops_text(compiled) == "acquire L @ f/s; work 1us @ f/s; release L @ f/s; work 2us; count n; turn 0");
    CHECK(compiled.core.tick == Time::from_ms(10));
    CHECK(compiled.banner.kernel == "old");
    CHECK(faults_of("kernel: a\nlike: b\n---\nkernel: b\nlike: a\n---\n"
                    "scenario: s\nkernel: a\nplatform: uniform-1\nworkload: [{tasks: t, do: [{count: n}]}]\n")
              .front()
              .message.find("in a circle") != std::string::npos);
}

TEST_CASE("a kernel without neighbour may have edits, such as those that depend on the configuration") {
    const std::string text =
        "kernel: k\nlocks: {L: {kind: spinlock}}\nfunctions: {f: [{section: L, name: s}]}\n"
        "edits: [{set: {L.irq: off}, when: config.psi}]\n---\n"
        "scenario: s\nkernel: k\nplatform: uniform-1\nworkload: [{tasks: t, forever: [{call: f}, {count: n}]}]\n";
    CHECK(!compile_text(text).model.locks[0].irq_off);
    CHECK(compile_text(text, [](Request& request) { request.sets = {"config.psi=true"}; }).model.locks[0].irq_off);
}

TEST_CASE("patches stack: the scenario's own, then base patches, then patches, then settings") {
    const std::string patch =
        "---\npatch: y\nedits: [{scale: {f/mid: 2}}]\n---\npatch: z\nedits: [{scale: {f/mid: 5}}]\n";
    const test::Scratch scratch;
    const std::string more = scratch.file("more.yaml", patch.substr(4));
    const auto stacked = [&](Request& request) {
        request.base_patches = {more + "#y"};
        request.patches = {more + "#z"};
    };
    const Compiled compiled = compile_text(with_patch("  - scale: {f/mid: 3}\n"), stacked);
    CHECK(ops_text(compiled).find("work 90us") != std::string::npos);
    CHECK(compiled.banner.base_patches == std::vector<std::string>{"x", "y"});
    CHECK(compiled.banner.patches == std::vector<std::string>{"z"});
    const auto twice = [&](Request& request) { request.patches = {more + "#y", more + "#y"}; };
    CHECK(faults_of(with_patch("  []\n"), twice).front().message.find("applied twice") != std::string::npos);
}

}  // namespace forksim
