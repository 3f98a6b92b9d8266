// A kind of lock that is broken breaks the run. The break is injected: a task that spins goes on before its time.
#include <doctest/doctest.h>

#include <string>

#include "sim/error.hpp"
#include "tests/support/build_program.hpp"

namespace forksim::test {
namespace {

std::string error_of(const KernelBuilder& b) {
    try {
        run_kernel(b);
    } catch (const InternalError& error) {
        return error.what();
    }
    return "no error";
}

/// CPU 0 has `lock` for 10 us, CPUs 1 to 3 queue for it; at 5 us the one on CPU `broken` goes on.
std::string queue_broken_at(Cpu broken) {
    KernelBuilder b(uniform(5, 50_ns));
    const auto lock = b.spinlock("lock");
    b.task(b.hold(lock, 10_us), 0);
    for (Cpu cpu = 1; cpu < 4; ++cpu) b.task(b.at(cpu * 1_us).then(b.hold(lock, 1_us)), cpu);
    b.task(b.at(5_us).let_go_on(broken + 5), 4);
    return error_of(b);
}

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST_CASE("mutual exclusion is checked from outside the kinds: a waiter that lets itself in breaks the run") {
    CHECK(contains(queue_broken_at(3), "mutual exclusion: lock granted while held"));
}

TEST_CASE("mutual exclusion: a reader among a writer breaks the run") {
    KernelBuilder b(uniform(3, 50_ns));
    const auto lock = b.rwlock("lock");
    const auto callback = b.place(b.read(lock, 1_us).end());
    b.task(b.write(lock, 10_us), 0);
    b.task(b.at(1_us).then(b.steps().raise(1, callback)).work(1_us).let_go_on(1), 2);
    CHECK(contains(error_of(b), "mutual exclusion: lock granted while held"));
}

TEST_CASE("queues: a pending waiter or a head that does not wait for the owner breaks the run") {
    CHECK(contains(queue_broken_at(1), "the pending waiter was overtaken"));
    CHECK(contains(queue_broken_at(2), "the queue head was overtaken"));
}

TEST_CASE("without a break the same programs run to their end") {
    KernelBuilder b(uniform(5, 50_ns));
    const auto lock = b.spinlock("lock");
    b.task(b.hold(lock, 10_us), 0);
    for (Cpu cpu = 1; cpu < 4; ++cpu) b.task(b.at(cpu * 1_us).then(b.hold(lock, 1_us)), cpu);
    CHECK(error_of(b) == "no error");
}

}  // namespace
}  // namespace forksim::test
