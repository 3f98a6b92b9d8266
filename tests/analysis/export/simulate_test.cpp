#include "analysis/export/simulate.hpp"

#include <doctest/doctest.h>

#include <utility>

#include "analysis/export/anchor.hpp"
#include "analysis/export/json.hpp"
#include "platforms/library.hpp"
#include "tests/analysis/export/made_up.hpp"

using namespace forksim;

namespace {

/// Tasks on `cpus` CPUs that work 1 us and hold one spinlock for 500 ns, over and over; durations exponential.
struct OneLock {
    explicit OneLock(std::uint32_t cpus) : topology(uniform(cpus, Time{})) {
        program.samplers = {program.tables.add(Exponential{Time::from_us(1)}),
                            program.tables.add(Exponential{Time::from_ns(500)})};
        const auto sync = static_cast<std::uint8_t>(SyncCode::acquire);
        const auto unlock = static_cast<std::uint8_t>(SyncCode::release);
        program.ops = {{Code::work, 1, 0, 0, 11},     {Code::sync, sync, 1, 0, 0}, {Code::work, 0, 1, 1, 12},
                       {Code::sync, unlock, 1, 0, 0}, {Code::count, 0, 0, 0, 0},   {Code::turn, 0, 0, 0, 0}};
        program.sites = {{"", "", -1, ""}, {"worker/section", "", 0, ""}};
        program.counters = {"turns"};
        program.groups.resize(1);
        program.masks = {CpuMask(cpus)};
        for (Cpu cpu = 0; cpu < cpus; ++cpu) program.masks[0].set(cpu);
        for (std::uint32_t i = 0; i < cpus; ++i) {
            RootTask root;
            root.entry = 0;
            root.key = 100 + i;
            program.roots.push_back(root);
        }
        model.locks.resize(1);
        model.locks[0].name = "lock";
        plan.config.warmup = Time::from_ns(100'200);
        plan.config.duration = Time::from_ms(2);
        plan.replications = {0.02, 3, 12, 2};
    }
    RunSubject subject() const { return {program, model, topology}; }

    Program program;
    ModelSpec model;
    Topology topology;
    SimulationPlan plan;
};

}  // namespace

TEST_CASE("one and several threads print the same bytes") {
    OneLock lock(4);
    std::string first;
    for (const unsigned jobs : {1u, 2u, 5u}) {
        lock.plan.jobs = jobs;
        const Simulated all = simulate(lock.subject(), lock.plan, {});
        CHECK(all.record.replications == all.outcome.estimate.n);
        const std::string json = to_json(build_result(made_up::run(), lock.subject(), all.record, all.outcome), {});
        if (first.empty()) first = json;
        CHECK(json == first);
    }
}

TEST_CASE("the throughput is the count per second of the windows, and the same seed gives the same replications") {
    OneLock lock(2);
    lock.plan.replications = {0.01, 3, 3, 0};
    const Simulated three = simulate(lock.subject(), lock.plan, {});
    lock.plan.replications = {0.01, 2, 2, 0};
    const Simulated two = simulate(lock.subject(), lock.plan, {});
    REQUIRE(three.record.counts_by_replication.size() == 3);
    CHECK(three.record.counts_by_replication[1] == two.record.counts_by_replication[1]);
    CHECK(three.record.counts_by_replication[0] != three.record.counts_by_replication[1]);
    CHECK(three.record.window == Time::from_ms(6));
    CHECK(three.outcome.estimate.mean ==
          doctest::Approx(static_cast<double>(three.record.counts[0]) / 6e-3).epsilon(1e-12));
}

TEST_CASE("one task alone takes exactly what its steps take") {
    const OneLock lock(4);
    const OneTask one = reduced_to_one_task(lock.subject());
    const Record record = run_replication(one.program, one.model, one.topology, lock.plan.config, {1, 0});
    const auto anchor = anchor_of(record);
    REQUIRE(anchor);
    // The window opens at 100.2 us, 300 ns before the end of a section; turns end 100.5 us + k * 1.5 us < 2 100.2 us.
    CHECK(anchor->operations == 1334);
    CHECK(anchor->length_ps * 1334 == doctest::Approx(300e3 + 1333 * 1500e3).epsilon(1e-12));
    CHECK(anchor->parts.user * 1334 == doctest::Approx(1333 * 1000e3).epsilon(1e-12));
    CHECK(anchor->parts.hold * 1334 == doctest::Approx(300e3 + 1333 * 500e3).epsilon(1e-12));
    CHECK(anchor->parts.kernel == 0);
}
