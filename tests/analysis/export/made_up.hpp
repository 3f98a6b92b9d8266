#pragma once
#include <string>

#include "analysis/export/build_result.hpp"

namespace forksim::made_up {

/// A made-up program on 20 CPUs: a spinlock "pid" at two sites, one of them in softirq, an rwlock "tasks" taken at one
/// site by two callers, a lock per process "sig", a lock "unused". Counters: threads, forks.
inline Program program() {
    Program p;
    p.sites = {{"", "", -1, ""},
               {"alloc/idr", "clone", 0, ""},
               {"release/unhash", "wait4", 1, "write"},
               {"release/unhash", "exit", 1, "write"},
               {"free/late", "", 0, ""},
               {"never/here", "clone", 3, ""},
               {"signal/pending", "clone", 2, ""}};
    p.counters = {"threads", "forks"};
    p.paths = {"turn", "idle_path"};
    p.roots = {{}, {}};
    p.masks = {CpuMask(20)};
    return p;
}

inline ModelSpec model() {
    ModelSpec m;
    m.locks.resize(4);
    m.locks[0].name = "pid";
    m.locks[1].name = "tasks";
    m.locks[1].kind = LockKind::rwlock;
    m.locks[2].name = "sig";
    m.locks[2].per.scope = Scope::process;
    m.locks[3].name = "unused";
    m.process_count = 4;
    return m;
}

inline Topology topology() {
    Topology t;
    t.name = "sample";
    for (std::uint32_t i = 0; i < 20; ++i) t.cpus.push_back({i, 0, 0});
    t.cores = 20;
    t.llcs = t.sockets = 1;
    t.within_llc = {Time::from_ns(50)};
    t.between_llcs = {Time{}};
    t.to_memory = {Time{}};
    return t;
}

/// Two replications of 1 ms each: 100 operations. What is not set below is zero.
inline Record record() {
    Record r;
    r.replications = 2;
    r.window = Time::from_ms(2);
    r.sites.resize(7);
    r.resources.resize(4);
    const auto at = [&](std::size_t site, std::uint64_t n, std::uint64_t census, Time hold) {
        r.sites[site].acquisitions = r.sites[site].releases = n;
        r.sites[site].census = census;
        for (std::uint64_t i = 0; i < n; ++i) r.sites[site].hold.record(hold);
    };
    at(1, 201, 196, Time::from_ns(500));
    at(2, 30, 28, Time::from_ns(1000));
    at(3, 71, 70, Time::from_ns(1000));
    at(4, 50, 0, Time::from_ns(100));
    at(6, 100, 98, Time::from_ns(40));
    r.sites[1].contended = 2;
    r.sites[1].wait.record(Time{1'500});
    r.sites[1].wait.record(Time::from_ns(200));
    r.sites[1].handoff_ps = 6'000;
    r.sites[3].contended = 1;
    r.sites[3].wait.record(Time::from_us(3));
    r.sites[3].handoff_ps = 50'000;
    r.resources[0].busy_integral = 105'500'000;  // 201 * 500 ns + 50 * 100 ns
    r.resources[1].busy_integral = 101'000'000;
    r.resources[2].busy_integral = 4'000'000;
    r.counts = {100, 7};
    r.census_counts = {98, 7};
    r.counts_by_replication = {{49, 3}, {51, 4}};
    r.paths.resize(2);
    for (int i = 1; i <= 1000; ++i) r.paths[0].record(Time::from_ns(i));
    r.cpu_use_ps[static_cast<std::size_t>(CpuUse::user)] = 10'000'000'000;
    r.cpu_use_ps[static_cast<std::size_t>(CpuUse::kernel)] = 20'000'000'000;
    r.cpu_use_ps[static_cast<std::size_t>(CpuUse::idle)] = 10'000'000'000;
    r.critical_path_ps.resize(path_time_count + 3 * 7);
    r.critical_path_ps[CriticalPath::component(PathTime::user)] = 300;
    r.critical_path_ps[CriticalPath::component(1, Part::hold)] = 400;
    r.critical_path_ps[CriticalPath::component(2, Part::lines)] = 50;
    r.critical_path_ps[CriticalPath::component(3, Part::handoff)] = 250;
    r.critical_length_ps = 1000;
    r.events = 12345;
    r.ties = 6;
    r.line_ties = 3;
    return r;
}

inline RunInfo run() {
    RunInfo run;
    run.version = "0.1.0";
    run.scenario = "sample-scenario";
    run.hash = "0123456789abcdef";
    run.kernel = "linux-sample";
    run.base_patches = {"first"};
    run.patches = {"second", "third"};
    run.platform = "sample";
    run.composition = "20 CPUs: 1 socket x 20 cores";
    run.cpus = 20;
    run.seed = 42;
    run.warmup = Time::from_us(200);
    run.duration = Time::from_ms(1);
    run.plan = {0.01, 2, 2, 0};
    return run;
}

/// 49 000 and 51 000 per second: mean 50 000, half-width t(1) * sqrt(2) * 1000 / sqrt(2) = 12 706.
inline ReplicationOutcome outcome() {
    Sample sample;
    sample.add(49'000);
    sample.add(51'000);
    return {sample.estimate(), StopReason::fixed};
}

inline Result result() {
    const Program p = program();
    const ModelSpec m = model();
    const Topology t = topology();
    return build_result(run(), {p, m, t}, record(), outcome());
}

}  // namespace forksim::made_up
