// From a loaded scenario to something that runs.
#include <algorithm>

#include "models/scope.hpp"
#include "platforms/machine.hpp"
#include "scenarios/load.hpp"
#include "scenarios/lowering.hpp"
#include "scenarios/scenario.hpp"
#include "sim/random.hpp"

namespace forksim {

using namespace language;

namespace {

Time jiffy(const Fields& config) { return {static_cast<std::int64_t>(1e12 / config.number("hz", 1000) + 0.5)}; }

Time time_of(const Fields& fields, std::string_view key, const Fields& config, Time fallback) {
    const auto* duration = fields.get<Duration>(key);
    return duration != nullptr ? mean_of(to_distribution(*duration, jiffy(config), 0)) : fallback;
}

CoreConfig core_config(const Fields& config) {
    CoreConfig core;
    const std::string preempt = config_text(config, "preempt");
    core.preempt = preempt == "none"        ? PreemptModel::none
                   : preempt == "voluntary" ? PreemptModel::voluntary
                   : preempt == "full"      ? PreemptModel::full
                                            : PreemptModel::lazy;
    core.tie_break = config_text(config, "tie_break") == "id" ? TieBreak::id : TieBreak::random;
    core.context_switch = time_of(config, "context_switch", config, Time{});
    core.wake_cost = time_of(config, "wake_cost", config, Time{});
    core.slice = time_of(config, "slice", config, Time::from_ms(3));
    core.tick = jiffy(config);
    return core;
}

/// Multiplies what every transfer of a cache line costs.
void slow_transfers(Topology& topology, double factor) {
    if (factor == 1) return;
    const auto slow = [&](Time& t) { t.ps = static_cast<std::int64_t>(static_cast<double>(t.ps) * factor + 0.5); };
    slow(topology.smt);
    slow(topology.llc_hit);
    for (std::vector<Time>* distances : {&topology.within_llc, &topology.between_llcs, &topology.to_memory}) {
        for (Time& distance : *distances) slow(distance);
    }
}

/// A time typed as an option, or nothing.
std::optional<Time> option_time(const std::optional<std::string>& text, const std::string& option, const Fields& config,
                                Diagnostics& faults) {
    if (!text) return {};
    const std::size_t before = faults.size();
    const Node node = parse_value(*text, option + " " + *text, faults);
    if (faults.size() != before) return {};
    Reading reading{faults, {}, Source::none};
    const auto value = read_value(reading, *measure_table().find("duration"), node);
    if (!value) return {};
    return mean_of(to_distribution(std::get<Duration>(*value), jiffy(config), 0));
}

Measure measure_of(const Request& request, const Resolved& resolved, Diagnostics& faults) {
    Measure measure;
    const Fields& fields = resolved.measure;
    measure.warmup = time_of(fields, "warmup", resolved.config, Time::from_ms(20));
    measure.duration = time_of(fields, "duration", resolved.config, Time::from_ms(100));
    measure.precision = fields.number("precision", measure.precision);
    if (const auto* range = fields.get<IntegerRange>("replications"); range != nullptr) {
        measure.replications_min = range->low;
        measure.replications_max = range->high;
    }
    if (request.seed) measure.seed = *request.seed;
    if (request.replications) measure.replications_min = measure.replications_max = *request.replications;
    if (const auto t = option_time(request.warmup, "--warmup", resolved.config, faults)) measure.warmup = *t;
    if (const auto t = option_time(request.duration, "--duration", resolved.config, faults)) measure.duration = *t;
    const Mark mark = request.duration                     ? option_mark("--duration " + *request.duration)
                      : fields.find("duration") != nullptr ? fields.find("duration")->mark
                                                           : fields.mark;
    if (measure.duration.ps == 0) faults.add(mark, "nothing is measured: the duration is 0");
    if (measure.duration > time_limit - measure.warmup) faults.add(mark, "warm-up and duration exceed 4000s together");
    if (measure.replications_min == 0)
        faults.add(option_mark("--replications 0"), "at least one replication is needed");
    return measure;
}

/// CPUs in the order sockets, cores, siblings (hwloc's logical order), which numbers bindings.
std::vector<Cpu> logical_order(const Topology& topology) {
    std::vector<Cpu> cpus(topology.cpu_count());
    for (Cpu cpu = 0; cpu < topology.cpu_count(); ++cpu) cpus[cpu] = cpu;
    std::stable_sort(cpus.begin(), cpus.end(), [&](Cpu a, Cpu b) {
        const CpuPlace& x = topology.cpus[a];
        const CpuPlace& y = topology.cpus[b];
        return x.socket != y.socket ? x.socket < y.socket : x.core < y.core;
    });
    return cpus;
}

CpuMask mask_of(const Affinity& affinity, const Topology& topology, const std::vector<Cpu>& order, std::uint32_t i) {
    CpuMask mask(topology.cpu_count());
    switch (affinity.kind) {
        case Affinity::Kind::any:
            for (Cpu cpu = 0; cpu < topology.cpu_count(); ++cpu) mask.set(cpu);
            break;
        case Affinity::Kind::core: {
            std::vector<std::uint32_t> cores;
            for (const Cpu cpu : order) {
                if (cores.empty() || cores.back() != topology.cpus[cpu].core) cores.push_back(topology.cpus[cpu].core);
            }
            for (const Cpu cpu : order) {
                if (topology.cpus[cpu].core == cores[i % cores.size()]) mask.set(cpu);
            }
            break;
        }
        case Affinity::Kind::pu:
            mask.set(order[i % order.size()]);
            break;
        case Affinity::Kind::cpus:
            for (const auto& [first, last] : affinity.cpus) {
                for (Cpu cpu = first; cpu <= last && cpu < topology.cpu_count(); ++cpu) mask.set(cpu);
            }
            break;
    }
    return mask;
}

struct Tasks {
    const TasksEntry* entry = nullptr;
    std::uint32_t program = 0;
    std::uint32_t count = 0;
    Affinity affinity;
};

void check_cpus(const Affinity& affinity, const Mark& mark, const Topology& topology, Diagnostics& faults) {
    for (const auto& [first, last] : affinity.cpus) {
        if (last < topology.cpu_count()) continue;
        faults.add(mark, "impossible affinity: CPU " + std::to_string(last) + " does not exist",
                   topology.name + " has " + std::to_string(topology.cpu_count()) + " online, from 0");
    }
}

Tasks plan(const TasksEntry& entry, const Topology& topology, Diagnostics& faults) {
    Tasks tasks;
    tasks.entry = &entry;
    const auto* count = entry.fields.get<TaskCount>("count");
    tasks.count = count == nullptr ? 1 : count->per_cpu ? topology.cpu_count() : count->count;
    if (const auto* affinity = entry.fields.get<Affinity>("affinity"); affinity != nullptr) tasks.affinity = *affinity;
    if (const Attribute* affinity = entry.fields.find("affinity"); affinity != nullptr) {
        check_cpus(tasks.affinity, affinity->mark, topology, faults);
    }
    return tasks;
}

/// The number of a mask; equal ones have one number.
std::uint32_t add_mask(const CpuMask& mask, Compiled& compiled) {
    std::vector<CpuMask>& masks = compiled.program.masks;
    const auto it = std::find(masks.begin(), masks.end(), mask);
    const auto number = static_cast<std::uint32_t>(it - masks.begin());
    if (it == masks.end()) masks.push_back(mask);
    return number;
}

/// Numbers of the masks that the tasks take in turn; equal masks have one number.
std::vector<std::uint32_t> add_masks(const Tasks& tasks, const std::vector<Cpu>& order, Compiled& compiled) {
    const Topology& topology = compiled.topology;
    const std::uint32_t turns = tasks.affinity.kind == Affinity::Kind::core ? topology.cores
                                : tasks.affinity.kind == Affinity::Kind::pu ? topology.cpu_count()
                                                                            : 1;
    std::vector<std::uint32_t> numbers;
    for (std::uint32_t i = 0; i < std::min(turns, tasks.count); ++i) {
        numbers.push_back(add_mask(mask_of(tasks.affinity, topology, order, i), compiled));
    }
    return numbers;
}

void add_roots(const std::vector<Tasks>& plans, const Lowering& lowering, Compiled& compiled) {
    const std::vector<Cpu> order = logical_order(compiled.topology);
    std::uint32_t processes = 0;
    for (const Tasks& tasks : plans) {
        const Fields& fields = tasks.entry->fields;
        const bool shared = fields.word("process") == "one";
        RootTask root;
        root.entry = lowering.entry_op(tasks.program);
        root.group = lowering.group_of(tasks.program);
        root.nice = static_cast<std::int8_t>(fields.number("nice", 0));
        const std::vector<std::uint32_t> masks = add_masks(tasks, order, compiled);
        for (std::uint32_t i = 0; i < tasks.count; ++i) {
            root.process = processes + (shared ? 0 : i);
            root.mask = masks[i % masks.size()];
            root.key = mix(hash_name(tasks.entry->function.name), i);
            compiled.program.roots.push_back(root);
        }
        processes += shared ? 1 : tasks.count;
    }
    compiled.model.process_count = processes;
    for (const auto& [spawn, given] : lowering.spawn_masks()) {
        compiled.program.spawns[spawn].mask = add_mask(mask_of(given.first, compiled.topology, order, 0), compiled);
    }
}

/// Every resident element of every instance is kept in memory.
void check_residents(const Loaded& loaded, const Compiled& compiled, Diagnostics& faults) {
    constexpr std::uint64_t most = 2'000'000;
    const ScopeIndex scopes(compiled.topology, compiled.model.process_count);
    for (const ObjectSpec& object : compiled.model.objects) {
        const std::uint64_t instances = scopes.count(object.per);
        if (instances * object.resident <= most) continue;
        const Declared& declared = *find_declared(loaded.resolved.define.objects, object.name);
        faults.add(declared.fields.find("resident")->mark,
                   std::to_string(object.resident) + " residents in each of " + std::to_string(instances) +
                       " instances of " + shown(object.name) + " are too many",
                   "at most " + std::to_string(most) + " in all");
    }
}

void lower(const Loaded& loaded, Compilation& result, Diagnostics& faults) {
    Compiled& compiled = result.compiled;
    Lowering lowering(loaded.resolved, faults);
    std::vector<Tasks> plans;
    std::uint64_t total = 0;
    for (const TasksEntry& entry : loaded.resolved.workload) {
        plans.push_back(plan(entry, compiled.topology, faults));
        plans.back().program = lowering.add_tasks(*find_function(loaded.resolved.define, entry.function.name));
        total += plans.back().count;
    }
    if (total > 1'000'000) faults.add(loaded.document->mark, "more than a million tasks");
    lowering.finish();
    for (const auto& [spawn, given] : lowering.spawn_masks()) {
        check_cpus(given.first, given.second, compiled.topology, faults);
    }
    if (lowering.program.counters.empty() && faults.empty()) {
        faults.add(loaded.document->mark, "nothing is counted: no step `count` is reached",
                   "the counter that is met first is the throughput");
    }
    if (!faults.empty()) return;
    compiled.program = std::move(lowering.program);
    compiled.model = std::move(lowering.model);
    result.visits = std::move(lowering.visits);
    add_roots(plans, lowering, compiled);
    check_residents(loaded, compiled, faults);
}

}  // namespace

Compilation language::compile_all(const Request& request, Library& library, Diagnostics& faults) {
    Compilation result;
    Compiled& compiled = result.compiled;
    Loaded loaded = load(request, library, faults);
    if (loaded.document == nullptr) faults.throw_if_any();
    const Resolved& resolved = loaded.resolved;
    compiled.notes = resolved.notes;
    compiled.topology = choose_platform(request, loaded, library, faults, compiled.notes);
    slow_transfers(compiled.topology, resolved.config.number("transfers", 1));
    compiled.core = core_config(resolved.config);
    compiled.measure = measure_of(request, resolved, faults);
    compiled.core.warmup = compiled.measure.warmup;
    compiled.core.duration = compiled.measure.duration;
    if (faults.complete() && compiled.topology.cpu_count() > 0) lower(loaded, result, faults);
    faults.throw_if_any();
    compiled.banner = {
        resolved.scenario, resolved.kernel,          resolved.base_patches,          resolved.patches,
        request.sets,      compiled.topology.name,   composition(compiled.topology), compiled.topology.cpu_count(),
        resolved.worlds,   request.world.value_or(0)};
    compiled.origin = {resolved.family.empty() ? resolved.kernel : resolved.family, resolved.kernel_patches,
                       resolved.unmodelled};
    compiled.hash = hash_of(compiled);
    result.resolved = std::move(loaded.resolved);
    return result;
}

Compiled compile(const Request& request) {
    Diagnostics faults;
    Library library(faults);
    return compile_all(request, library, faults).compiled;
}

}  // namespace forksim
