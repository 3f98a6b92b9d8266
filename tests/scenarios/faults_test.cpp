// Bad input: each fault with its own place, also when it moves to another line.
#include <doctest/doctest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "tests/scenarios/fault_table.hpp"
#include "tests/scenarios/scratch.hpp"

namespace forksim {

using test::Fault;
using test::faults_of;

namespace {

/// The standard scenario with other text in place of one of its lines or steps.
std::string with(const std::string& old, const std::string& fresh) {
    std::string text = test::scenario_of("{work: 1us, name: w}, {section: L, name: s, body: [{work: 2us, name: h}]}");
    const std::size_t at = text.find(old);
    REQUIRE(at != std::string::npos);
    return text.replace(at, old.size(), fresh);
}
std::string step(const std::string& steps) { return with("{work: 1us, name: w}", steps); }
std::string functions(const std::string& list, const std::string& steps) {
    std::string text = test::scenario_of(steps, list);
    return text;
}

/// f0 calls f1 twice, f1 calls f2 twice, and so on; nothing else is done.
std::string doubling_functions() {
    std::string text;
    for (int i = 0; i < 60; ++i) {
        const std::string next = "{call: f" + std::to_string(i + 1) + "}";
        text += "  f" + std::to_string(i) + ": [" + next + ", " + next + "]\n";
    }
    return text + "  f60: []\n";
}

std::vector<Fault> all_faults() {
    return {
        {"unknown key of a document", with("lines:", "^lnies:"), "unknown key 'lnies' of 'scenario'", "'lines'"},
        {"unknown key of a lock", with("{kind: spinlock}", "{kind: spinlock, ^irk: off}"),
         "unknown key 'irk' of 'lock'", "'irq'"},
        {"unknown key of a step", step("{work: 1us, ^nmae: w}"), "unknown key 'nmae' of step 'work'", "'name'"},
        {"unknown key of a workload entry", with("count: 2", "^cuont: 2"), "unknown key 'cuont'", "'count'"},
        {"unknown key inside a step", step("{repeat: {n: 2, do: [{work: 1us}], ^odd: []}}"),
         "unknown key 'odd' of step 'repeat'", ""},
        {"key beside a step that belongs inside it", functions("{f: [{work: 1us}]}", "{spawn: {run: f}, ^via: f}"),
         "unknown key 'via'", "inside"},
        {"missing key of a step", step("{repeat: ^{do: [{work: 1us}]}}"), "lacks 'n'", "whole number"},
        {"duplicate key", with("count: 2", "count: 2\n    ^count: 3"), "duplicate key 'count'", "first at line"},
        {"duplicate key in a step", step("{work: 1us, ^work: 2us}"), "duplicate key 'work'", ""},
        {"wrong type: a list for a number", with("count: 2", "count: ^[2]"), "a list is no value of 'count'",
         "whole number"},
        {"wrong type: a word for a number", step("{repeat: {n: ^many, do: [{work: 1us}]}}"), "many", "whole number"},
        {"wrong type: a fraction of a task", with("count: 2", "count: ^2.5"), "'2.5' is no value of 'count'", ""},
        {"wrong type: a number for a boolean", with("a: {}", "a: {far: ^1}"), "'1' is no value of 'far'",
         "true or false"},
        {"wrong type: a text for a map", with("locks: {L:", "locks: {Q: ^spin, L:"), "'spin' where a map is needed",
         ""},
        {"wrong word", with("{kind: spinlock}", "{kind: ^spinlok}"), "'spinlok' is no value of 'kind'", "'spinlock'"},
        {"missing unit", step("{work: ^60}"), "the time '60' has no unit", "60ns"},
        {"missing unit in a distribution", step("{work: {lognormal: {mean: ^15, cv: 1}}}"), "has no unit", ""},
        {"unknown unit", step("{work: ^60nsec}"), "unknown unit 'nsec'", "60ns"},
        {"negative time", step("{work: ^-60ns}"), "is negative", ""},
        {"absurd time", step("{work: ^5000s}"), "absurd", "4000s"},
        {"finer than a picosecond", step("{work: ^0.0001ns}"), "finer than a picosecond", ""},
        {"value out of range", step("{branch: {p: ^1.5, do: [{work: 1us}]}}"), "'1.5' is no value of 'p'", "0 to 1"},
        {"quoted number", step("{work: ^'60ns'}"), "'60ns' is no value of 'work'", ""},
        {"no value", step("{section: ^}"), "the value of 'section' is missing", "lock"},
        {"unknown step", step("{^wrok: 1us}"), "unknown step 'wrok'", "'work'"},
        {"unknown step that is a word", step("^reshced"), "unknown step 'reshced'", "'resched'"},
        {"two steps in one map", step("{work: 1us, ^sleep: 1us}"), "two steps in one map", "'- '"},
        {"unknown lock", step("{section: ^LL}"), "unknown lock 'LL'", "'L'"},
        {"unknown line", step("{atomic: ^c}"), "unknown line 'c'", "a, b"},
        {"unknown line that is touched", step("{work: 1us, touch: {^c: read}}"), "unknown line 'c'", "a, b"},
        {"unknown access", step("{work: 1us, touch: {a: ^wrte}}"), "'wrte' is no access", "'write'"},
        {"unknown pool", step("{pool_get: ^q}"), "unknown pool 'q'", "p"},
        {"unknown function", functions("{foo: [{work: 1us}]}", "{call: ^fooo}"), "unknown function 'fooo'", "'foo'"},
        {"unknown name in a function that is never called", functions("{foo: [{section: ^M}]}", "{work: 1us}"),
         "unknown lock 'M'", ""},
        {"unknown signal", functions("{kid: [{signal: done}]}", "{spawn: {run: kid, as: k}}, {await: {^dnoe: k}}"),
         "nothing signals 'dnoe'", "'done'"},
        {"unknown child", functions("{kid: [{signal: done}]}", "{spawn: {run: kid, as: kit}}, {await: {done: ^kid}}"),
         "no child is named 'kid'", "'kit'"},
        {"unknown kernel", with("platform:", "kernel: ^linux-6.91\nplatform:"), "unknown kernel 'linux-6.91'",
         "'linux-6.19'"},
        {"unknown patch", with("platform:", "patches: [^pidmap-onec]\nplatform:"), "unknown patch 'pidmap-onec'",
         "'pidmap-once'"},
        {"unknown platform", with("{uniform: 4}", "^xeon-1s-20"), "unknown platform 'xeon-1s-20'", "'xeon-1s-20c'"},
        {"unknown machine", with("{uniform: 4}", "^{cores: 4, like: pentium}"), "pentium", ""},
        {"unknown configuration", with("platform:", "config: {^hzz: 100}\nplatform:"), "unknown key 'hzz'", "'hz'"},
        {"unknown name in an expression", step("{work: ^2*hold}"), "unknown name 'hold'", ""},
        {"unknown kind of document", with("scenario: s", "^scenaro: s"), "unknown kind of document", "'scenario'"},
        {"unknown condition", step("{work: 1us, when: ^config.spi}"), "unknown configuration 'spi'", "'psi'"},
        {"release without acquire", step("{^unlock: L}"), "release without acquire", ""},
        {"release of another mode", step("{^up_read: S}"), "release without acquire", ""},
        {"exclusive lock taken twice", step("{section: L, name: o, body: [{^section: L}]}"), "taken twice", "line"},
        {"lock taken for writing while held for reading",
         step("{section: R, mode: read, name: o, body: [{^section: R, mode: write}]}"), "taken twice", ""},
        {"lock taken again in a function",
         functions("{f: [{^section: L}]}", "{section: L, name: o, body: [{call: f}]}"), "taken twice", ""},
        {"lock held at the end of a turn", with("forever: [{work: 1us, name: w}", "^forever: [{down_read: S}"),
         "ends with S", ""},
        {"lock held at the end of a task", functions("{^f: [{lock: L}]}", "{spawn: {run: f}}"), "while it holds L", ""},
        {"lock held on one way only", step("{^branch: {p: 0.5, do: [{lock: L}]}}, {unlock: L}"), "one way", ""},
        {"sleeping while a spinlock is held", step("{section: L, name: o, body: [{^sleep: 1ms}]}"),
         "'sleep' may sleep while the spinning lock 'L' is held", "taken at line"},
        {"semaphore taken while a spinlock is held",
         step("{section: L, name: o, body: [{^down_read: S}]}, {up_read: S}"), "may sleep while the spinning lock", ""},
        {"resched while a lock is held", step("{section: R, mode: read, name: o, body: [^resched]}"),
         "may sleep while the spinning lock 'R'", ""},
        {"sleeping in a softirq", functions("{f: [{^sleep: 1us}]}", "{call_rcu: f}"), "in a softirq", "no task"},
        {"sleeping in at-switch work",
         functions("{f: [{^down_read: S}, {up_read: S}], g: [{exit: {next_runs: f}}]}", "{spawn: {run: g}}"),
         "at-switch work", ""},
        {"mode of a lock without modes", step("{^section: L, mode: read}"), "not taken in mode 'read'", "no mode"},
        {"no mode of a lock with modes", step("{^section: R}"), "needs a mode", "read or write"},
        {"calls in a circle", functions("{f: [{call: g}], g: [{call: ^f}]}", "{call: f}"), "f -> g -> f", "repeat"},
        {"steps after an endless loop",
         functions("{f: {do: [{forever: [{work: 1us}]}, {^work: 2us}]}}", "{spawn: {run: f}}"), "nothing comes here",
         ""},
        {"a child that is never started", functions("{f: [{work: 1us}]}", "{spawn: {via: ^f, run: f}}"),
         "never starts the child", "start: child"},
        {"start without a spawn", step("{^start: child}"), "no child is being spawned", "via"},
        {"zero tasks", with("count: 2", "count: ^0"), "no tasks", ""},
        {"empty workload", "scenario: s\nplatform: uniform-4\nworkload: ^[]\n", "no tasks", ""},
        {"tasks that do nothing", "scenario: s\nplatform: uniform-4\nworkload:\n  - ^tasks: t\n", "do nothing", ""},
        {"nothing is counted", "^scenario: s\nplatform: uniform-4\nworkload: [{tasks: t, forever: [{work: 1us}]}]\n",
         "nothing is counted", ""},
        {"impossible affinity", with("count: 2", "count: 2\n    affinity: ^{cpus: [2-4]}"), "CPU 4 does not exist",
         "has 4"},
        {"affinity to nothing", with("count: 2", "count: 2\n    affinity: ^{cpus: []}"), "no affinity", ""},
        {"affinity backwards", with("count: 2", "count: 2\n    affinity: ^{cpus: 3-1}"), "no affinity", ""},
        {"second step of one name", step("{work: 1us, name: w}, {^work: 1us, name: w}"), "a second step named 'w'",
         "line"},
        {"second lock of one name",
         "kernel: k\nlocks: {L: {kind: rwlock}}\n---\n"
         "scenario: s\nkernel: k\nplatform: uniform-4\nlocks: {^L: {kind: spinlock}}\n"
         "workload: [{tasks: t, forever: [{work: 1us}, {count: n}]}]\n",
         "'L' exists already", ""},
        {"empty name", step("{work: 1us, name: ^''}"), "no value of 'name'", "letters"},
        {"anchor", with("{uniform: 4}", "^&x {uniform: 4}"), "anchors", ""},
        {"alias", with("{uniform: 4}", "^*x"), "", ""},
        {"tag", with("count: 2", "count: ^!!int 2"), "tags", ""},
        {"merge key", with("count: 2", "count: 2\n    ^<<: {nice: 1}"), "merge keys", ""},
        {"control character", with("count: 2", "count: ^\x01"), "control character (code 1)", "text file"},
        {"invalid UTF-8", with("count: 2", "count: ^\xC3\x28"), "not UTF-8", ""},
        {"no YAML", with("count: 2", "count: [2\n  bad^: ]"), "not valid YAML", ""},
        {"text after the end", with("scenario: s", "patch: p\nedits: []\n...\n^scenario: s"),
         "after the end of the document", "---"},
        {"platform: a range that overlaps", with("{uniform: 4}", "{1..4: uniform-4, ^4..8: uniform-8}"), "overlaps",
         ""},
        {"a distribution where a constant is needed",
         with("platform:", "config: {wake_cost: ^{exponential: 1us}}\nplatform:"), "must be constant", ""},
        {"a distribution in a distribution", step("{work: {exponential: {mean: ^{exponential: 1us}}}}"),
         "must be constant", ""},
        {"two distributions at once", step("{work: ^{t: 1us, exponential: 1us}}"), "more than one time", "exactly one"},
        {"no time in a map", step("{work: ^{src: counted}}"), "a time is missing", ""},
        {"range backwards", step("{work: {t: 1us, range: ^2..1us}}"), "is not a range", "LOW..HIGH"},
        {"spread that no table holds", step("{work: {lognormal: {mean: 1us, cv: ^9}}}"), "no value of 'cv'", ""},
        {"more calls than a program may have",
         "^scenario: s\nplatform: uniform-1\nfunctions:\n" + doubling_functions() +
             "workload: [{tasks: t, forever: [{call: f0}, {count: n}]}]\n",
         "larger than", "use repeat"},
        {"too many CPUs", with("{uniform: 4}", "^{sockets: 16, cores: 100, like: xeon-1s-20c}"), "1600 CPUs", "1024"},
        {"duration of zero", with("workload:", "measure: {duration: ^0ns}\nworkload:"), "nothing is measured", ""},
        {"window too long", with("workload:", "measure: {warmup: 3000s, duration: ^2000s}\nworkload:"), "4000s", ""},
    };
}

}  // namespace

TEST_CASE("each fault is reported at its own place, also when it moves to another line") {
    test::check_places(all_faults());
}

TEST_CASE("all faults of a file are reported at once, in the order of their places") {
    const std::vector<Diagnostic> found = faults_of(
        "scenario: s\n"
        "platform: {uniform: 4}\n"
        "locks: {L: {kind: spinlock, colour: red}}\n"
        "workload:\n"
        "  - tasks: t\n"
        "    count: 0\n"
        "    forever:\n"
        "      - {work: 60}\n"
        "      - {section: M}\n"
        "      - {unlock: L}\n"
        "      - {count: n}\n");
    REQUIRE(found.size() == 5);
    CHECK(found[0].line == 3);
    CHECK(found[1].line == 6);
    CHECK(found[2].line == 8);
    CHECK(found[3].line == 9);
    CHECK(found[4].message.find("release without acquire") != std::string::npos);
}

TEST_CASE("a fault has one line of text: place, message, hint") {
    const std::vector<Diagnostic> found = faults_of(step("{work: 60}"));
    REQUIRE(found.size() == 1);
    CHECK(found[0].text().find("/scenario.yaml:10:22: the time '60' has no unit (expected a time") !=
          std::string::npos);
    CHECK(found[0].text().find('\n') == std::string::npos);
}

TEST_CASE("files that cannot be scenarios are refused") {
    const test::Scratch scratch;
    const auto message = [](const std::string& path) {
        Request request;
        request.scenario = path;
        try {
            compile(request);
        } catch (const LanguageError& error) {
            CHECK(error.diagnostics.size() == 1);
            return std::string(error.what());
        }
        return std::string("accepted");
    };
    CHECK(message(scratch.file("empty.yaml", "")).find("the file is empty") != std::string::npos);
    CHECK(message(scratch.file("blank.yaml", "# nothing\n\n")).find("the file is empty") != std::string::npos);
    CHECK(message(scratch.directory() + "/none.yaml").find("no such file") != std::string::npos);
    CHECK(message(scratch.directory()).find("is a directory") != std::string::npos);
    CHECK(message("threadspwan1").find("did you mean 'threadspawn1'?") != std::string::npos);
    CHECK(message(scratch.file("nul.yaml", std::string("scenario: s\0", 12))).find("code 0") != std::string::npos);
    CHECK(message(scratch.file("elf",
                               "\x7f"
                               "ELF\x02\x01\x01"))
              .find("code 127") != std::string::npos);
    const std::string padding(999'990, '#');
    CHECK(message(scratch.file("small.yaml", padding)).find("empty") != std::string::npos);
    CHECK(message(scratch.file("large.yaml", padding + "\n0123456789")).find("larger than 1000000") !=
          std::string::npos);
    CHECK(message(scratch.file("deep.yaml", "scenario: " + std::string(65, '[') + std::string(65, ']')))
              .find("nested deeper than 64") != std::string::npos);
    CHECK(message(scratch.file("abyss.yaml", std::string(100'000, '['))).find("nested deeper") != std::string::npos);
    CHECK(message(scratch.file("list.yaml", "- a\n")).find("a document must be a map") != std::string::npos);
    CHECK(message(scratch.file("kernel.yaml", "kernel: k\n")).find("no scenario") != std::string::npos);
}

TEST_CASE("faults of options name the option") {
    const auto text = [](const std::function<void(Request&)>& change) {
        const std::vector<Diagnostic> found = faults_of(step("{work: 1us, name: w}"), change);
        return found.empty() ? std::string("accepted") : found.front().text();
    };
    CHECK(text([](Request& r) { r.sets = {"w.work=60"}; }).find("--set w.work=60:1:1: the time '60' has no unit") == 0);
    CHECK(text([](Request& r) { r.sets = {"W.work=60ns"}; }).find("--set W.work=60ns: 'W' matches nothing") == 0);
    CHECK(text([](Request& r) { r.sets = {"w.wrok=60ns"}; }).find("did you mean 'work'?") != std::string::npos);
    CHECK(text([](Request& r) { r.sets = {"config.hzz=1"}; }).find("did you mean 'hz'?") != std::string::npos);
    CHECK(text([](Request& r) { r.sets = {"nonsense"}; }).find("ADDRESS.KEY=VALUE") != std::string::npos);
    CHECK(text([](Request& r) { r.sets = {"w.work="}; }).find("a value is missing") != std::string::npos);
    CHECK(text([](Request& r) { r.sets = {"platform.colour=1"}; }).find("colour") != std::string::npos);
    CHECK(text([](Request& r) { r.patches = {"pidmap"}; }).find("--patch pidmap: unknown patch 'pidmap'") == 0);
    CHECK(text([](Request& r) { r.platform = "xeon"; }).find("--platform xeon: unknown platform 'xeon'") == 0);
    CHECK(text([](Request& r) { r.duration = "100"; }).find("--duration 100:1:1: the time '100' has no unit") == 0);
    CHECK(text([](Request& r) { r.warmup = "-1ms"; }).find("negative") != std::string::npos);
    CHECK(text([](Request& r) { r.replications = 0; }).find("--replications 0") == 0);
    CHECK(text([](Request& r) { r.cpus = 5; }).find("5 CPUs asked for; uniform-4 has 4") != std::string::npos);
    CHECK(text([](Request& r) { r.cpus = 0; }).find("0 CPUs asked for") != std::string::npos);
}

}  // namespace forksim
