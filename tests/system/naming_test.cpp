// What must not matter: names, the order of keys, and what is not used.
#include <doctest/doctest.h>

#include "tests/system/rewrite.hpp"
#include "tests/system/runs.hpp"

namespace forksim::test {
namespace {

std::string kernel_text() { return shipped_text("scenarios/kernels/linux-6.19.yaml"); }

/// threadspawn1 on the kernel of a file beside it.
std::string scenario_text() {
    return replaced(shipped_text("scenarios/threadspawn1.yaml"), "kernel: linux-6.19\n", "kernel: linux.yaml\n");
}

Request short_run(const std::string& file) {
    Request request;
    request.scenario = file;
    request.as_written = true;  // worlds name steps
    request.warmup = "4ms";
    request.duration = "20ms";
    return request;
}

/// The scenario and its kernel as written into a subfolder, compiled.
Compiled compiled_from(const TempFolder& folder, const std::string& sub, const std::string& scenario,
                       const std::string& kernel, const std::vector<std::string>& sets = {}) {
    folder.write(sub + "/linux.yaml", kernel);
    Request request = short_run(folder.write(sub + "/threadspawn.yaml", scenario));
    request.sets = sets;
    return compile(request);
}

/// Everything that a run says.
std::string outcome(const Compiled& compiled) {
    return compiled.hash + '\n' + text_of(compiled, merged(replications(compiled, 2)));
}

}  // namespace

TEST_CASE("with constant times, other names for all locks and steps of a kernel change no number") {
    const TempFolder folder;
    const std::vector<std::string> constant = {"config.cv=0", "rcu.gp=15ms"};
    const Compiled plain = compiled_from(folder, "plain", scenario_text(), kernel_text(), constant);
    const Compiled other = compiled_from(folder, "other", scenario_text(), with_other_names(kernel_text()), constant);
    CHECK(other.model.locks[lock_index(other, "nkcol_pamdip")].name != "pidmap_lock");  // it did change the names
    const std::string numbers = nameless_text_of(plain, merged(replications(plain, 2)));
    CHECK(numbers == nameless_text_of(other, merged(replications(other, 2))));
    CHECK(merged(replications(plain, 2)).counts[0] > 1000);
}

TEST_CASE("the order of keys changes nothing") {
    const TempFolder folder;
    const std::string plain = outcome(compiled_from(folder, "plain", scenario_text(), kernel_text()));
    CHECK(plain == outcome(compiled_from(folder, "kernel", scenario_text(), reordered(kernel_text()))));
    CHECK(plain == outcome(compiled_from(folder, "scenario", reordered(scenario_text()), kernel_text())));
}

TEST_CASE("the order of keys in a patch changes nothing") {
    const TempFolder folder;
    for (const char* name : {"pidmap-once", "pidfs-rhashtable"}) {
        const std::string text = shipped_text("scenarios/patches/" + std::string(name) + ".yaml");
        Request request = short_run("threadspawn1-20c");
        request.patches = {name};
        const std::string plain = outcome(compile(request));
        request.patches = {folder.write(std::string(name) + ".yaml", reordered(text))};
        CHECK(plain == outcome(compile(request)));
    }
}

TEST_CASE("what is not used changes nothing") {
    const TempFolder folder;
    const std::string plain = outcome(compiled_from(folder, "plain", scenario_text(), kernel_text()));
    const auto with = [&](const char* before, const char* added) {
        const std::string text = replaced(kernel_text(), before, std::string(before) + added);
        return outcome(compiled_from(folder, "more", scenario_text(), text));
    };
    CHECK(plain == with("\nlocks:\n", "  a_lock_that_nobody_takes: {kind: rwlock, irq: off}\n"));
    CHECK(plain == with("\nlines:\n", "  a_line_that_nobody_touches: {lines: 7}\n"));
    CHECK(plain == with("\nobjects:\n", "  an_object_that_nobody_touches: {kind: list, line: pidns, resident: 7}\n"));
    CHECK(plain == with("\npools:\n", "  a_pool_that_nobody_asks: {per: cpu, size: 2}\n"));
    CHECK(plain == with("\nfunctions:\n",
                        "  a_function_that_nobody_calls:\n"
                        "    src: estimated\n"
                        "    do: [{section: pidmap_lock, name: never, body: [{work: 1us, name: idle}]}]\n"));

    folder.write("plain/unused.yaml", "patch: unused\nedits:\n  - remove: alloc_pid/publish\n");
    CHECK(plain == outcome(compile(short_run((folder.path() / "plain" / "threadspawn.yaml").string()))));
}

TEST_CASE("rewriting a document, as these tests do it, keeps what it says") {
    CHECK(reordered("kernel: k\nlocks: {a: {kind: spinlock, irq: off}, b: {}}\nx: [1, {c: 2, d: \"3\"}]\n") ==
          "kernel: k\nx: [1, {d: \"3\", c: 2}]\nlocks: {b: {}, a: {irq: off, kind: spinlock}}\n");
    CHECK(
        with_other_names("kernel: k\nlocks: {ab: {irq: off}}\nfunctions: {f: [{section: ab, name: cd, body: []}]}\n") ==
        "kernel: k\nlocks: {nba: {irq: off}}\nfunctions: {f: [{section: nba, name: ndc, body: []}]}\n");
}

}  // namespace forksim::test
