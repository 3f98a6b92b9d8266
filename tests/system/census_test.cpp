// How often a thread's life takes each lock, against the census made in the kernel's source.
#include <doctest/doctest.h>

#include <map>

#include "tests/system/runs.hpp"

namespace forksim::test {
namespace {

/// Acquisitions of locks by mode over all lives begun in the window, and those lives.
struct Census {
    std::uint64_t lives = 0;
    std::map<std::string, std::uint64_t> by_site;  ///< callers together
    std::map<std::string, std::uint64_t> by_lock;  ///< "tasklist_lock write", "pidmap_lock"
};

Census census(const Request& request) {
    const Compiled compiled = compile(request);
    const Record record = replications(compiled, 1)[0];
    REQUIRE(record.census_complete);
    Census result;
    result.lives = record.census_counts[0];
    for (std::size_t i = 0; i < record.sites.size(); ++i) {
        const Site& site = compiled.program.sites[i];
        if (site.resource < 0) continue;
        result.by_site[site.name] += record.sites[i].census;
        const std::string& lock = compiled.model.locks[static_cast<std::size_t>(site.resource)].name;
        result.by_lock[site.mode.empty() ? lock : lock + ' ' + site.mode] += record.sites[i].census;
    }
    return result;
}

Request threadspawn1(std::uint32_t cpus) {
    Request request;
    request.scenario = "threadspawn1";
    request.cpus = cpus;
    request.warmup = "5ms";
    request.duration = "10ms";
    return request;
}

struct Row {
    const char* lock;
    std::uint64_t clone_side;
    std::uint64_t exit_side;
};

// A thread's life on 6.19: kernel/fork.c copy_process, kernel/exit.c do_exit and release_task, kernel/pid.c,
// kernel/cgroup/cgroup.c, drivers/char/random.c.
constexpr Row linux_6_19[] = {
    {"tasklist_lock write", 1, 2},           {"pidmap_lock", 2, 1}, {"css_set_lock", 2, 1}, {"input_pool", 0, 1},
    {"cgroup_threadgroup_rwsem read", 1, 1},
};

/// A process's life; wait4 also takes tasklist_lock for reading, at least once.
Request forks(std::uint32_t cpus) {
    Request request = threadspawn1(cpus);
    request.scenario = "fork-exit-wait";
    return request;
}

}  // namespace

TEST_CASE("a thread's life on linux-6.19 takes each global lock as often as in the kernel's source") {
    for (const std::uint32_t cpus : {1u, 20u, 80u}) {
        CAPTURE(cpus);
        const Census c = census(threadspawn1(cpus));
        REQUIRE(c.lives > 100);
        for (const Row& row : linux_6_19) {
            CAPTURE(row.lock);
            CHECK(c.by_lock.at(row.lock) == (row.clone_side + row.exit_side) * c.lives);
        }
        for (const char* once :
             {"alloc_pid/idr_alloc", "alloc_pid/publish", "free_pid/remove", "cgroup_can_fork/css_set_fork",
              "cgroup_post_fork/post_fork", "cgroup_task_dead/dead", "clone_thread/link", "exit_notify/notify",
              "release_task/release", "add_device_randomness/mix"}) {
            CAPTURE(once);
            CHECK(c.by_site.at(once) == c.lives);
        }
    }
}

TEST_CASE("a process's life takes each global lock as often, once for writing in its parent's wait4") {
    for (const std::uint32_t cpus : {1u, 4u, 20u, 80u}) {
        CAPTURE(cpus);
        const Census c = census(forks(cpus));
        REQUIRE(c.lives > 50);
        for (const Row& row : linux_6_19) {
            CAPTURE(row.lock);
            CHECK(c.by_lock.at(row.lock) == (row.clone_side + row.exit_side) * c.lives);
        }
        for (const char* once :
             {"alloc_pid/idr_alloc", "alloc_pid/publish", "free_pid/remove", "cgroup_can_fork/css_set_fork",
              "cgroup_post_fork/post_fork", "cgroup_task_dead/dead", "clone_process/link", "exit_notify/notify",
              "exit_notify/notify_parent", "release_task/release", "release_task/unhash", "add_device_randomness/mix",
              "dup_mmap/dup_mmap", "dup_mmap/dup_mmap_nested", "clone_process/copy_sighand", "clone_process/dup_fd"}) {
            CAPTURE(once);
            CHECK(c.by_site.at(once) == c.lives);
        }
        CHECK(c.by_site.count("exit_signals/set_exiting") == 0);  // a process without other threads
        const std::uint64_t scans = c.by_lock.at("tasklist_lock read");
        CHECK(scans >= c.lives);
        CHECK(scans <= 2 * c.lives);
        if (cpus == 1) CHECK(scans == 2 * c.lives);  // the child cannot end before its parent sleeps
    }
}

TEST_CASE("with pidmap-once a life takes pidmap_lock once at each end, and every other lock as before") {
    Request request = threadspawn1(20);
    request.patches = {"pidmap-once"};
    const Census c = census(request);
    REQUIRE(c.lives > 100);
    CHECK(c.by_site.at("alloc_pid/alloc") == c.lives);
    CHECK(c.by_site.at("free_pid/remove") == c.lives);
    CHECK(c.by_lock.at("pidmap_lock") == 2 * c.lives);
    for (const Row& row : linux_6_19) {
        if (std::string(row.lock) != "pidmap_lock")
            CHECK(c.by_lock.at(row.lock) == (row.clone_side + row.exit_side) * c.lives);
    }
}

TEST_CASE("a thread's life on every version takes each global lock as often as in its source") {
    struct Version {
        const char* kernel;
        std::uint64_t pidmap_lock;
        std::uint64_t siglock;
    };
    // kernel-by-kernel: alloc_pid twice up to 6.19; coredump_task_exit takes siglock once more up to 6.15.
    constexpr Version versions[] = {{"linux-6.12", 3, 6}, {"linux-6.14", 3, 6}, {"linux-6.15", 3, 6},
                                    {"linux-6.18", 3, 5}, {"linux-6.19", 3, 5}, {"linux-7.0", 2, 5}};
    const TempFolder folder;
    for (const Version& version : versions) {
        CAPTURE(version.kernel);
        Request request = threadspawn1(20);
        request.scenario = folder.write(
            "threads.yaml", replaced(shipped_text("scenarios/threadspawn1.yaml"), "linux-6.19", version.kernel));
        const Census c = census(request);
        REQUIRE(c.lives > 100);
        CHECK(c.by_lock.at("tasklist_lock write") == 3 * c.lives);
        CHECK(c.by_lock.at("pidmap_lock") == version.pidmap_lock * c.lives);
        CHECK(c.by_lock.at("css_set_lock") == 3 * c.lives);
        CHECK(c.by_lock.at("input_pool") == c.lives);
        CHECK(c.by_lock.at("cgroup_threadgroup_rwsem read") == 2 * c.lives);
        CHECK(c.by_lock.at("siglock") == version.siglock * c.lives);
    }
}

}  // namespace forksim::test
