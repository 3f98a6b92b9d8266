// Moving a process to another cgroup, and killing a cgroup, against what was counted in kernel/cgroup/cgroup.c.
#include <doctest/doctest.h>

#include "tests/scenarios/kernel_stacks.hpp"
#include "tests/scenarios/scratch.hpp"

namespace forksim {

using test::acquisitions;
using test::nesting;

namespace {

Compiled calling(const std::string& function, const std::string& kernel, const std::vector<std::string>& patches = {},
                 const std::vector<std::string>& sets = {}) {
    return test::compile_text("scenario: s\nkernel: " + kernel +
                                  "\nplatform: uniform-2\nworkload: {tasks: t, forever: [{call: " + function +
                                  "}, {count: n}]}\n",
                              [&](Request& request) {
                                  request.patches = patches;
                                  request.sets = sets;
                              });
}

const std::vector<std::string> versions = {"linux-6.12", "linux-6.14", "linux-6.15",
                                           "linux-6.18", "linux-6.19", "linux-7.0"};
const std::vector<std::string> favoured = {"config.favordynmods=true"};

bool always_slow(const Compiled& scenario) {
    for (const LockSpec& lock : scenario.model.locks) {
        if (lock.name == "cgroup_threadgroup_rwsem") return lock.always_slow;
    }
    return false;
}

}  // namespace

TEST_CASE("a migration takes css_set_lock seven times, all of them inside the global write lock and cgroup_mutex") {
    for (const std::string& version : versions) {
        CAPTURE(version);
        const Compiled moves = calling("cgroup_procs_write", version);
        std::map<std::string, int> taken = acquisitions(moves);
        CHECK(taken["css_set_lock"] == 7);
        CHECK(taken["cgroup_mutex"] == 1);
        CHECK(taken["cpu_hotplug_lock read"] == 1);
        CHECK(taken["cgroup_threadgroup_rwsem write"] == 1);
        CHECK(nesting(moves) ==
              std::set<std::string>{"cgroup_mutex > cpu_hotplug_lock", "cgroup_mutex > cgroup_threadgroup_rwsem",
                                    "cpu_hotplug_lock > cgroup_threadgroup_rwsem", "cgroup_mutex > css_set_lock",
                                    "cpu_hotplug_lock > css_set_lock", "cgroup_threadgroup_rwsem > css_set_lock"});
    }
}

TEST_CASE("with favordynmods the global lock is not written from 6.18 on, and its readers are always slow") {
    for (const std::string& version : versions) {
        CAPTURE(version);
        const bool young = version != "linux-6.12" && version != "linux-6.14" && version != "linux-6.15";
        const auto writes = [&](const std::vector<std::string>& patches) {
            return acquisitions(
                calling("cgroup_procs_write", version, patches, favoured))["cgroup_threadgroup_rwsem write"];
        };
        CHECK(writes({}) == (young ? 0 : 1));
        if (!young) CHECK(writes({"per-threadgroup-rwsem"}) == 0);
        CHECK(always_slow(test::threads_on({version, {}}, favoured)));
        CHECK(!always_slow(test::threads_on({version, {}})));
    }
}

TEST_CASE("a kill takes css_set_lock to count up, to begin and once per task, and no rwsem") {
    const std::map<std::string, int> one = {{"cgroup_mutex", 1}, {"css_set_lock", 3}};
    for (const std::string& version : versions) CHECK(acquisitions(calling("cgroup_kill", version)) == one);
}

TEST_CASE("the css_set proposals put their writers inside css_set_lock, for migration and kill") {
    for (const std::string& version : versions) {
        CAPTURE(version);
        for (const std::string function : {"cgroup_procs_write", "cgroup_kill"}) {
            const Compiled rwlock = calling(function, version, {"css-set-rwlock"});
            CHECK(acquisitions(rwlock)["css_set_clone_lock write"] == 1);
            CHECK(nesting(rwlock).count("css_set_lock > css_set_clone_lock") == 1);
            const Compiled seqcount = calling(function, version, {"css-set-seqcount"});
            CHECK(acquisitions(seqcount)["css_clone_seq write"] == 1);
            CHECK(nesting(seqcount).count("css_set_lock > css_clone_seq") == 1);
        }
    }
}

}  // namespace forksim
