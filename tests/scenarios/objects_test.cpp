// Objects of the kernel in the language: what they become, where operations on them may stand, what is refused.
#include <doctest/doctest.h>

#include <map>
#include <set>

#include "scenarios/listing.hpp"
#include "tests/scenarios/fault_table.hpp"
#include "tests/scenarios/scratch.hpp"

namespace forksim {

using test::compile_text;
using test::ops_text;

namespace {

const std::string three_objects =
    "{rb: {kind: rbtree}, ids: {kind: idr, resident: 5}, tasks: {kind: list, line: a, head: store}}";

/// Tasks that create children by `via` as kid, then run `steps`; `child` is what these do. On 4 CPUs, lines a and b.
std::string lives(const std::string& via, const std::string& child, const std::string& steps = "{work: 1us}",
                  const std::string& objects = three_objects, const std::string& more = "") {
    return "scenario: s\n"
           "platform: {uniform: 4}\n"
           "lines: {a: {}, b: {per: process}, c: {far: true}}\n"
           "objects: " +
           objects +
           "\n"
           "functions:\n"
           "  via: [" +
           via +
           "]\n"
           "  child: [" +
           child + "]\n" + more +
           "workload:\n"
           "  - {tasks: t, count: 4, forever: [{spawn: {via: via, run: child, as: kid}}, " +
           steps + ", {count: n}]}\n";
}
/// The scenario of lives() on a kernel of the same file.
std::string on_kernel(const std::string& kernel, const std::string& scenario) {
    return "kernel: k\n" + kernel + "---\nscenario: s\nkernel: k\n" + scenario.substr(scenario.find('\n') + 1);
}
const std::string start = "{start: child}";
std::string touch(const std::string& what, const std::string& name = "w") {
    return "{work: 1us, name: " + name + ", touch: " + what + "}";
}
const std::string adds = touch("{rb: insert embryo, ids: alloc embryo, tasks: add_tail embryo}", "in") + ", " + start;
const std::string leaves = touch("{rb: erase, ids: remove, tasks: del}", "out");

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("each operation and each way to say whose element it means becomes the touch of the models") {
    const Compiled parent = compile_text(
        lives(touch("[a: 2 store, rb: insert embryo, ids: alloc embryo, ids: replace embryo, tasks: add_tail embryo]") +
                  ", " + start,
              leaves));
    CHECK(has(ops_text(parent),
              "create; touch a:2store rb:insert embryo ids:alloc embryo ids:replace embryo "
              "tasks:add_tail embryo @ via/w; work user 1us; start"));
    CHECK(has(ops_text(parent), "touch ids:remove rb:erase tasks:del @ child/out"));  // a map goes by its names
    const Compiled reaped =
        compile_text(lives(adds, "{work: 1us}", touch("[ids: remove @kid, rb: erase @kid, tasks: del @kid]")));
    CHECK(has(ops_text(reaped), "touch ids:remove handle 0 rb:erase handle 0 tasks:del handle 0 @ t/w"));
    CHECK(reaped.model.handles == 1);
}

TEST_CASE("a touch with the same operation on another's element is another touch") {
    const Compiled compiled =
        compile_text(lives(adds, leaves,
                           touch("{tasks: add_tail}", "x") + ", " + touch("{tasks: del}", "y") + ", " +
                               touch("{tasks: add_tail}", "x2") + ", " + touch("{tasks: del}", "y2")));
    CHECK(compiled.model.touch_lists.size() == 4);  // via/in, child/out, and two that x2 and y2 share
    const Compiled two = compile_text(lives(touch("{tasks: add_tail embryo}", "in") + ", " + start,
                                            touch("{tasks: add_tail}", "again"), touch("{tasks: del @kid}", "out")));
    CHECK(two.model.touch_lists.size() == 3);
    CHECK(two.model.objects.size() == 1);
    CHECK(two.hash != compile_text(lives(touch("{tasks: add_tail embryo}", "in") + ", " + start,
                                         touch("{tasks: add_tail}", "again"), touch("{tasks: del}", "out")))
                          .hash);
}

TEST_CASE("an object's keys become its specification, and each of them is in the hash") {
    const auto declared = [](const std::string& keys) {
        return compile_text(lives(touch("{tasks: add_tail embryo}") + ", " + start, touch("{tasks: del}"),
                                  "{work: 1us, touch: {a: read, b: read}}", "{tasks: {kind: list" + keys + "}}"));
    };
    const ObjectSpec plain = declared("").model.objects.at(0);
    CHECK(plain.name == "tasks");
    CHECK(plain.kind == ObjectKind::list);
    CHECK(plain.per.scope == Scope::global);
    CHECK(plain.resident == 0);
    CHECK(plain.line == own_line);
    CHECK(plain.head == Access::write);
    CHECK(plain.ids == 0);
    const Compiled full = declared(", per: process, resident: 7, line: b, head: store");
    const ObjectSpec object = full.model.objects.at(0);
    CHECK(object.per.scope == Scope::process);
    CHECK(object.resident == 7);
    CHECK(full.model.lines.at(object.line).name == "b");
    CHECK(object.head == Access::store);
    std::set<std::string> hashes;
    for (const char* keys : {"", ", per: process", ", resident: 7", ", line: a", ", head: store"}) {
        hashes.insert(declared(keys).hash);
    }
    CHECK(hashes.size() == 5);
    CHECK(declared(", line: own, resident: 0").hash == declared("").hash);

    const auto ids = [](const std::string& keys) {
        return compile_text(lives(touch("{ids: alloc embryo}") + ", " + start, touch("{ids: remove}"), "{work: 1us}",
                                  "{ids: {kind: idr, resident: 10" + keys + "}}"));
    };
    CHECK(ids(", ids: 12").model.objects.at(0).ids == 12);
    CHECK(ids(", ids: 12").hash != ids("").hash);
}

TEST_CASE("objects come with kernels, patches and scenarios; patches and settings edit what touches them") {
    const std::string kernel =
        "kernel: k\nobjects: {ids: {kind: idr, resident: 5}}\n"
        "functions: {via: [{work: 1us, name: w, touch: {ids: alloc embryo}}, {start: child}]}\n---\n"
        "patch: p\nadd: {objects: {rb: {kind: rbtree}}}\n"
        "edits:\n"
        "  - insert: [{work: 1us, name: add, touch: {rb: insert embryo}}]\n"
        "    after: via/w\n"
        "  - set: {ids.resident: 9}\n---\n"
        "scenario: s\nkernel: k\nplatform: uniform-2\npatches: [p]\nobjects: {tasks: {kind: list}}\n"
        "functions: {child: [{work: 1us, touch: {ids: remove, rb: erase}}]}\n"
        "workload: [{tasks: t, forever: [{spawn: {via: via, run: child}}, {work: 1us, touch: {tasks: add_tail}},\n"
        "  {work: 1us, touch: {tasks: del}}, {count: n}]}]\n";
    const Compiled compiled = compile_text(kernel, [](Request& r) { r.sets = {"rb.resident=3"}; });
    REQUIRE(compiled.model.objects.size() == 3);
    for (const ObjectSpec& object : compiled.model.objects) {
        CHECK(object.resident == (object.name == "ids" ? 9 : object.name == "rb" ? 3 : 0));
    }
}

TEST_CASE("in the work at the switch to the next task, the element is that of the task that ended") {
    const Compiled compiled =
        compile_text(lives(adds, touch("{rb: erase, ids: remove}", "out") + ", {exit: {next_runs: after}}",
                           "{work: 1us}", three_objects, "  after: [" + touch("{tasks: del}") + "]\n"));
    CHECK(has(ops_text(compiled), "touch tasks:del @ after/w"));
}

TEST_CASE("a listing shows objects and what is done with them") {
    const test::Scratch scratch;
    Request request;
    request.scenario = scratch.file("s.yaml", lives(adds, leaves, "{work: 1us}"));
    const Listing listing = show(request);
    std::map<std::string, std::string> objects;
    for (const ShownObject& object : listing.objects) {
        if (object.what != "object") continue;
        for (const auto& [key, value] : object.keys) objects[object.name] += key + "=" + value + " ";
    }
    CHECK(objects.at("ids") == "kind=idr resident=5 ");
    CHECK(objects.at("tasks") == "kind=list line=a head=store ");
    bool found = false;
    for (const ShownFunction& function : listing.functions) {
        for (const ShownStep& step : function.steps) {
            found = found || step.touches == "ids alloc embryo, rb insert embryo, tasks add_tail embryo";
        }
    }
    CHECK(found);
}

TEST_CASE("an operation on an object is refused where its element cannot be known, or is none of its kind") {
    const auto objects = [](const std::string& declared) { return lives(adds, leaves, "{work: 1us}", declared); };
    const std::string rest = ", ids: {kind: idr}, tasks: {kind: list}}";
    test::check_places({
        {"unknown object", lives(adds, touch("{^ta: del}")), "unknown object 'ta'", "rb, ids, tasks"},
        {"unknown object in a function that is never called",
         on_kernel("functions: {f: [{work: 1us, touch: {^ta: del}}]}\n", lives(adds, leaves)), "unknown object 'ta'",
         "rb, ids, tasks"},
        {"unknown operation", lives(adds, touch("{tasks: ^dle}")), "'dle' is no access and no operation", "'del'"},
        {"nobody's element", lives(touch("{tasks: ^add_tail embyro}") + ", " + start, leaves),
         "'embyro' is nobody's element", "add_tail embryo"},
        {"a blank behind the operation", lives(adds, touch("{tasks: ^'del '}")), "'' is nobody's element",
         "del embryo"},
        {"nobody's name", lives(adds, touch("{tasks: ^del @}")), "'@' is nobody's element", "del @CHILD"},
        {"operation of another kind", lives(adds, leaves, touch("{tasks: ^erase}")),
         "'erase' is no operation on 'tasks', which is of kind list", "add_tail or del"},
        {"operation of another kind in a function that is never called",
         on_kernel("functions: {f: [{work: 1us, touch: {ids: ^insert}}]}\n", lives(adds, leaves)),
         "'insert' is no operation on 'ids', which is of kind idr", "alloc, replace or remove"},
        {"an object used as a line", lives(adds, leaves, touch("{tasks: ^write}")), "'tasks' is an object",
         "add_tail or del"},
        {"a line used as an object", lives(adds, leaves, touch("{a: ^del}")), "'a' is a line", "read, write"},
        {"in a softirq", lives(adds, touch("{tasks: ^del}"), "{work: 1us}, {call_rcu: child}"), "in a softirq",
         "whose element"},
        {"embryo where none is", lives(adds, leaves, touch("{tasks: ^add_tail embryo}")),
         "'embryo' where no child is being spawned", "via"},
        {"embryo in the child itself", lives(adds, touch("{tasks: ^del embryo}")),
         "'embryo' where no child is being spawned", ""},
        {"embryo after its start", lives(adds + ", " + touch("{tasks: ^del embryo}"), leaves),
         "it is no embryo any more", "start: child"},
        {"a child that nobody is called", lives(adds, leaves, touch("{tasks: ^del @kit}")),
         "no child is named 'kit' here", "'kid'"},
        {"another's element in at-switch work",
         lives(adds, leaves + ", {exit: {next_runs: after}}", "{work: 1us}", three_objects,
               "  after: [" + touch("{tasks: ^del @kid}") + "]\n"),
         "another task's element in at-switch work", "only the task that has ended"},
        {"nothing is ever added", lives(start, touch("{tasks: ^del}")), "nothing is ever added to 'tasks'", "add_tail"},
        {"a key of another kind", objects("{rb: {kind: rbtree, ^ids: 7}" + rest),
         "the key 'ids' of an object of kind rbtree", "line"},
        {"head of a tree", objects("{rb: {kind: rbtree, ^head: store}" + rest),
         "the key 'head' of an object of kind rbtree", ""},
        {"unknown key", objects("{rb: {kind: rbtree, ^residents: 7}" + rest), "unknown key 'residents' of 'object'",
         "'resident'"},
        {"unknown kind", objects("{rb: {kind: ^rbtre}" + rest), "'rbtre' is no value of 'kind'", "'rbtree'"},
        {"unknown line of a head", objects("{rb: {kind: rbtree, line: ^aa}" + rest), "unknown line 'aa'", "'a'"},
        {"line of another scope", objects("{rb: {kind: rbtree, line: ^b}" + rest), "different scopes", "per"},
        {"line that is always another", objects("{rb: {kind: rbtree, line: ^c}" + rest), "is far", ""},
        {"name of a line", objects("{^a: {kind: list}, rb: {kind: rbtree}" + rest), "bears the name of a line", ""},
        {"more residents than memory", objects("{rb: {kind: rbtree, per: process, resident: ^600000}" + rest),
         "600000 residents in each of 4 instances of 'rb'", "2000000"},
        {"no number left",
         objects("{ids: {kind: idr, resident: 9, ids: ^10}, rb: {kind: rbtree}, tasks: {kind: list}}"),
         "no number is left", "at least 11"},
        {"no number left by default",
         objects("{ids: {kind: idr, resident: ^32767}, rb: {kind: rbtree}, tasks: {kind: list}}"), "no number is left",
         "at least 32769"},
    });
}

}  // namespace forksim
