#include "platforms/simgrid/world.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "platforms/simgrid/context.hpp"
#include "sim/error.hpp"
#include "sim/random.hpp"

namespace forksim::reference {

namespace {

/// The order in which CPUs act at one instant, as permuted for each run (sim/README.md): the place of each.
std::vector<std::uint32_t> cpu_order(Cpu cpus, const CoreConfig& config, std::uint64_t stream) {
    std::vector<std::uint32_t> place(cpus);
    for (Cpu cpu = 0; cpu < cpus; ++cpu) place[cpu] = cpu;
    if (config.tie_break == TieBreak::id) return place;
    for (Cpu i = cpus; i-- > 1;) {
        const std::uint64_t bits = draw(stream, i, hash_name("tie-break"), 0)[0];
        std::swap(place[i], place[bits % (i + 1)]);
    }
    return place;
}

}  // namespace

World::World(const Program& p, const ModelSpec& s, const Topology& t, const CoreConfig& c, std::uint64_t n)
    : program(p),
      spec(s),
      topology(t),
      config(c),
      stream(n),
      actors(t.cpu_count()),
      memory(t, s.handoff),
      scopes(t, s.process_count),
      lines(s, scopes, memory),
      rank(cpu_order(t.cpu_count(), c, n)),
      cpus(*this),
      locks(*this),
      objects(s, scopes, lines, memory.lines, t),
      rcu(*this) {
    numbers = topology.cpu_count();  // those of the softirq contexts
    for (const PoolSpec& pool : spec.pools) pools.emplace_back(scopes.count(pool.per), 0);
    answer.window = config.duration;
    answer.counts.resize(program.counters.size());
    answer.sites.resize(program.sites.size());
}

World::~World() = default;

Turn World::timer_turn(std::uint64_t number) const {
    return {Turn::timer, config.tie_break == TieBreak::random ? mix(stream, number) : number};
}

void World::start_actor(Cpu cpu, const std::string& name, Sleeper& sleeper, std::function<void()> body) {
    actors.start(cpu, name, sleeper, turn(cpu), [this, body = std::move(body)] {
        try {
            body();
        } catch (const std::exception&) {
            if (failure == nullptr) failure = std::current_exception();
            actors.stop();
        }
    });
}

std::shared_ptr<Process> World::new_process(const std::shared_ptr<Process>& parent) {
    std::uint32_t number = processes;
    if (free_processes.empty()) {
        ++processes;
    } else {
        number = free_processes.back();
        free_processes.pop_back();
    }
    return std::make_shared<Process>(*this, number, parent);
}

std::shared_ptr<Context> World::new_task(Cpu cpu, std::shared_ptr<Process> process, std::uint32_t parent) {
    std::uint32_t number = numbers;
    if (free_numbers.empty()) {
        ++numbers;
    } else {
        number = free_numbers.back();
        free_numbers.pop_back();
    }
    auto task = std::make_shared<Context>(*this, number, cpu);
    task->own = std::make_shared<Handle>(*this, process);
    task->process = std::move(process);
    scopes.identify(number, task->own->identity);
    const Cpu maker = parent == no_task ? no_cpu : cpu;
    if (task->process->tasks++ == 0) born({Scope::process, task->process->number, maker});
    born({Scope::task, task->own->identity, maker});
    return task;
}

std::uint32_t World::new_identity() {
    if (free_identities.empty()) {
        objects.reserve(identities + 1);
        return identities++;
    }
    const std::uint32_t identity = free_identities.back();
    free_identities.pop_back();
    return identity;
}

void World::born(const Birth& birth) {
    lines.born(birth);
    locks.born(birth);
    objects.born(birth);
    for (std::size_t i = 0; i < pools.size(); ++i) {
        if (spec.pools[i].per.scope != birth.scope) continue;
        if (pools[i].size() <= birth.number) pools[i].resize(birth.number + 1, 0);
        pools[i][birth.number] = 0;
    }
}

std::uint32_t World::instance(const ScopeSpec& per, const Context& context) const {
    struct {
        const Context& context;
        Cpu cpu_of(Task) const { return context.cpu; }
        std::uint32_t process_of(Task) const { return context.process_number(); }
    } const asker{context};
    return scopes.number(asker, per, context.number);
}

namespace {

/// SMT siblings that slow each other down would need every wait of a CPU re-timed whenever another one begins.
void refuse_what_is_not_modelled(const Topology& topology) {
    if (topology.virt != Virt::none) throw InputError("the reference engine does not model the spinlocks of guests");
    if (topology.cores == topology.cpu_count()) return;
    if (topology.smt_speed_busy == 1024 && topology.smt_speed_spin == 1024) return;
    throw InputError("the reference engine does not model SMT siblings that slow each other down");
}

void check_progress(const World& world) {
    world.cpus.check_slices();
    world.locks.check_deadlock();
    if (world.actors.pending() > 0 || world.tasks.empty()) return;
    std::string text = "deadlock: nothing is left to happen";
    for (const Context* task : world.tasks) {
        const std::string waiting = world.locks.waiting(*task);
        if (!waiting.empty()) text += "; " + waiting;
    }
    throw ModelStuck(text);
}

}  // namespace

Answer run(const Program& program, const ModelSpec& spec, const Topology& topology, const CoreConfig& config,
           std::uint64_t stream) {
    refuse_what_is_not_modelled(topology);
    // Never deleted: actors that have not ended still wait in it.
    World& world = *new World(program, spec, topology, config, stream);
    world.cpus.start();
    world.rcu.start();
    std::uint32_t roots = 0;
    for (const RootTask& root : program.roots) roots = std::max(roots, root.process + 1);
    std::vector<std::shared_ptr<Process>> processes;
    while (processes.size() < roots) processes.push_back(world.new_process(nullptr));
    world.init = world.new_process(nullptr);
    world.init->tasks = 1;  // never ends
    world.born({Scope::process, world.init->number, no_cpu});
    for (const RootTask& root : program.roots) {
        const std::shared_ptr<Context> task = world.new_task(0, processes[root.process]);
        task->stream = mix(stream, root.key);
        task->group = root.group;
        task->mask = root.mask;
        task->pc = root.entry;
        world.cpus.place_root(*task);
        world.start_actor(task->cpu, task->name(), task->sleeper, [task] { task->live(); });
    }
    processes.clear();
    world.actors.run_until(config.warmup + config.duration);
    if (world.failure != nullptr) std::rethrow_exception(world.failure);
    check_progress(world);
    world.answer.events = world.actors.timed_waits();
    world.answer.ties = world.memory.lines.ties();
    return world.answer;
}

std::string format_answer(const Answer& answer) {
    const auto decimal = [](uint128 value) {
        std::string digits;
        do digits += static_cast<char>('0' + static_cast<int>(value % 10));
        while ((value /= 10) != 0);
        std::reverse(digits.begin(), digits.end());
        return digits;
    };
    std::string text = "forksim-reference/1\n";
    text += "window_ps " + std::to_string(answer.window.ps) + "\n";
    text += "events " + std::to_string(answer.events) + "\n";
    text += "ties " + std::to_string(answer.ties) + "\n";
    for (std::size_t i = 0; i < answer.counts.size(); ++i)
        text += "count " + std::to_string(i) + " " + std::to_string(answer.counts[i]) + "\n";
    for (std::size_t i = 0; i < answer.sites.size(); ++i) {
        const SiteAnswer& site = answer.sites[i];
        if (site.acquisitions == 0 && site.hold_sum == 0) continue;
        text += "site " + std::to_string(i) + " " + std::to_string(site.acquisitions) + " " +
                std::to_string(site.contended) + " " + decimal(site.wait_sum) + " " + decimal(site.hold_sum) + "\n";
    }
    return text + "end\n";
}

}  // namespace forksim::reference
