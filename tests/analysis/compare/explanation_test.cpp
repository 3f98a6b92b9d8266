#include "analysis/compare/explanation.hpp"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "scenarios/scenario.hpp"
#include "tests/support/build_program.hpp"

namespace forksim::test {
namespace {

RunSubject subject(const KernelBuilder& b) { return {b.program, b.spec, b.topology}; }
SimulationPlan plan(const CoreConfig& config) { return {config, 1, {}, 1}; }

Explanation explain(const KernelBuilder& base, const KernelBuilder& variant, std::uint32_t replications = 1) {
    return explain(subject(base), subject(variant), plan(base.config), plan(variant.config), replications);
}
Explanation explain(const Compiled& base, const Compiled& variant, std::uint32_t replications) {
    return explain({base.program, base.model, base.topology}, {variant.program, variant.model, variant.topology},
                   plan(base.core), plan(variant.core), replications);
}

const ExplainedSite& at(const Explanation& e, std::string_view lock) {
    for (const ExplainedSite& site : e.sites)
        if (site.lock == lock) return site;
    FAIL("no such lock");
    return e.sites.front();
}

std::int64_t plain(const Explanation& e, PathTime kind, std::int64_t BothSides::*side) {
    return e.plain[CriticalPath::component(kind)].*side;
}

/// All tasks belong to one group that goes round forever.
void mark_forever(KernelBuilder& b) {
    for (TaskGroup& group : b.program.groups) group.forever = true;
}

/// Two tasks and one lock without distances: A holds from 0 to `hold` of each 1000 ns, B asks 100 ns later.
KernelBuilder two_tasks(Time hold) {
    KernelBuilder b(uniform(2, 0_ns));
    b.config.duration = 10_us + 200_ns;
    const auto lock = b.spinlock("lock");
    const Time rest = 700_ns;
    b.task(b.steps().then(b.hold(lock, hold)).count().work(rest).forever(), 0);
    b.task(b.steps().work(100_ns).then(b.hold(lock, hold)).count().work(rest - 100_ns).forever(), 1);
    mark_forever(b);
    return b;
}

TEST_CASE("two tasks and one lock, by hand: what the second waits is what the first holds, less the head start") {
    // Base: A holds 0-300, B asks at 100, waits until 300, holds until 600, is back at 1200 and asks at 1300. A is back
    // at 1000 and holds 1000-1300: from then on nobody waits. A turns 1000 ns; B 1200, then 1000.
    // Variant: A holds 0-200, B waits 100-200, holds 200-400; A is back at 900, B at 1000, asking at 1100: A's end.
    const Explanation e = explain(two_tasks(300_ns), two_tasks(200_ns));
    // Turns inside 10.2 us: A 10 against 11, B 10 (ends 1200 + 9 * 1000) against 11: ten each are paired.
    CHECK(e.turns == 20);
    CHECK(e.operations == BothSides{20, 20});
    const ExplainedSite& lock = at(e, "lock");
    CHECK(lock.hold == BothSides{20 * (300_ns).ps, 20 * (200_ns).ps});
    CHECK(lock.waiting == BothSides{(200_ns).ps, (100_ns).ps});
    CHECK(lock.handoff == BothSides{0, 0});
    CHECK(lock.lines == BothSides{0, 0});
    CHECK(plain(e, PathTime::kernel, &BothSides::base) == 20 * (700_ns).ps);
    CHECK(plain(e, PathTime::kernel, &BothSides::variant) == 20 * (700_ns).ps);
    CHECK(e.total == BothSides{(20 * 1000_ns + 200_ns).ps, (20 * 900_ns + 100_ns).ps});
}

TEST_CASE("with distances, what lies behind the release is hand-off and what lies before it is waiting") {
    // The word's line moves in 50 ns. A holds 50-1050 (its first access moves the line); B's first try at 100 is served
    // by 150, its pending bit by 200; the release at 1050 moves the word to A, and back to B to be seen: 1150.
    KernelBuilder b(uniform(2, 50_ns));
    b.config.duration = 20_us;
    const auto lock = b.spinlock("lock");
    b.task(b.steps().work(100_ns).then(b.hold(lock, 1000_ns)).work(50_us).forever(), 0);
    b.task(b.steps().work(400_ns).then(b.hold(lock, 1000_ns)).count().work(7000_ns).forever(), 1);
    mark_forever(b);
    const Explanation e = explain(b, b);
    // Of A no turn ends in the window. Of B the first waits, the second does not.
    REQUIRE(e.turns == 2);
    const KernelRun run = run_kernel(b);
    const Time granted = run.granted(2 + 1);
    const Time released = run.releases.at(0).at;
    CHECK(granted > released);
    CHECK(at(e, "lock").waiting.base == (released - 400_ns).ps);
    CHECK(at(e, "lock").handoff.base == (granted - released).ps);
    CHECK(at(e, "lock").hold.base == 2 * (1000_ns).ps);
}

/// `cpus` tasks that pass two locks one after the other, and think for `think`.
KernelBuilder in_series(Cpu cpus, Time first, Time second, Time think) {
    KernelBuilder b(uniform(cpus, 0_ns));
    b.config.warmup = 100_us;
    b.config.duration = 500_us;
    const auto a = b.spinlock("first");
    const auto c = b.spinlock("second");
    for (Cpu cpu = 0; cpu < cpus; ++cpu)
        b.task(b.steps().then(b.hold(a, first)).then(b.hold(c, second)).count().work(think).forever(), cpu);
    mark_forever(b);
    return b;
}

TEST_CASE("what is gained at the first of two locks comes back as waiting at the second") {
    // Four tasks, nobody thinks for long: base is bound by the first lock, 4 * 500 ns a turn; the variant's first lock
    // takes 100 ns, and the second binds with 400 ns: 4 * 400 ns a turn.
    const Explanation e = explain(in_series(4, 500_ns, 400_ns, 100_ns), in_series(4, 100_ns, 400_ns, 100_ns));
    REQUIRE(e.turns > 500);
    const auto turns = static_cast<std::int64_t>(e.turns);
    CHECK(e.total.base == turns * (2000_ns).ps);
    CHECK(e.total.variant == turns * (1600_ns).ps);
    CHECK(at(e, "first").hold.difference() == -turns * (400_ns).ps);
    // Base: 1000 ns of the turn are 500 + 400 + 100 by itself, the other 1000 wait for the first lock; none for the
    // second, since tasks come out of the first 500 ns apart. Variant: 600 ns by itself, 1000 wait for the second.
    CHECK(at(e, "first").waiting == BothSides{turns * (1000_ns).ps, 0});
    CHECK(at(e, "second").waiting == BothSides{0, turns * (1000_ns).ps});
    const std::string text = explanation_text(e);
    CHECK(text.find("-1.400us at first, most at take first") != std::string::npos);
    CHECK(text.find("of 1.400us gained in all, 1.000us come back as waiting") != std::string::npos);
}

TEST_CASE("who waits for a child is explained by what the child does, and who waits for a callback sleeps") {
    KernelBuilder b(uniform(2, 0_ns));
    b.config.duration = 100_us;
    b.spec.handles = 1;
    b.spec.signals = {"done"};
    const auto lock = b.spinlock("lock");
    const auto child = b.place(b.steps().work(200_ns).then(b.hold(lock, 300_ns)).then(b.signal()).exit());
    b.task(b.steps().spawn("child", child).then(b.await(0)).count().work(500_ns).forever(), {0, 1});
    mark_forever(b);
    const Explanation e = explain(b, b);
    REQUIRE(e.turns > 50);
    const auto turns = static_cast<std::int64_t>(e.turns);
    CHECK(at(e, "lock").hold.base == turns * (300_ns).ps);
    CHECK(plain(e, PathTime::kernel, &BothSides::base) == turns * (700_ns).ps);
    CHECK(plain(e, PathTime::asleep, &BothSides::base) == 0);
    CHECK(e.total.base == turns * (1000_ns).ps);
}

TEST_CASE("two that share a CPU queue for it") {
    KernelBuilder b(uniform(1, 0_ns));
    b.config.duration = 1000_us;
    for (int i = 0; i < 2; ++i) b.task(b.steps().work(1000_ns).count().yield().forever(), 0);
    mark_forever(b);
    const Explanation e = explain(b, b);
    const auto turns = static_cast<std::int64_t>(e.turns);
    REQUIRE(turns > 900);
    CHECK(plain(e, PathTime::kernel, &BothSides::base) == turns * (1000_ns).ps);
    // Each turn ends with one wait; the first of the second task begins with one as well.
    CHECK(e.plain.back().base == (turns + 1) * (1000_ns).ps);
}

/// The parts of all sites and kinds, as a reader of the result would sum them up.
BothSides summed(const Explanation& e) {
    BothSides sum;
    for (const ExplainedSite& site : e.sites) {
        for (const BothSides& part : {site.hold, site.lines, site.handoff, site.waiting}) {
            sum.base += part.base;
            sum.variant += part.variant;
        }
    }
    for (const BothSides& part : e.plain) {
        sum.base += part.base;
        sum.variant += part.variant;
    }
    return sum;
}

Compiled shipped(std::string scenario, std::vector<std::string> patches = {}, std::string set = "") {
    Request request;
    request.scenario = std::move(scenario);
    request.patches = std::move(patches);
    if (!set.empty()) request.sets = {set};
    request.warmup = "1ms";
    request.duration = request.scenario == "thread-batches" ? "150ms" : "4ms";  // its turns are long
    return compile(request);
}

TEST_CASE("shipped scenarios: parts sum to the total, no part is negative, and a base against itself differs in none") {
    const std::vector<std::pair<std::string, std::string>> cases = {
        {"threadspawn1-20c", "pidmap-once"},       {"clone-processes-40t", "css-set-seqcount"},
        {"fork-exit-wait", "pidmap-once"},         {"thread-batches", "pidmap-once"},
        {"cgroup-kill-under-fork", "pidmap-once"}, {"threadspawn1-20c", ""}};
    for (const auto& one : cases) {
        const std::string& scenario = one.first;
        const std::string& patch = one.second;
        INFO(scenario, " ", patch);
        const Compiled base = shipped(scenario);
        const Compiled variant = patch.empty() ? shipped(scenario) : shipped(scenario, {patch});
        const Explanation e = explain(base, variant, scenario == "thread-batches" ? 1 : 2);
        CHECK(e.turns > 2);
        CHECK(summed(e) == e.total);
        CHECK(e.total.base > 0);
        for (const ExplainedSite& s : e.sites) {
            for (const BothSides& part : {s.hold, s.lines, s.handoff, s.waiting}) {
                CHECK(part.base >= 0);
                CHECK(part.variant >= 0);
                if (patch.empty()) CHECK(part.difference() == 0);
            }
        }
        for (const BothSides& part : e.plain) {
            CHECK(part.base >= 0);
            CHECK(part.variant >= 0);
            if (patch.empty()) CHECK(part.difference() == 0);
        }
        std::istringstream lines(explanation_text(e));
        for (std::string line; std::getline(lines, line);) CHECK(line.size() <= 72);
    }
}

TEST_CASE("a site that a patch takes away has zeros in the variant") {
    const Explanation e = explain(shipped("threadspawn1-20c"), shipped("threadspawn1-20c", {"pidmap-once"}), 1);
    bool gone = false;
    for (const ExplainedSite& s : e.sites)
        gone = gone || (s.lock == "pidmap_lock" && s.sum().base > 0 && s.sum().variant == 0);
    CHECK(gone);
}

TEST_CASE("windows that share no turn say so") {
    KernelBuilder base = two_tasks(300_ns);
    KernelBuilder variant = two_tasks(300_ns);
    variant.config.warmup = 20_us;
    const Explanation e = explain(base, variant);
    CHECK(e.turns == 0);
    CHECK(e.total == BothSides{});
    CHECK(explanation_text(e).find("No lifecycle") == 0);
}

TEST_CASE("the JSON of an explanation has its times in ns, exactly") {
    JsonWriter json;
    explanation_json(json, explain(two_tasks(300_ns), two_tasks(200_ns)));
    const nlohmann::json read = nlohmann::json::parse(json.text());
    CHECK(read["lifecycles"] == 20);
    CHECK(read["operations"]["base"] == 20);
    CHECK(read["total_ns"]["base"] == 20200);
    CHECK(read["total_ns"]["variant"] == 18100);
    CHECK(read["sites"].size() == 1);
    CHECK(read["sites"][0]["waiting_ns"]["base"] == 200);
    CHECK(read["plain"]["kernel_ns"]["variant"] == 14000);
}

}  // namespace
}  // namespace forksim::test
