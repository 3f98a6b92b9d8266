// A serialisation of our own, hashed: the same scenario has the same hash with every compiler and on every machine.
#include <array>
#include <cstdio>

#include "scenarios/load.hpp"
#include "sim/random.hpp"

namespace forksim::language {
namespace {

class Hasher {
  public:
    void add(std::uint64_t word) { state_ = threefry2x64({state_[0] ^ word, state_[1]}, {0x666F726B73696DULL, word}); }
    void add(Time time) { add(static_cast<std::uint64_t>(time.ps)); }
    void add(const std::string& text) {
        add(text.size());
        add(hash_name(text));
    }
    template <class T, class Each>
    void list(const std::vector<T>& items, const Each& each) {
        add(items.size());
        for (const T& item : items) each(item);
    }
    void times(const std::vector<Time>& items) {
        list(items, [&](Time t) { add(t); });
    }
    void words(const std::vector<std::string>& items) {
        list(items, [&](const std::string& s) { add(s); });
    }
    std::string text() const {
        std::array<char, 33> digits{};
        std::snprintf(digits.data(), digits.size(), "%016llx%016llx", static_cast<unsigned long long>(state_[0]),
                      static_cast<unsigned long long>(state_[1]));
        return digits.data();
    }

  private:
    Words state_{};
};

std::uint64_t number(std::int64_t value) { return static_cast<std::uint64_t>(value); }

void add_sampler(Hasher& hash, const TableSet& tables, Sampler sampler) {
    hash.add(number(sampler.mean_ps));
    if (sampler.table >= 0) hash.add(fingerprint(tables.quantiles(sampler.table)));
    if (sampler.table <= -2) {
        const StepTable& table = tables.steps(sampler.table);
        hash.list(table.last, [&](std::uint32_t u) { hash.add(u); });
        hash.list(table.entries, [&](std::uint32_t u) { hash.add(u); });
    }
}

void add_program(Hasher& hash, const Program& program, Cpu cpus) {
    hash.list(program.ops, [&](const Op& op) {
        hash.add(static_cast<std::uint64_t>(op.code) | std::uint64_t{op.sub} << 8 | std::uint64_t{op.site} << 16 |
                 std::uint64_t{op.a} << 32);
        hash.add(op.b);
    });
    hash.list(program.samplers, [&](const Sampler& sampler) { add_sampler(hash, program.tables, sampler); });
    hash.list(program.sites, [&](const Site& site) {
        hash.add(site.name);
        hash.add(site.caller);
        hash.add(number(site.resource));
        hash.add(site.mode);
    });
    hash.list(program.masks, [&](const CpuMask& mask) {
        for (Cpu cpu = 0; cpu < cpus; ++cpu) {
            if (mask.test(cpu)) hash.add(cpu);
        }
        hash.add(~std::uint64_t{0});
    });
    hash.list(program.spawns, [&](const Spawn& spawn) {
        hash.add(std::uint64_t{spawn.entry} << 32 | spawn.handle);
        hash.add(spawn.key);
        hash.add(std::uint64_t{spawn.new_process} << 32 | std::uint64_t{spawn.group} << 8 |
                 static_cast<std::uint8_t>(spawn.nice));
        if (spawn.mask != same_mask || spawn.joins_set) hash.add(std::uint64_t{spawn.joins_set} << 32 | spawn.mask);
    });
    hash.list(program.groups, [&](const TaskGroup& group) {
        hash.add(group.name);
        hash.add(std::uint64_t{group.forever} << 32 | group.turn_path);
    });
    hash.list(program.roots, [&](const RootTask& root) {
        hash.add(std::uint64_t{root.entry} << 32 | root.mask);
        hash.add(std::uint64_t{root.process} << 32 | std::uint64_t{root.group} << 8 |
                 static_cast<std::uint8_t>(root.nice));
        hash.add(root.key);
    });
    hash.words(program.counters);
    hash.words(program.paths);
}

void add_model(Hasher& hash, const ModelSpec& model, const Program& program) {
    const auto scope = [&](const ScopeSpec& per) {
        hash.add(static_cast<std::uint64_t>(per.scope) | std::uint64_t{per.every} << 8);
    };
    hash.list(model.locks, [&](const LockSpec& lock) {
        hash.add(lock.name);
        scope(lock.per);
        hash.add(static_cast<std::uint64_t>(lock.kind) | std::uint64_t{lock.irq_off} << 8);
        hash.add(std::uint64_t{lock.line} << 32 | lock.claim);
        hash.add(lock.handoff_after);
        hash.add(static_cast<std::uint64_t>(lock.policy) | std::uint64_t{lock.always_slow} << 8 |
                 std::uint64_t{lock.guard} << 32);
    });
    hash.list(model.lines, [&](const LineSpec& line) {
        hash.add(line.name);
        scope(line.per);
        hash.add(std::uint64_t{line.lines} << 1 | std::uint64_t{line.far});
    });
    hash.list(model.objects, [&](const ObjectSpec& object) {
        hash.add(object.name);
        scope(object.per);
        hash.add(static_cast<std::uint64_t>(object.kind) | static_cast<std::uint64_t>(object.head) << 8);
        hash.add(std::uint64_t{object.resident} << 32 | object.line);
        hash.add(object.ids);
    });
    hash.list(model.touch_lists, [&](const std::vector<Touch>& list) {
        hash.list(list, [&](const Touch& touch) {
            hash.add(std::uint64_t{touch.line} << 16 | static_cast<std::uint64_t>(touch.access) << 8 | touch.count);
            hash.add(std::uint64_t{touch.object} << 16 | static_cast<std::uint64_t>(touch.op) << 8 |
                     static_cast<std::uint64_t>(touch.whose));
            hash.add(touch.handle);
        });
    });
    hash.list(model.pools, [&](const PoolSpec& pool) {
        hash.add(pool.name);
        scope(pool.per);
        hash.add(pool.size);
    });
    hash.words(model.signals);
    hash.add(std::uint64_t{model.sets} << 32 | model.handles);
    add_sampler(hash, program.tables, model.rcu.grace_period);
    add_sampler(hash, program.tables, model.rcu.expedited);
    hash.add(model.rcu.expedited_interrupt);
    hash.add(std::uint64_t{model.rcu.batch} << 32 | model.rcu.report);
    hash.times({model.spin.turn, model.spin.halt_after, model.spin.kick, model.spin.kick_wake});
    hash.add(std::uint64_t{model.process_count} << 32 | model.overlap);
    hash.add(model.handoff);
}

void add_topology(Hasher& hash, const Topology& topology) {
    hash.add(topology.name);
    hash.list(topology.cpus, [&](const CpuPlace& place) {
        hash.add(std::uint64_t{place.core} << 32 | place.llc);
        hash.add(place.socket);
    });
    hash.add(topology.smt);
    hash.times(topology.within_llc);
    hash.times(topology.between_llcs);
    hash.times(topology.to_memory);
    hash.add(topology.llc_hit);
    hash.add(topology.pause);
    hash.add(static_cast<std::uint64_t>(topology.coherence) | static_cast<std::uint64_t>(topology.virt) << 8);
    hash.add(topology.home_node);
    hash.add(std::uint64_t{topology.smt_speed_busy} << 32 | topology.smt_speed_spin);
    hash.list(topology.idle_states, [&](const IdleState& state) {
        hash.add(state.after);
        hash.add(state.exit);
    });
}

}  // namespace

std::string hash_of(const Compiled& compiled) {
    Hasher hash;
    add_program(hash, compiled.program, compiled.topology.cpu_count());
    add_model(hash, compiled.model, compiled.program);
    add_topology(hash, compiled.topology);
    const CoreConfig& core = compiled.core;
    hash.add(static_cast<std::uint64_t>(core.preempt) | static_cast<std::uint64_t>(core.tie_break) << 8);
    for (const Time t : {core.context_switch, core.wake_cost, core.slice, core.tick, core.warmup, core.duration}) {
        hash.add(t);
    }
    const Measure& measure = compiled.measure;
    hash.add(static_cast<std::uint64_t>(measure.precision * 1e9 + 0.5));
    hash.add(std::uint64_t{measure.replications_min} << 32 | measure.replications_max);
    hash.add(measure.seed);
    return hash.text();
}

}  // namespace forksim::language
