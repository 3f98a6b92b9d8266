// The ticket lock, and crowds of up to 64 CPUs.
#include <doctest/doctest.h>

#include <stdexcept>

#include "tests/oracles/crowd.hpp"
#include "tests/oracles/qspinlock_steps.hpp"
#include "tests/oracles/stepped.hpp"
#include "tests/oracles/ticket_steps.hpp"

namespace forksim::oracle {
namespace {

TEST_CASE("ticket: mutual exclusion and the order of the tickets in every state, and under TSO") {
    const TicketSteps ticket;
    for (const bool store_buffers : {false, true}) {
        ExploreOptions options;
        options.machine.store_buffers = store_buffers;
        const Exploration all = explore(ticket, Rounds(3, {Mode::exclusive, Mode::exclusive}), options);
        CHECK_FALSE(all.violation);
        CHECK_FALSE(all.barged);
        CHECK(all.outcomes().size() == 90);  // 6! / 2!^3
    }
}

Time per_turn(const Algorithm& algorithm, unsigned cpus) {
    return time_per_turn(
        algorithm,
        {.cpus = cpus, .turns = 30 * cpus + 30, .pause = Time::from_ns(20), .hold = {}, .transfer = Time::from_ns(50)});
}

TEST_CASE("a crowd of one takes its pause per turn, and a ticket lock one transfer more for each further CPU") {
    const TicketSteps ticket;
    const Qspinlock queue;
    CHECK(per_turn(ticket, 1) == Time::from_ns(20));
    CHECK(per_turn(queue, 1) == Time::from_ns(20));
    const double at_16 = static_cast<double>(per_turn(ticket, 16).ps);
    const double at_48 = static_cast<double>(per_turn(ticket, 48).ps);
    CHECK((at_48 - at_16) / 32 == doctest::Approx(50'000).epsilon(0.05));
    CHECK(static_cast<double>(per_turn(queue, 48).ps) == doctest::Approx(static_cast<double>(per_turn(queue, 16).ps)));
}

TEST_CASE("a crowd out of range is refused") {
    const TicketSteps ticket;
    CHECK_THROWS_AS(per_turn(ticket, 0), std::invalid_argument);
    CHECK_THROWS_AS(per_turn(ticket, 65), std::invalid_argument);
}

}  // namespace
}  // namespace forksim::oracle
