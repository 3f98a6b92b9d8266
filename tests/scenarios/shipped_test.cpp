// The library that ships: everything in it compiles, and linux-6.19 has the structure that was counted.
#include <doctest/doctest.h>

#include <array>
#include <map>
#include <set>

#include "scenarios/listing.hpp"
#include "tests/scenarios/scratch.hpp"

namespace forksim {
namespace {

Compiled compiled(const std::string& scenario, const std::vector<std::string>& patches = {},
                  std::optional<std::uint32_t> cpus = {}) {
    Request request;
    request.scenario = scenario;
    request.patches = patches;
    request.cpus = cpus;
    request.as_written = true;
    return compile(request);
}

/// Acquire ops by lock, "pidmap_lock", or lock and mode, "tasklist_lock write", over all programs of the scenario:
/// what one life takes, because no section stands in a loop or behind a branch on this path.
std::map<std::string, int> census(const Compiled& scenario) {
    std::map<std::string, int> result;
    for (const Op& op : scenario.program.ops) {
        if (op.code != Code::sync || op.sub != static_cast<std::uint8_t>(SyncCode::acquire)) continue;
        const std::string& mode = scenario.program.sites[op.site].mode;
        result[scenario.model.locks[op.a].name + (mode.empty() ? "" : " " + mode)] += 1;
    }
    return result;
}

/// The objects that its programs touch.
std::set<std::string> objects_of(const Compiled& scenario) {
    std::set<std::string> names;
    for (const ObjectSpec& object : scenario.model.objects) names.insert(object.name);
    return names;
}

/// Operations on objects, "idr alloc" and the like, over all programs of the scenario.
std::map<std::string, int> operations(const Compiled& scenario) {
    constexpr std::array<const char*, 7> names = {"insert", "erase", "alloc", "replace", "remove", "add_tail", "del"};
    std::map<std::string, int> result;
    for (const Op& op : scenario.program.ops) {
        if (op.code != Code::sync || op.sub != static_cast<std::uint8_t>(SyncCode::touch)) continue;
        for (const Touch& touch : scenario.model.touch_lists[op.a]) {
            if (!touch.object) continue;
            result[scenario.model.objects[touch.line].name + ' ' + names[static_cast<std::size_t>(touch.op)]] += 1;
        }
    }
    return result;
}

/// Where a site stands in the listing: "parent", "child", "next task on the CPU", "softirq".
std::map<std::string, std::string> contexts(const Listing& listing) {
    std::map<std::string, std::string> result;
    for (const ShownFunction& function : listing.functions) {
        for (const ShownStep& step : function.steps) result[step.site] = function.context;
    }
    return result;
}

}  // namespace

TEST_CASE("every shipped scenario, kernel and patch is good") {
    for (const auto& list : {list_scenarios(), list_kernels(), list_patches()}) {
        CHECK(!list.empty());
        for (const ListedFile& file : list) {
            CAPTURE(file.name);
            Request request;
            request.scenario = file.name;
            CHECK_NOTHROW(check(request));
            CHECK(file.about.size() > 10);
        }
    }
}

TEST_CASE("acquisitions per life of a thread on linux-6.19 are those counted in the source") {
    const std::map<std::string, int> taken = census(compiled("threadspawn1-20c"));
    CHECK(taken.at("pidmap_lock") == 3);
    CHECK(taken.at("css_set_lock") == 3);
    CHECK(taken.at("tasklist_lock write") == 3);
    CHECK(taken.at("input_pool") == 1);
    CHECK(taken.at("cgroup_threadgroup_rwsem read") == 2);
    CHECK(taken.at("siglock") == 5);
    CHECK(taken.at("fs_lock") == 2);
    CHECK(taken.at("mmap_lock read") == 2);
}

TEST_CASE("a thread enters the pids, pidfs' tree and the lists of its cgroup and process once, and leaves them once") {
    const std::map<std::string, int> expected = {
        {"idr alloc", 1},         {"idr replace", 1},        {"idr remove", 1},    {"pidfs.rb insert", 1},
        {"pidfs.rb erase", 1},    {"css.tasks add_tail", 1}, {"css.tasks del", 1}, {"signal.threads add_tail", 1},
        {"signal.threads del", 1}};
    CHECK(operations(compiled("threadspawn1-20c")) == expected);
    CHECK(operations(compiled("threadspawn1-20c", {"pidmap-once"})) == expected);
    std::map<std::string, int> hashed = expected;
    hashed.erase("pidfs.rb insert");
    hashed.erase("pidfs.rb erase");
    CHECK(operations(compiled("threadspawn1-20c", {"pidfs-rhashtable"})) == hashed);
    CHECK(operations(compiled("threadspawn1-20c", {"pidmap-once", "pidfs-rhashtable"})) == hashed);
}

TEST_CASE("with pidmap-once a pid is allocated in one trip") {
    const std::map<std::string, int> once = census(compiled("threadspawn1-20c", {"pidmap-once"}));
    CHECK(once.at("pidmap_lock") == 2);
    CHECK(once.at("css_set_lock") == 3);
}

TEST_CASE("pidfs-rhashtable takes the tree out of pidmap_lock, before and after pidmap-once") {
    for (const std::vector<std::string>& patches :
         {std::vector<std::string>{"pidfs-rhashtable"}, {"pidmap-once", "pidfs-rhashtable"}}) {
        const Compiled patched = compiled("threadspawn1-20c", patches);
        CHECK(objects_of(compiled("threadspawn1-20c")).count("pidfs.rb") == 1);
        CHECK(objects_of(patched) == std::set<std::string>{"idr", "css.tasks", "signal.threads"});
        int outside = 0;
        for (const Site& site : patched.program.sites) {
            outside += site.name == "alloc_pid/pidfs_add" || site.name == "free_pid/pidfs_remove" ? 1 : 0;
        }
        CHECK(outside == 2);
    }
}

TEST_CASE("each section of linux-6.19 runs in the context that it has in the kernel") {
    Request request;
    request.scenario = "threadspawn1-20c";
    const std::map<std::string, std::string> where = contexts(show(request));
    for (const char* site : {"alloc_pid/idr_alloc", "alloc_pid/publish", "cgroup_can_fork/css_set_fork",
                             "clone_thread/link", "cgroup_post_fork/post_fork"}) {
        CHECK(where.at(site) == "parent");
    }
    for (const char* site : {"exit_notify/notify", "release_task/release", "add_device_randomness/mix",
                             "free_pid/remove", "exit_signals/threadgroup"}) {
        CHECK(where.at(site) == "child");
    }
    CHECK(where.at("cgroup_task_dead/dead") == "next task on the CPU");
    for (const char* site : {"delayed_put_pid/free", "delayed_put_task/put_css_set", "free_stack/unlink_area"}) {
        CHECK(where.at(site) == "softirq");
    }
}

TEST_CASE("the join is released before the locks of the exit path, and cgroup_threadgroup_rwsem spans tasklist_lock") {
    const std::string ops = test::ops_text(compiled("threadspawn1-20c"));
    const auto at = [&](const std::string& text) {
        const std::size_t place = ops.find(text);
        REQUIRE(place != std::string::npos);
        return place;
    };
    CHECK(at("; signal") < at("acquire tasklist_lock write @ exit_notify/notify"));
    CHECK(at("acquire cgroup_threadgroup_rwsem read @ cgroup_can_fork/threadgroup") < at("@ clone_thread/link;"));
    CHECK(at("@ clone_thread/link;") < at("release cgroup_threadgroup_rwsem @ cgroup_can_fork/threadgroup"));
}

TEST_CASE("work outside the locks is that of the notes: 12 to 13 us a life with a hit in the stack cache") {
    const Compiled scenario = compiled("threadspawn1-20c");
    std::int64_t outside = 2 * scenario.core.context_switch.ps + scenario.core.wake_cost.ps;
    for (const Op& op : scenario.program.ops) {
        if (op.code == Code::work && op.site == 0) outside += scenario.program.samplers[op.a].mean_ps;
    }
    outside -= Time::from_ns(1700 + 700).ps;  // the way of a miss, and vfree
    CHECK(outside > Time::from_ns(12'000).ps);
    CHECK(outside < Time::from_ns(13'400).ps);
}

TEST_CASE("threadspawn1 finds a machine for every number of CPUs up to 512") {
    CHECK(compiled("threadspawn1").banner.composition == "20 CPUs: 1 socket x 20 cores");
    CHECK(compiled("threadspawn1", {}, 10).banner.platform == "xeon-1s-20c");
    CHECK(compiled("threadspawn1", {}, 21).banner.platform == "cascadelake-2s-20c-smt");
    CHECK(compiled("threadspawn1", {}, 80).banner.composition == "80 CPUs: 2 sockets x 20 cores x 2 threads");
    CHECK(compiled("threadspawn1", {}, 512).program.roots.size() == 512);
    CHECK(compiled("threadspawn1-512t").topology.cpu_count() == 512);
    CHECK_THROWS_AS(compiled("threadspawn1", {}, 513), LanguageError);
    CHECK_THROWS_AS(compiled("threadspawn1-20c", {}, 21), LanguageError);
}

TEST_CASE("a shipped kernel without the source of a number is refused") {
    const test::Scratch scratch;
    // A library of its own: scenarios/ with one kernel.
    const std::string before = getenv("FORKSIM_LIBRARY") == nullptr ? "" : getenv("FORKSIM_LIBRARY");
    REQUIRE(system(("mkdir -p " + scratch.directory() + "/scenarios/kernels").c_str()) == 0);
    scratch.file("scenarios/kernels/bad.yaml",
                 "kernel: bad\nlines: {a: {lines: 2}}\nconfig: {hz: 100, cv: 0.1}\n"
                 "functions:\n  f: [{work: 1us}, {work: {t: 1us, src: counted}}]\n"
                 "  g: {src: estimated, do: [{work: 1us}]}\n");
    setenv("FORKSIM_LIBRARY", scratch.directory().c_str(), 1);
    Request request;
    request.scenario = "bad";
    try {
        check(request);
        FAIL("accepted");
    } catch (const LanguageError& error) {
        REQUIRE(error.diagnostics.size() == 3);
        CHECK(error.diagnostics[0].text().find("bad.yaml:2:20: the number of 'lines' has no source") !=
              std::string::npos);
        CHECK(error.diagnostics[1].line == 3);
        CHECK(error.diagnostics[2].text().find("bad.yaml:5:14: the number of 'work' has no source") !=
              std::string::npos);
    }
    if (before.empty()) {
        unsetenv("FORKSIM_LIBRARY");
    } else {
        setenv("FORKSIM_LIBRARY", before.c_str(), 1);
    }
}

TEST_CASE("a listing shows values with their sources, and who calls whom") {
    Request request;
    request.scenario = "threadspawn1-20c";
    request.as_written = true;
    const Listing listing = show(request);
    const auto function = [&](const std::string& name) -> const ShownFunction& {
        for (const ShownFunction& f : listing.functions) {
            if (f.name == name) return f;
        }
        FAIL("no function ", name);
        return listing.functions.front();
    };
    CHECK(function("alloc_pid").callers == std::vector<std::string>{"clone_thread"});
    CHECK(function("release_task").callers == std::vector<std::string>{"exit_thread"});
    const std::vector<ShownStep>& steps = function("alloc_pid").steps;
    REQUIRE(steps.size() > 2);
    CHECK(steps[0].kind == "section");
    CHECK(steps[0].lock == "pidmap_lock");
    CHECK(steps[1].depth == 1);
    CHECK(steps[1].value == "90ns");
    CHECK(steps[1].source == "estimated");
    CHECK(steps[1].touches == "pidns write, idr alloc embryo");
    bool found = false;
    for (const ShownSite& site : listing.sites) {
        found = found || (site.name == "clone_thread/link" && site.lock == "tasklist_lock" && site.mode == "write");
    }
    CHECK(found);
}

}  // namespace forksim
