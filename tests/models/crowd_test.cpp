// How a hand-off grows from 1 to 64 CPUs: the models against the kernel's algorithms executed one access at a time.
#include "tests/oracles/crowd.hpp"

#include <doctest/doctest.h>

#include "tests/models/lock_script.hpp"
#include "tests/oracles/qspinlock_steps.hpp"
#include "tests/oracles/ticket_steps.hpp"

namespace forksim::test {
namespace {

double stepped(const oracle::Algorithm& algorithm, Cpu cpus) {
    const oracle::CrowdScript script{
        .cpus = cpus, .turns = 40 * cpus + 40, .pause = 20_ns, .hold = {}, .transfer = 50_ns};
    return static_cast<double>(oracle::time_per_turn(algorithm, script).ps) / 1000;
}

double simulated(LockKind kind, Cpu cpus) {
    LockProgram p(test::uniform(cpus, 50_ns), {kind});
    for (Cpu cpu = 0; cpu < cpus; ++cpu) p.task(p.section(20_ns, {}).count(0).forever(), cpu);
    return 1e6 / static_cast<double>(p.run().record.counts[0]);
}

TEST_CASE("a ticket lock's hand-off grows with its waiters as the stepped lock's does, a queue lock's does not") {
    const oracle::TicketSteps ticket;
    const oracle::Qspinlock queue;
    double last_ticket = 0;
    for (const Cpu cpus : {1U, 2U, 4U, 8U, 16U, 32U, 64U}) {
        const double t = simulated(LockKind::ticket, cpus);
        const double t_stepped = stepped(ticket, cpus);
        const double q = simulated(LockKind::spinlock, cpus);
        const double q_stepped = stepped(queue, cpus);
        MESSAGE(cpus, " CPUs: ticket ", t, " ns, stepped ", t_stepped, "; queue ", q, " ns, stepped ", q_stepped);
        CHECK(t == doctest::Approx(t_stepped).epsilon(0.3));
        if (cpus >= 4) {
            CHECK(t > 1.5 * last_ticket);
            CHECK(q == doctest::Approx(simulated(LockKind::spinlock, 4)).epsilon(0.05));
            CHECK(q_stepped == doctest::Approx(stepped(queue, 8)).epsilon(0.2));
        }
        last_ticket = t;
    }
}

}  // namespace
}  // namespace forksim::test
