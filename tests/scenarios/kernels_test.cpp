// The versions of the kernel and the patches between them, against what was counted in the source of each.
#include <doctest/doctest.h>

#include "scenarios/listing.hpp"
#include "tests/scenarios/kernel_stacks.hpp"
#include "tests/scenarios/scratch.hpp"

namespace forksim {

using test::acquisitions;
using test::contexts_on;
using test::nesting;
using test::Stack;
using test::threads_on;

namespace {

const std::vector<std::string> versions = {"linux-6.12", "linux-6.14", "linux-6.15",
                                           "linux-6.18", "linux-6.19", "linux-7.0"};

/// The series of 6.15, in its order.
const std::vector<std::string> series = {"random-outside-tasklist", "get-pid-hoist", "free-pid-outside-tasklist",
                                         "pidmap-no-irqsave"};

/// What the life of one thread takes, creation and exit together.
struct Row {
    Stack stack;
    int tasklist = 3;  // copy_process, exit_notify, release_task; all for writing
    int pidmap = 3;    // alloc_pid twice, free_pid
    int css = 3;       // cgroup_css_set_fork, cgroup_post_fork, at death
    int css_clone = 0;
    int siglock = 5;  // recalc_sigpending, copy_process, synchronize_group_exit, exit_signals, __exit_signal
    int css_seq = 0;  // cgroup_css_set_fork under a sequence count
};

std::vector<Row> rows() {
    return {
        {{"linux-6.12", {}}, 3, 3, 3, 0, 6},  // and coredump_task_exit
        {{"linux-6.12", {"pidfs-rbtree"}}, 3, 3, 3, 0, 6},
        {{"linux-6.12", {"pidmap-once"}}, 3, 2, 3, 0, 6},
        {{"linux-6.12", {"siglock-merge"}}, 3, 3, 3, 0, 5},
        {{"linux-6.14", {}}, 3, 3, 3, 0, 6},
        {{"linux-6.14", series}, 3, 3, 3, 0, 6},
        {{"linux-6.14", {"tasklist-exit-once"}}, 2, 3, 3, 0, 6},
        {{"linux-6.15", {}}, 3, 3, 3, 0, 6},
        {{"linux-6.15", {"siglock-merge"}}, 3, 3, 3, 0, 5},
        {{"linux-6.18", {}}},
        {{"linux-6.18", {"pidmap-once"}}, 3, 2},
        {{"linux-6.18", {"task-dead-in-finish-switch"}}},
        {{"linux-6.19", {}}},
        {{"linux-6.19", {"pidmap-once", "pidfs-rhashtable"}}, 3, 2},
        {{"linux-6.19", {"css-set-aligned"}}},
        {{"linux-6.19", {"css-set-rwlock"}}, 3, 3, 2, 1},
        {{"linux-6.19", {"css-set-seqcount"}}, 3, 3, 2, 0, 5, 1},
        {{"linux-7.0", {"css-set-seqcount", "tasklist-exit-once"}}, 2, 2, 2, 0, 5, 1},
        {{"linux-6.19", {"tasklist-exit-once"}}, 2},
        {{"linux-6.19", {"pidmap-once", "pidfs-rhashtable", "css-set-rwlock", "tasklist-exit-once"}}, 2, 2, 2, 1},
        {{"linux-7.0", {}}, 3, 2},
        {{"linux-7.0", {"css-set-rwlock"}}, 3, 2, 2, 1},
    };
}

std::string hash_of(const Stack& stack) { return threads_on(stack).hash; }

/// The pairs of `found` that have one of `locks` on the right.
std::set<std::string> inside(const std::set<std::string>& found, const std::set<std::string>& locks) {
    std::set<std::string> result;
    for (const std::string& pair : found) {
        if (locks.count(pair.substr(pair.find(" > ") + 3)) > 0) result.insert(pair);
    }
    return result;
}

}  // namespace

TEST_CASE("the life of a thread takes each lock as often as in the source, on every version and stack") {
    for (const Row& row : rows()) {
        const std::string name = row.stack.text();
        CAPTURE(name);
        std::map<std::string, int> taken = acquisitions(threads_on(row.stack));
        CHECK(taken["tasklist_lock write"] == row.tasklist);
        CHECK(taken["tasklist_lock read"] == 0);
        CHECK(taken["pidmap_lock"] == row.pidmap);
        CHECK(taken["css_set_lock"] == row.css);
        CHECK(taken["css_set_clone_lock read"] == row.css_clone);
        CHECK(taken["css_clone_seq read"] == row.css_seq);
        CHECK(taken["input_pool"] == 1);
        CHECK(taken["cgroup_threadgroup_rwsem read"] == 2);
        CHECK(taken["signal.cgroup_threadgroup_rwsem read"] == 0);
        CHECK(taken["siglock"] == row.siglock);
    }
}

TEST_CASE("the life of a process takes each lock as often as in the source, on every version and stack") {
    for (const Row& row : rows()) {
        const std::string name = row.stack.text();
        CAPTURE(name);
        std::map<std::string, int> taken = acquisitions(processes_on(row.stack));
        // Once by the parent who forks, once by the dying task, once by the parent in wait4, which also reads.
        CHECK(taken["tasklist_lock write"] == 3);
        CHECK(taken["tasklist_lock read"] >= 1);
        CHECK(taken["pidmap_lock"] == row.pidmap);
        CHECK(taken["css_set_lock"] == row.css);
        CHECK(taken["css_set_clone_lock read"] == row.css_clone);
        CHECK(taken["css_clone_seq read"] == row.css_seq);
        CHECK(taken["input_pool"] == 1);
        CHECK(taken["cgroup_threadgroup_rwsem read"] == 2);
    }
}

TEST_CASE("with favordynmods fork and exit also take the rwsem of their thread group, from 6.18 on") {
    const std::vector<std::string> sets = {"config.favordynmods=true"};
    const auto taken = [&](const Stack& stack) {
        return acquisitions(threads_on(stack, sets))["signal.cgroup_threadgroup_rwsem read"];
    };
    for (const char* old : {"linux-6.12", "linux-6.14", "linux-6.15"}) {
        CHECK(taken({old, {}}) == 0);
        CHECK(taken({old, {"per-threadgroup-rwsem"}}) == 2);
    }
    for (const char* young : {"linux-6.18", "linux-6.19", "linux-7.0"}) {
        CHECK(taken({young, {}}) == 2);
        // The global one first, then the own one, and back in reverse.
        const std::set<std::string> pairs = nesting(threads_on({young, {}}, sets));
        CHECK(pairs.count("cgroup_threadgroup_rwsem > signal.cgroup_threadgroup_rwsem") == 1);
        CHECK(pairs.count("signal.cgroup_threadgroup_rwsem > cgroup_threadgroup_rwsem") == 0);
        CHECK(pairs.count("signal.cgroup_threadgroup_rwsem > tasklist_lock") == 1);
    }
}

TEST_CASE("a dying task leaves its css_set itself up to 6.18; from 6.19 on the next task does that for it") {
    for (const std::string& version : versions) {
        CAPTURE(version);
        const bool young = version == "linux-6.19" || version == "linux-7.0";
        CHECK(contexts_on({version, {}}).at("cgroup_task_dead/dead") == (young ? "next task on the CPU" : "child"));
        if (young) continue;
        CHECK(contexts_on({version, {"task-dead-in-finish-switch"}}).at("cgroup_task_dead/dead") ==
              "next task on the CPU");
        // Before exit_notify, so that it waits for no tasklist_lock.
        const std::string ops = test::ops_text(threads_on({version, {}}));
        CHECK(ops.find("@ cgroup_task_dead/dead") < ops.find("@ exit_notify/notify"));
    }
}

TEST_CASE("on every version the rest runs where it does in the kernel") {
    for (const std::string& version : versions) {
        CAPTURE(version);
        const std::map<std::string, std::string> where = contexts_on({version, {}});
        const std::string alloc = version == "linux-7.0" ? "alloc_pid/alloc" : "alloc_pid/publish";
        for (const std::string& site :
             {alloc, std::string("clone_thread/link"), std::string("cgroup_post_fork/post_fork")})
            CHECK(where.at(site) == "parent");
        for (const char* site : {"exit_signals/set_exiting", "exit_notify/notify", "release_task/release",
                                 "release_task/unhash", "add_device_randomness/mix", "free_pid/remove"})
            CHECK(where.at(site) == "child");
        CHECK(where.at("finish_dead/put_task_stack") == "next task on the CPU");
        for (const char* site : {"delayed_put_pid/free", "delayed_put_task/put_css_set", "free_stack/unlink_area"})
            CHECK(where.at(site) == "softirq");
    }
}

TEST_CASE("up to 6.14 pidmap_lock and input_pool are waited for inside the tasklist section, under siglock") {
    const std::set<std::string> leaves = {"pidmap_lock", "input_pool"};
    const std::set<std::string> pidmap = {"tasklist_lock > pidmap_lock", "siglock > pidmap_lock"};
    const std::set<std::string> pool = {"tasklist_lock > input_pool", "siglock > input_pool"};
    std::set<std::string> both = pidmap;
    both.insert(pool.begin(), pool.end());
    const auto found = [&](const Stack& stack) { return inside(nesting(threads_on(stack)), leaves); };
    for (const std::string old : {"linux-6.12", "linux-6.14"}) {
        CAPTURE(old);
        CHECK(found({old, {}}) == both);
        CHECK(found({old, {"random-outside-tasklist"}}) == pidmap);
        CHECK(found({old, {"get-pid-hoist"}}) == both);
        CHECK(found({old, {"free-pid-outside-tasklist"}}) == pool);
        CHECK(found({old, series}).empty());
    }
    for (const char* young : {"linux-6.15", "linux-6.18", "linux-6.19", "linux-7.0"}) CHECK(found({young, {}}).empty());
}

TEST_CASE("css_set_lock and tasklist_lock are never held together, and both lie inside cgroup_threadgroup_rwsem") {
    for (const std::string& version : versions) {
        CAPTURE(version);
        const std::set<std::string> pairs = nesting(threads_on({version, {}}));
        CHECK(pairs.count("tasklist_lock > css_set_lock") == 0);
        CHECK(pairs.count("css_set_lock > tasklist_lock") == 0);
        CHECK(pairs.count("tasklist_lock > siglock") == 1);
        CHECK(pairs.count("cgroup_threadgroup_rwsem > tasklist_lock") == 1);
        CHECK(pairs.count("cgroup_threadgroup_rwsem > css_set_lock") == 1);
        CHECK(pairs.count("cgroup_threadgroup_rwsem > pidmap_lock") == 0);
    }
}

TEST_CASE("pidmap_lock is taken with interrupts off up to 6.14") {
    for (const std::string& version : versions) {
        const Compiled scenario = threads_on({version, {}});
        for (const LockSpec& lock : scenario.model.locks) {
            if (lock.name != "pidmap_lock") continue;
            CHECK(lock.irq_off == (version == "linux-6.12" || version == "linux-6.14"));
        }
    }
}

TEST_CASE("the tree of pidfs is there from 6.14 to 6.19") {
    for (const std::string& version : versions) {
        CAPTURE(version);
        bool tree = false;
        for (const ObjectSpec& one : threads_on({version, {}}).model.objects) tree = tree || one.name == "pidfs.rb";
        CHECK(tree == (version != "linux-6.12" && version != "linux-7.0"));
    }
}

TEST_CASE("a version with the patches between is the next one, to the last op, site and draw") {
    CHECK(hash_of({"linux-6.12", {"pidfs-rbtree"}}) == hash_of({"linux-6.14", {}}));
    CHECK(hash_of({"linux-6.14", series}) == hash_of({"linux-6.15", {}}));
    CHECK(hash_of({"linux-6.15", {"siglock-merge", "per-threadgroup-rwsem"}}) == hash_of({"linux-6.18", {}}));
    CHECK(hash_of({"linux-6.18", {"task-dead-in-finish-switch"}}) == hash_of({"linux-6.19", {}}));
    CHECK(hash_of({"linux-6.19", {"pidmap-once", "pidfs-rhashtable"}}) == hash_of({"linux-7.0", {}}));
    std::vector<std::string> all = {"pidfs-rbtree"};
    all.insert(all.end(), series.begin(), series.end());
    for (const char* later :
         {"siglock-merge", "per-threadgroup-rwsem", "task-dead-in-finish-switch", "pidmap-once", "pidfs-rhashtable"}) {
        all.emplace_back(later);
    }
    CHECK(hash_of({"linux-6.12", all}) == hash_of({"linux-7.0", {}}));
    std::set<std::string> different;
    for (const std::string& version : versions) different.insert(hash_of({version, {}}));
    CHECK(different.size() == versions.size());
    const std::vector<std::string> sets = {"config.favordynmods=true"};
    CHECK(threads_on({"linux-6.15", {"siglock-merge", "per-threadgroup-rwsem"}}, sets).hash ==
          threads_on({"linux-6.18", {}}, sets).hash);
}

TEST_CASE("with tasklist-exit-once a thread's death is noticed in the section that also releases it") {
    for (const std::string& version : versions) {
        CAPTURE(version);
        const std::string ops = test::ops_text(threads_on({version, {"tasklist-exit-once"}}));
        CHECK(ops.find("@ exit_notify/notify") == std::string::npos);
        const std::size_t begin = ops.find("acquire tasklist_lock write @ release_task/release");
        REQUIRE(begin != std::string::npos);
        CHECK(ops.find("work 60ns @ release_task/release", begin) < ops.find("release tasklist_lock", begin));
        CHECK(threads_on({version, {"tasklist-exit-once"}}).notes.empty());
    }
}

TEST_CASE("each step of the 6.15 series changes what it says, on its own") {
    std::set<std::string> hashes;
    for (std::size_t n = 0; n <= series.size(); ++n) {
        hashes.insert(hash_of({"linux-6.14", {series.begin(), series.begin() + static_cast<std::ptrdiff_t>(n)}}));
    }
    CHECK(hashes.size() == series.size() + 1);
}

}  // namespace forksim
