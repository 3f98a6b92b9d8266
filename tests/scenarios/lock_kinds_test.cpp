// What steps on each kind of lock become, and what reaches the model.
#include <doctest/doctest.h>

#include <string>

#include "tests/scenarios/scratch.hpp"

namespace forksim {

using test::compile_text;
using test::ops_text;

namespace {

/// The ops of a loop made of these steps, without the count and the turn that end it.
std::string ops(const std::string& steps, const std::string& functions = "{}") {
    const std::string text = ops_text(compile_text(test::scenario_of_kinds(steps, functions)));
    const std::size_t end = text.find("; count n; turn 0");
    REQUIRE(end != std::string::npos);
    return text.substr(0, end) + text.substr(end + 17);
}

/// The first lock of a scenario whose lock X has these keys.
LockSpec lock(const std::string& keys, const std::string& steps) {
    return compile_text(
               "scenario: s\nplatform: uniform-4\nlines: {g: {}, p: {per: process}}\n"
               "locks: {G: {kind: spinlock}, X: {" +
               keys + "}}\nworkload: [{tasks: t, count: 3, forever: [" + steps + ", {count: n}]}]\n")
        .model.locks.at(0);
}

}  // namespace

TEST_CASE("every kind is taken by section, and by lock and unlock") {
    for (const std::string name : {"L", "T", "A", "M", "F"}) {
        CHECK(ops("{section: " + name + ", name: s}") == "acquire " + name + " @ t/s; release " + name + " @ t/s");
        CHECK(ops("{lock: " + name + ", name: s}, {work: 1us}, {unlock: " + name + "}") ==
              "acquire " + name + " @ t/s; work user 1us; release " + name + " @ t/s");
    }
    for (const std::string name : {"R", "S", "P"}) {
        for (const std::string mode : {"read", "write"}) {
            CHECK(ops("{section: " + name + ", mode: " + mode + ", name: s}") ==
                  "acquire " + name + " " + mode + " @ t/s; release " + name + " @ t/s");
        }
    }
}

TEST_CASE("down_write and up_write take and release in different functions") {
    CHECK(ops("{down_write: S, name: s}, {call: f}", "{f: [{up_write: S}]}") ==
          "acquire S write @ t/s; release S @ t/s");
    CHECK(ops("{down_write: P, name: s}, {up_write: P}") == "acquire P write @ t/s; release P @ t/s");
}

TEST_CASE("a mutex may be held where one sleeps, and taken under another") {
    CHECK(ops("{lock: M, name: m}, {lock: F, name: f}, synchronize_rcu, {sleep: 1us}, {unlock: F}, {unlock: M}") ==
          "acquire M @ t/m; acquire F @ t/f; synchronize_rcu @ t/synchronize_rcu1; sleep 1us; release F @ t/f; "
          "release M @ t/m");
}

TEST_CASE("a read section of a seqcount begins anew through on_retry until nobody has written") {
    CHECK(ops("{seqread: C, name: r, body: [{work: 1us}]}") ==
          "seq_begin C @ t/r; work user 1us @ t/r; seq_retry C @ t/r; jump 0");
    CHECK(ops("{seqread: C, name: r, body: [{work: 1us}], on_retry: [{atomic: a, name: put}]}, {work: 2us}") ==
          "seq_begin C @ t/r; work user 1us @ t/r; seq_retry C @ t/r; jump 5; jump 7; atomic a @ t/put; jump 0; "
          "work user 2us");
    CHECK(ops("{seqread: C, name: r, body: [{seqread: C, name: i}]}") ==
          "seq_begin C @ t/r; seq_begin C @ t/i; seq_retry C @ t/i; jump 1 @ t/r; seq_retry C @ t/r; jump 0");
}

TEST_CASE("a seqcount is written by seqwrite, by a section, or by lock and unlock, with its lock held") {
    const std::string written =
        "acquire L @ t/o; seq_write_begin C @ t/w; work user 1us @ t/w; seq_write_end C @ t/w; release L @ t/o";
    CHECK(ops("{section: L, name: o, body: [{seqwrite: C, name: w, body: [{work: 1us}]}]}") == written);
    CHECK(ops("{section: L, name: o, body: [{section: C, mode: write, name: w, body: [{work: 1us}]}]}") == written);
    CHECK(ops("{section: L, name: o, body: [{section: C, name: w, body: [{work: 1us}]}]}") == written);
    CHECK(ops("{lock: L, name: o}, {lock: C, name: w}, {call: f}, {unlock: L}", "{f: [{unlock: C}]}") ==
          "acquire L @ t/o; seq_write_begin C @ t/w; seq_write_end C @ t/w; release L @ t/o");
    CHECK(ops("{section: R, mode: write, name: o, body: [{seqwrite: Q, name: w}]}") ==
          "acquire R write @ t/o; seq_write_begin Q @ t/w; seq_write_end Q @ t/w; release R @ t/o");
}

TEST_CASE("RCU read sections count at a site of their own, also inside sections, and nest") {
    CHECK(ops("{rcu_read: [{work: 1us}], name: r}") == "rcu_read_lock @ t/r; work user 1us; rcu_read_unlock");
    CHECK(ops("{section: L, name: o, body: [{rcu_read: [{rcu_read: [{work: 1us}], name: i}], name: r}]}") ==
          "acquire L @ t/o; rcu_read_lock @ t/r; rcu_read_lock @ t/i; work user 1us @ t/o; rcu_read_unlock @ t/o; "
          "rcu_read_unlock @ t/o; release L @ t/o");
}

TEST_CASE("a task waits for a grace period, or for an expedited one") {
    CHECK(ops("synchronize_rcu, {synchronize_rcu: expedited, name: e}, {synchronize_rcu: , name: n}") ==
          "synchronize_rcu @ t/synchronize_rcu1; expedited_rcu @ t/e; synchronize_rcu @ t/n");
    CHECK(ops("{section: M, name: m, body: [synchronize_rcu]}") ==
          "acquire M @ t/m; synchronize_rcu @ t/m; release M @ t/m");
}

TEST_CASE("the keys of a lock reach the model, and keys that another kind left behind do not") {
    const std::string read = "{section: X, mode: read}";
    CHECK(lock("kind: rwsem", read).handoff_after == Time::from_ms(4));
    CHECK(lock("kind: rwsem, handoff_after: 2ms", read).handoff_after == Time::from_ms(2));
    CHECK(lock("kind: percpu_rwsem, policy: handoff, always_slow: true", read).always_slow);
    CHECK(!lock("kind: percpu_rwsem", read).always_slow);
    CHECK(lock("kind: ticket, irq: off", "{section: X}").irq_off);
    CHECK(lock("kind: spinlock, line: own", "{section: X}").line == own_line);
    CHECK(lock("kind: mutex, line: g", "{section: X}").line == 0);
    CHECK(lock("kind: mutex, per: process, line: p", "{section: X}").line == 0);
    const LockSpec seqcount = lock("kind: seqcount, under: G", "{seqread: X}");
    CHECK(seqcount.kind == LockKind::seqcount);
    CHECK(seqcount.guard == 1);
    const auto as_mutex = [](Request& request) { request.sets = {"X.kind=mutex"}; };
    const Compiled changed = compile_text(
        "scenario: s\nplatform: uniform-2\nlocks: {X: {kind: spinlock, irq: off}}\n"
        "workload: [{tasks: t, forever: [{section: X}, {count: n}]}]\n",
        as_mutex);
    CHECK(changed.model.locks.at(0).kind == LockKind::mutex);
    CHECK(!changed.model.locks.at(0).irq_off);
}

TEST_CASE("machines of all three kinds of virtualisation reach the model") {
    for (const auto& [word, virt] : {std::pair("none", Virt::none), {"tas", Virt::tas}, {"pv", Virt::pv}}) {
        const std::string text =
            "scenario: s\nplatform: {cores: 4, like: xeon-1s-20c, virt: " + std::string(word) +
            "}\nlocks: {L: {kind: spinlock}}\nworkload: [{tasks: t, forever: [{section: L}, {count: n}]}]\n";
        CHECK(compile_text(text).topology.virt == virt);
        const std::string setting = "platform.virt=" + std::string(word);
        const auto set = [&](Request& request) { request.sets = {setting}; };
        CHECK(compile_text(test::scenario_of("{section: L}"), set).topology.virt == virt);
    }
}

}  // namespace forksim
