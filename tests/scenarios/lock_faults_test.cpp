// Locks, read sections and grace periods where they cannot be.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "tests/scenarios/fault_table.hpp"
#include "tests/scenarios/scratch.hpp"

namespace forksim {

using test::Fault;

namespace {

std::string of(const std::string& steps, const std::string& functions = "{}") {
    return test::scenario_of_kinds(steps, functions);
}
std::string under_l(const std::string& steps) { return of("{section: L, name: o, body: [" + steps + "]}"); }
std::string in_rcu(const std::string& steps) { return of("{rcu_read: [" + steps + "]}"); }

/// A scenario whose lock X has these keys.
std::string lock(const std::string& keys, const std::string& steps = "{section: X}") {
    return "scenario: s\nplatform: uniform-4\n"
           "lines: {g: {}, p: {per: process}, f: {far: true}}\n"
           "locks: {G: {kind: spinlock}, P: {kind: spinlock, per: process}, K: {kind: seqcount, under: G}, X: {" +
           keys + "}}\nworkload: [{tasks: t, forever: [" + steps + ", {count: n}]}]\n";
}

std::vector<Fault> keys_of_locks() {
    return {
        {"claim of a mutex", lock("kind: mutex, ^claim: 1"), "'claim' does not belong to a lock of kind 'mutex'",
         "kind, per, line"},
        {"irq of a mutex", lock("kind: mutex, ^irq: off"), "'irq' does not belong", ""},
        {"under of a spinlock", lock("kind: spinlock, ^under: G"), "'under' does not belong", ""},
        {"policy of a rwsem", lock("kind: rwsem, ^policy: handoff", "{down_read: X}, {up_read: X}"), "'policy'", ""},
        {"handoff_after of a mutex", lock("kind: mutex, ^handoff_after: 1ms"), "'handoff_after'", "it takes"},
        {"always_slow of a rwsem", lock("kind: rwsem, ^always_slow: true", "{down_read: X}, {up_read: X}"),
         "'always_slow'", ""},
        {"unknown policy", lock("kind: percpu_rwsem, policy: ^free", "{down_read: X}, {up_read: X}"),
         "no value of 'policy'", "handoff"},
        {"handoff_after too long", lock("kind: rwsem, handoff_after: ^2s", "{down_read: X}, {up_read: X}"),
         "2s is too long for 'handoff_after'", "1s"},
        {"a guard that nothing bears", lock("kind: seqcount, under: ^GG"), "unknown lock 'GG'", "'G'"},
        {"a guard that is a seqcount", lock("kind: seqcount, under: ^K", "{seqread: X}"), "a seqcount too", ""},
        {"a guard of a narrower scope", lock("kind: seqcount, under: ^P", "{seqread: X}"), "not keep all writers out",
         "global"},
        {"a line of another scope", lock("kind: spinlock, line: ^p"), "is per global, the line 'p' per process",
         "own scope"},
        {"a line of nobody's", lock("kind: spinlock, line: ^f"), "`far`", ""},
        {"user locks are not modelled", lock("kind: futex_pi, ^user: true"), "unknown key 'user'", ""},
    };
}

std::vector<Fault> steps_of_locks() {
    return {
        {"a mutex under a spinlock", under_l("{^section: M}"), "may sleep while the spinning lock 'L'", "line"},
        {"a futex under a spinlock", under_l("{^section: F}"), "may sleep while the spinning lock 'L'", ""},
        {"down_write under a spinlock", under_l("{^down_write: S}, {up_write: S}"), "may sleep", ""},
        {"a percpu_rwsem under a ticket lock", of("{section: T, name: o, body: [{^section: P, mode: write}]}"),
         "may sleep while the spinning lock 'T'", ""},
        {"a grace period under a test-and-set lock", of("{section: A, name: o, body: [^synchronize_rcu]}"),
         "'synchronize_rcu' may sleep", ""},
        {"sleeping while a seqcount is written", under_l("{seqwrite: C, name: w, body: [{^sleep: 1us}]}"), "may sleep",
         ""},
        {"a mutex taken twice", of("{lock: M}, {^lock: M}, {unlock: M}, {unlock: M}"), "taken twice", "line"},
        {"up_write of what is held for reading", of("{down_read: S}, {^up_write: S}, {up_read: S}"),
         "release without acquire", ""},
        {"down_write inside down_read", of("{down_read: S}, {^down_write: S}, {up_write: S}, {up_read: S}"),
         "taken twice", ""},
        {"down_write of a mutex", of("{down_write: ^M}"), "'down_write' of a mutex", "expected an rwsem"},
        {"a mutex held at the end of a task", of("{spawn: {run: f}}", "{^f: [{lock: M}]}"), "while it holds M", ""},
        {"a mutex held at an exit", of("{spawn: {run: f}}", "{f: [{lock: M}, ^exit]}"), "exits while it holds M", ""},
        {"a mutex in a softirq", of("{call_rcu: f}", "{f: [{^section: M}]}"), "in a softirq", "no task"},
        {"a grace period in a softirq", of("{call_rcu: f}", "{f: [^synchronize_rcu]}"), "in a softirq", "no task"},
        {"a rwsem without a mode", of("{^section: S}"), "needs a mode", "read or write"},
        {"an unknown kind of grace period", of("{synchronize_rcu: ^fast}"), "'fast' is no value", "expedited"},
    };
}

std::vector<Fault> read_sections() {
    return {
        {"a seqcount written without its lock", of("{^seqwrite: C}"), "written without 'L'", "under"},
        {"the same, in two steps", of("{^lock: C}, {unlock: C}"), "written without 'L'", "under"},
        {"the same, as a section", of("{^section: C}"), "written without 'L'", "under"},
        {"a seqcount written with its lock held for reading",
         of("{section: R, mode: read, name: o, body: [{^seqwrite: Q}]}"), "held for reading", "other writers"},
        {"a seqcount written under nothing", under_l("{^seqwrite: N}"), "nothing says under which lock", "under: LOCK"},
        {"the lock released before the seqcount", of("{lock: L}, {lock: C}, {^unlock: L}, {unlock: C}"),
         "'L' is released while the seqcount 'C' is written", "line"},
        {"a seqcount written twice", under_l("{seqwrite: C, name: w, body: [{^seqwrite: C}]}"), "taken twice", ""},
        {"a read section of a spinlock", of("{seqread: ^L}"), "'seqread' of a spinlock", "seqcount"},
        {"seqwrite of a spinlock", of("{seqwrite: ^L}"), "'seqwrite' of a spinlock", "seqcount"},
        {"a section of a seqcount for reading", under_l("{^section: C, mode: read}"), "not taken in mode 'read'",
         "seqread"},
        {"a read section inside a write section", under_l("{seqwrite: C, name: w, body: [{^seqread: C}]}"),
         "inside a write section", "written since"},
        {"a write section inside a read section", under_l("{seqread: C, name: r, body: [{^seqwrite: C}]}"),
         "inside a read section", "for ever"},
        {"a read section is not unlocked", of("{seqread: C, body: [{^unlock: C}]}"), "release without acquire", ""},
        {"a body that leaves a lock held", of("{^seqread: C, body: [{lock: L}]}"), "ends with C, L", ""},
        {"an on_retry that leaves a lock held", of("{^seqread: C, on_retry: [{lock: L}]}"), "ends with L", ""},
        {"a task that ends in a read section", of("{spawn: {run: f}}", "{f: [{seqread: C, body: [^exit]}]}"),
         "exits while it holds C", ""},
        {"sleeping in an RCU read section", in_rcu("{^sleep: 1us}"), "may sleep inside an RCU read section", ""},
        {"a mutex in an RCU read section", in_rcu("{^section: M}"), "may sleep inside an RCU read section", ""},
        {"waiting for oneself", in_rcu("^synchronize_rcu"), "inside an RCU read section", ""},
        {"a task that ends in an RCU read section", of("{spawn: {run: f}}", "{f: [{^rcu_read: [exit]}]}"),
         "ends inside an RCU read section", ""},
        {"an endless loop in an RCU read section",
         of("{spawn: {run: f}}", "{f: [{rcu_read: [{^forever: [{work: 1us}]}]}]}"), "'forever' inside", ""},
    };
}

}  // namespace

TEST_CASE("a lock has the keys of its kind, with values that fit") {
    for (const Fault& fault : keys_of_locks()) test::check_fault(fault);
}

TEST_CASE("locks of every kind are balanced, never taken twice, and sleep only where one may") {
    for (const Fault& fault : steps_of_locks()) test::check_fault(fault);
}

TEST_CASE("read sections and the writes that they see stand where they can end") {
    for (const Fault& fault : read_sections()) test::check_fault(fault);
}

}  // namespace forksim
