// The order of the kernel's locks, as kernel/fork.c, kernel/exit.c and kernel/pid.c have it.
#include <doctest/doctest.h>

#include <set>
#include <string>

#include "analysis/order/lock_order.hpp"
#include "scenarios/library.hpp"
#include "tests/scenarios/kernel_stacks.hpp"

namespace forksim {
namespace {

/// "tasklist_lock > siglock", without what softirqs take on top of tasks.
std::set<std::string> order_of(const Compiled& compiled) {
    std::set<std::string> texts;
    for (const LockEdge& edge : lock_order_of(compiled.program, compiled.model).edges) {
        if (edge.where == Where::over_task || edge.nesting != Nesting::other) continue;
        texts.insert(compiled.model.locks[edge.outer].name + " > " + compiled.model.locks[edge.inner].name);
    }
    return texts;
}

}  // namespace

TEST_CASE("no kernel has a cycle, and each takes cgroup_threadgroup_rwsem before tasklist_lock before siglock") {
    for (const char* kernel : {"linux-6.12", "linux-6.14", "linux-6.15", "linux-6.18", "linux-6.19", "linux-7.0"}) {
        CAPTURE(kernel);
        const test::Stack stack{kernel, {}};
        for (const Compiled& compiled : {test::threads_on(stack), test::processes_on(stack)}) {
            CHECK(lock_order_of(compiled.program, compiled.model).cycles.empty());
            const std::set<std::string> order = order_of(compiled);
            CHECK(order.count("cgroup_threadgroup_rwsem > tasklist_lock") == 1);
            CHECK(order.count("tasklist_lock > siglock") == 1);
            CHECK(order.count("siglock > tasklist_lock") == 0);
            // free_pid() left tasklist_lock in 6.15 (7903f907a226)
            const bool old = std::string(kernel) == "linux-6.12" || std::string(kernel) == "linux-6.14";
            CHECK(order.count("tasklist_lock > pidmap_lock") == (old ? 1 : 0));
        }
    }
}

TEST_CASE("edges are those that a count of what is held at each acquisition finds") {
    for (const char* kernel : {"linux-6.14", "linux-6.19"}) {
        CAPTURE(kernel);
        const Compiled compiled = test::threads_on({kernel, {}});
        CHECK(order_of(compiled) == test::nesting(compiled));
    }
}

TEST_CASE("the patch that takes free_pid out of tasklist_lock takes the edge away") {
    const test::Stack before{"linux-6.14", {"get-pid-hoist"}};
    const test::Stack after{"linux-6.14", {"get-pid-hoist", "free-pid-outside-tasklist"}};
    CHECK(order_of(test::threads_on(before)).count("tasklist_lock > pidmap_lock") == 1);
    CHECK(order_of(test::threads_on(after)).count("tasklist_lock > pidmap_lock") == 0);
}

}  // namespace forksim
