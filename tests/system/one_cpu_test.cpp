// threadspawn1 on one CPU with constant times: nothing is contended, so a thread's life costs what is charged for it.
#include <doctest/doctest.h>

#include "tests/system/charged_times.hpp"
#include "tests/system/runs.hpp"

namespace forksim::test {
namespace {

/// The same shape of life for processes.
ChargedTimes times_of_forks() {
    return {shipped_text("scenarios/kernels/linux-6.19.yaml"), shipped_text("scenarios/fork-exit-wait.yaml")};
}

/// linux-6.19 without anything that would run in softirq.
constexpr const char* without_callbacks = R"(patch: without-callbacks
edits:
  - remove: free_pid/free_pid_later
  - remove: finish_dead/free_task_later
)";

/// Counts the callbacks that run.
constexpr const char* counted_callbacks = R"(patch: counted-callbacks
edits:
  - insert: [{count: pid_callbacks}]
    after: delayed_put_pid/free
  - insert: [{count: task_callbacks}]
    after: delayed_put_task/free_task
)";

Request one_cpu() {
    Request request;
    request.scenario = "threadspawn1-20c";
    request.cpus = 1;
    request.sets = {"config.cv=0", "rcu.gp=15ms"};
    request.as_written = true;
    return request;
}

ChargedTimes shipped_times(const std::string& wake_cost = "wake_cost: {t: 1.2us") {
    return {replaced(shipped_text("scenarios/kernels/linux-6.19.yaml"), "wake_cost: {t: 1.2us", wake_cost),
            shipped_text("scenarios/threadspawn1.yaml")};
}

std::uint64_t contended(const Record& record) {
    std::uint64_t sum = 0;
    for (const SiteRecord& site : record.sites) sum += site.contended;
    return sum;
}

std::uint64_t counted(const Compiled& compiled, const Record& record, const std::string& counter) {
    for (std::size_t i = 0; i < compiled.program.counters.size(); ++i)
        if (compiled.program.counters[i] == counter) return record.counts[i];
    FAIL("no counter " << counter);
    return 0;
}

}  // namespace

TEST_CASE("on one CPU every life takes exactly the sum of all charged times") {
    const TempFolder folder;
    Request request = one_cpu();
    request.patches = {folder.write("without-callbacks.yaml", without_callbacks)};
    const Compiled compiled = compile(request);
    const Record record = replications(compiled, 1)[0];
    const Histogram& turns = record.paths[path_index(compiled, "spawner: one turn")];
    const std::int64_t expected = shipped_times().turn_ps();

    CHECK(expected > 10'000'000);  // a life takes more than 10 us
    CHECK(turns.min().ps == expected);
    CHECK(turns.max().ps == expected);
    CHECK(static_cast<std::int64_t>(turns.sum_ps()) == static_cast<std::int64_t>(turns.count()) * expected);
    const std::int64_t lives = compiled.measure.duration.ps / expected;
    CHECK(std::abs(static_cast<std::int64_t>(turns.count()) - lives) <= 1);
    CHECK(contended(record) == 0);
    CHECK(record.transfers == 0);
    CHECK(record.cpu_use_ps[static_cast<std::size_t>(CpuUse::idle)] == 0);
    CHECK(record.cpu_use_ps[static_cast<std::size_t>(CpuUse::spin)] == 0);
}

TEST_CASE(
    "on one CPU every process's life takes exactly the sum of all charged times, two scans and a sleep in wait4") {
    const TempFolder folder;
    Request request = one_cpu();
    request.scenario = "fork-exit-wait";
    request.patches = {folder.write("without-callbacks.yaml", without_callbacks)};
    const Compiled compiled = compile(request);
    const Record record = replications(compiled, 1)[0];
    const Histogram& turns = record.paths[path_index(compiled, "spawner: one turn")];
    const std::int64_t expected = times_of_forks().turn_ps();

    CHECK(expected > 50'000'000);  // a life takes more than 50 us
    CHECK(turns.count() > 500);
    CHECK(turns.min().ps == expected);
    CHECK(turns.max().ps == expected);
    CHECK(contended(record) == 0);
    CHECK(record.transfers == 0);
    CHECK(record.cpu_use_ps[static_cast<std::size_t>(CpuUse::idle)] == 0);
}

TEST_CASE("on one CPU the callbacks' bursts add exactly the callbacks' own times") {
    const TempFolder folder;
    Request request = one_cpu();
    request.patches = {folder.write("counted-callbacks.yaml", counted_callbacks)};
    request.sets.emplace_back("rcu.batch=1000000");  // all that is ready runs in one burst
    // A burst pushes work back, but what a wake-up costs goes on beneath it: without that, all adds up.
    request.sets.emplace_back("config.wake_cost=0ns");
    const ChargedTimes times = shipped_times("wake_cost: {t: 0ns");
    const Compiled compiled = compile(request);
    const Record record = replications(compiled, 1)[0];
    const Histogram& turns = record.paths[path_index(compiled, "spawner: one turn")];
    const auto pids = static_cast<std::int64_t>(counted(compiled, record, "pid_callbacks"));
    const auto tasks = static_cast<std::int64_t>(counted(compiled, record, "task_callbacks"));
    const auto lives = static_cast<std::int64_t>(turns.count());

    CHECK(contended(record) == 0);
    CHECK(pids > lives * 3 / 4);  // in 100 ms, all but those of a grace period or two
    CHECK(tasks > lives * 3 / 4);
    CHECK(turns.min().ps == times.turn_ps());
    CHECK(static_cast<std::int64_t>(turns.sum_ps()) == lives * times.turn_ps() +
                                                           pids * times.function_ps("delayed_put_pid") +
                                                           tasks * times.function_ps("delayed_put_task"));
}

TEST_CASE("charged times are added up right by the test itself") {
    const ChargedTimes times(R"(
kernel: k
config: {wake_cost: {t: 1us, range: 1..2us}, context_switch: 500ns}
functions:
  make: [{work: 10ns}, {section: a, body: [{work: {t: 2ns, src: counted}}, {when: config.psi, work: 9us}]}, {start: child}]
  end: {src: counted, do: [{signal: done}, {exit: {next_runs: after}}]}
  after: [{pool_put: p}, {work: 3ns}]
)",
                             R"(
scenario: s
workload: [{tasks: t, forever: [{spawn: {via: make, run: kid, as: k}}, {await: {done: k}}, {count: lives}]}]
functions: {kid: [{work: 1.5us}, {call: end}]}
)");
    // 10 + 2, the wake-up at the start, 1500, the wake-up of the parent, exit and at-switch work, the parent's sleep
    CHECK(times.turn_ps() == (12 + 1000 + 1500 + 1000 + 500 + 3 + 500) * 1000);
    CHECK(times.function_ps("after") == 3000);
}

}  // namespace forksim::test
