// The hash of a compiled scenario tells apart whatever decides its numbers.
#include <doctest/doctest.h>

#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "scenarios/load.hpp"
#include "tests/scenarios/scratch.hpp"

namespace forksim {
namespace {

using Change = std::function<void(ModelSpec&)>;

/// Every field of a lock, of the waiting for spinlocks and of RCU, changed.
std::map<std::string, Change> changes() {
    const auto lock = [](const std::function<void(LockSpec&)>& change) {
        return [change](ModelSpec& model) { change(model.locks.at(0)); };
    };
    return {
        {"lock.name", lock([](LockSpec& l) { l.name = "other"; })},
        {"lock.kind", lock([](LockSpec& l) { l.kind = LockKind::mutex; })},
        {"lock.per.scope", lock([](LockSpec& l) { l.per.scope = Scope::cpus; })},
        {"lock.per.every", lock([](LockSpec& l) { l.per.every = 2; })},
        {"lock.irq_off", lock([](LockSpec& l) { l.irq_off = true; })},
        {"lock.line", lock([](LockSpec& l) { l.line = 0; })},
        {"lock.claim", lock([](LockSpec& l) { l.claim = 3; })},
        {"lock.handoff_after", lock([](LockSpec& l) { l.handoff_after = Time::from_us(1); })},
        {"lock.policy", lock([](LockSpec& l) { l.policy = static_cast<PercpuPolicy>(1); })},
        {"lock.always_slow", lock([](LockSpec& l) { l.always_slow = true; })},
        {"lock.guard", lock([](LockSpec& l) { l.guard = 0; })},
        {"spin.turn", [](ModelSpec& m) { m.spin.turn = Time::from_ns(1); }},
        {"spin.halt_after", [](ModelSpec& m) { m.spin.halt_after = Time::from_ns(2); }},
        {"spin.kick", [](ModelSpec& m) { m.spin.kick = Time::from_ns(3); }},
        {"spin.kick_wake", [](ModelSpec& m) { m.spin.kick_wake = Time::from_ns(4); }},
        {"rcu.grace_period", [](ModelSpec& m) { m.rcu.grace_period.mean_ps += 1; }},
        {"rcu.batch", [](ModelSpec& m) { m.rcu.batch += 1; }},
        {"rcu.expedited", [](ModelSpec& m) { m.rcu.expedited.mean_ps += 1; }},
        {"rcu.expedited_interrupt", [](ModelSpec& m) { m.rcu.expedited_interrupt = Time::from_ns(5); }},
        {"rcu.report", [](ModelSpec& m) { m.rcu.report = 0; }},
    };
}

}  // namespace

TEST_CASE("each field of locks, spinning and RCU that is changed changes the hash, to one of its own") {
    Compiled compiled = test::compile_text(test::scenario_of("{section: L}, {call_rcu: f}", "{f: [{atomic: a}]}"));
    REQUIRE(language::hash_of(compiled) == compiled.hash);
    std::set<std::string> hashes{compiled.hash};
    const ModelSpec model = compiled.model;
    for (const auto& change : changes()) {
        CAPTURE(change.first);
        compiled.model = model;
        change.second(compiled.model);
        CHECK(hashes.insert(language::hash_of(compiled)).second);
    }
}

TEST_CASE("each key of a lock, of spin: and of rcu: that is given another value changes the hash") {
    const std::string text =
        "scenario: s\nplatform: uniform-4\nlines: {a: {}}\n"
        "locks: {L: {kind: spinlock}, R: {kind: rwlock}, S: {kind: rwsem}, P: {kind: percpu_rwsem}, "
        "G: {kind: spinlock}, C: {kind: seqcount, under: L}}\n"
        "functions: {f: [{atomic: a}], g: [{work: 1us}]}\n"
        "workload: [{tasks: t, forever: [{section: L}, {section: G}, {section: R, mode: read}, {section: S, mode: "
        "write}, {section: P, mode: write}, {seqread: C}, {call_rcu: g}, {synchronize_rcu: expedited}, {count: n}]}]\n";
    std::set<std::string> hashes{test::compile_text(text).hash};
    for (const std::string setting :
         {"L.irq=off", "L.line=a", "L.kind=ticket", "G.kind=test_and_set", "G.kind=mutex", "R.claim=0.5",
          "S.handoff_after=1ms", "P.always_slow=true", "C.under=G", "spin.turn=1ns", "spin.halt_after=2ns",
          "spin.kick=3ns", "spin.kick_wake=4ns", "rcu.gp=1ms", "rcu.batch=3", "rcu.expedited=9us",
          "rcu.expedited_interrupt=1us", "rcu.report=f", "rcu.report=g"}) {
        CAPTURE(setting);
        CHECK(hashes.insert(test::compile_text(text, [&](Request& r) { r.sets = {setting}; }).hash).second);
    }
}

}  // namespace forksim
