// A callback touched the lines of process 0, whoever had queued it.
#include <doctest/doctest.h>

#include "tests/support/build_program.hpp"

namespace forksim::test {
namespace {

TEST_CASE("what is per process is, in a callback, that of the task that queued it") {
    KernelBuilder b(uniform(2, 50_ns));
    b.config.duration = Time::from_ms(5);
    b.spec.rcu.grace_period = b.program.tables.add(Constant{10_us});
    const std::uint32_t cred = b.line("cred", {Scope::process, 1});
    const std::uint32_t callback = b.place(b.atomic(cred).then(b.steps().mark("freed").end()));
    // Each writes its own process's line, then its callback does, on the same CPU: nothing moves.
    for (const Cpu cpu : {0u, 1u}) {
        b.process_of_next_task = cpu;
        b.task(b.atomic(cred).then(b.call_rcu(callback)).then(b.steps().work(Time::from_ms(5))), cpu);
    }
    b.spec.process_count = 2;
    const KernelRun run = run_kernel(b);
    CHECK(run.all("freed").size() == 2);
    CHECK(run.record.transfers == 0);
}

}  // namespace
}  // namespace forksim::test
