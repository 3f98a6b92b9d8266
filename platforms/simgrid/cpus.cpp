#include "platforms/simgrid/cpus.hpp"

#include "platforms/simgrid/context.hpp"
#include "platforms/simgrid/world.hpp"
#include "sim/check.hpp"
#include "sim/error.hpp"

namespace forksim::reference {

Cpus::Cpus(World& world) : world_(world), cpus_(world.topology.cpu_count()) {
    const Topology& topology = world.topology;
    for (const CpuMask& mask : world.program.masks) {
        std::vector<Cpu>& list = allowed_.emplace_back();
        for (Cpu cpu = 0; cpu < topology.cpu_count(); ++cpu)
            if (mask.test(cpu)) list.push_back(cpu);
        FORKSIM_CHECK(!list.empty(), "an affinity mask without a CPU");
    }
    placed_.resize(allowed_.size(), 0);
}

Cpus::~Cpus() = default;

void Cpus::start() {
    for (Cpu cpu = 0; cpu < cpus_.size(); ++cpu) {
        cpus_[cpu].context = std::make_unique<Context>(world_, cpu, cpu);
        world_.start_actor(cpu, "softirq", cpus_[cpu].context->sleeper, [this, cpu] { run_callbacks(cpu); });
    }
}

Time Cpus::idle_exit(const State& cpu) const {
    Time exit{};
    for (const IdleState& state : world_.topology.idle_states) {
        if (world_.now() - cpu.idle_since < state.after) break;
        exit = state.exit;
    }
    return exit;
}

void Cpus::place_root(Context& task) {
    const std::vector<Cpu>& list = allowed_[task.mask];
    enqueue(list[placed_[task.mask]++ % list.size()], task);
}

void Cpus::wake_new(Context& task, const Context& parent) { enqueue(idlest(task.mask, parent.cpu), task); }

void Cpus::wake(Context& task) { enqueue(near(task.mask, task.cpu), task); }

Cpu Cpus::idlest(std::uint32_t mask, Cpu parent) const {
    const Cpu count = world_.topology.cpu_count();
    const std::vector<Cpu>& list = allowed_[mask];
    Cpu best = list.front();
    for (const Cpu cpu : list) {
        const State& a = cpus_[cpu];
        const State& b = cpus_[best];
        bool better;
        if (a.load != b.load) {
            better = a.load < b.load;
        } else if (a.load == 0 && a.idle_since != b.idle_since) {
            better = a.idle_since > b.idle_since;  // its caches are warmest, its sleep is lightest
        } else {
            better = (cpu + count - parent) % count < (best + count - parent) % count;
        }
        if (better) best = cpu;
    }
    return best;
}

Cpu Cpus::near(std::uint32_t mask, Cpu previous) const {
    const std::vector<CpuPlace>& places = world_.topology.cpus;
    const std::vector<Cpu>& list = allowed_[mask];
    if (!world_.program.masks[mask].test(previous)) previous = list.front();
    if (list.size() == 1 || cpus_[previous].load == 0) return previous;
    for (const Cpu cpu : list)
        if (places[cpu].core == places[previous].core && cpus_[cpu].load == 0) return cpu;
    for (const Cpu cpu : list)
        if (places[cpu].llc == places[previous].llc && cpus_[cpu].load == 0) return cpu;
    return previous;
}

void Cpus::enqueue(Cpu number, Context& task) {
    State& cpu = cpus_[number];
    task.cpu = number;
    ++cpu.load;
    if (cpu.phase == Phase::idle && !cpu.in_softirq) {
        dispatch(number, task, idle_exit(cpu) + world_.config.context_switch, world_.turn(number));
        return;
    }
    cpu.queue.push_back(&task);
    check_slice(cpu);
}

void Cpus::dispatch(Cpu number, Context& next, Time cost, Turn turn) {
    cpus_[number].current = &next;
    cpus_[number].phase = Phase::switching;
    next.arrives = world_.now() + cost;
    next.arrives_in_turn = turn;
    next.dispatched = true;
    next.sleeper.wake(turn);
}

void Cpus::arrived(Context& task) {
    State& cpu = cpus_[task.cpu];
    cpu.phase = Phase::running;
    task.runs = !task.dying;
    cpu.slice_end = world_.now() + world_.config.slice;
}

void Cpus::give_up(Context& task, bool queued) {
    State& cpu = cpus_[task.cpu];
    check_slice(cpu);
    if (queued) {
        cpu.queue.push_back(&task);
    } else {
        --cpu.load;
    }
    task.runs = false;
    world_.locks.left_cpu(task);
    hand_over(task.cpu, world_.config.context_switch, world_.turn(task.cpu));
}

void Cpus::dying(Context& task) {
    State& cpu = cpus_[task.cpu];
    check_slice(cpu);
    --cpu.load;
    task.runs = false;
    cpu.phase = Phase::switching;
}

void Cpus::gone(Context& task) { hand_over(task.cpu, Time{}, {Turn::at_once, 0}); }

void Cpus::hand_over(Cpu number, Time cost, Turn turn) {
    if (run_deferred(number)) return;
    State& cpu = cpus_[number];
    if (!cpu.queue.empty()) {
        Context& next = *cpu.queue.front();
        cpu.queue.pop_front();
        dispatch(number, next, cost, turn);
        return;
    }
    cpu.current = nullptr;
    cpu.phase = Phase::idle;
    cpu.idle_since = world_.now();
    if (!cpu.softirqs.empty()) begin_softirqs(number);
}

void Cpus::raise(Cpu number, Callback callback) {
    State& cpu = cpus_[number];
    cpu.softirqs.push_back(callback);
    if (cpu.in_softirq || cpu.phase == Phase::switching) return;
    if (cpu.phase == Phase::running && cpu.current->irq_off > 0) return;
    begin_softirqs(number);
}

void Cpus::raise_later(Cpu number, Callback callback) {
    State& cpu = cpus_[number];
    cpu.deferred.push_back(callback);
    if (cpu.phase == Phase::idle && !cpu.in_softirq) run_deferred(number);
    check_slice(cpu);
}

/// Between two tasks: the softirq thread takes the CPU if it has work. Returns whether it did.
bool Cpus::run_deferred(Cpu number) {
    State& cpu = cpus_[number];
    if (cpu.deferred.empty()) return false;
    cpu.softirqs.insert(cpu.softirqs.end(), cpu.deferred.begin(), cpu.deferred.end());
    cpu.deferred.clear();
    cpu.current = nullptr;
    cpu.phase = Phase::idle;
    begin_softirqs(number);
    return true;
}

void Cpus::begin_softirqs(Cpu number) {
    State& cpu = cpus_[number];
    cpu.in_softirq = true;
    cpu.context->sleeper.wake({Turn::at_once, 0});
    if (cpu.current != nullptr) cpu.current->sleeper.wake(world_.turn(number));
}

/// The softirq context of a CPU.
void Cpus::run_callbacks(Cpu number) {
    State& cpu = cpus_[number];
    Context& me = *cpu.context;
    for (;;) {
        while (!cpu.in_softirq) me.sleeper.wait();
        for (; !cpu.softirqs.empty(); cpu.softirqs.pop_front()) {
            const Callback& callback = cpu.softirqs.front();
            me.pc = callback.entry;
            me.stream = callback.stream;
            me.iteration = callback.iteration;
            me.callback_process = callback.process;
            me.execute();
        }
        cpu.in_softirq = false;
        if (cpu.current != nullptr) {
            cpu.current->sleeper.wake(world_.turn(number));
        } else {
            hand_over(number, world_.config.context_switch, world_.turn(number));
        }
    }
}

void Cpus::check_slice(const State& cpu) const {
    if (cpu.phase != Phase::running || (cpu.queue.empty() && cpu.deferred.empty()) || cpu.current->dying) return;
    if (world_.now() >= cpu.slice_end)
        throw InputError("the reference engine does not model time slices (several tasks want one CPU for longer)");
}

void Cpus::check_slices() const {
    for (const State& cpu : cpus_) check_slice(cpu);
}

}  // namespace forksim::reference
