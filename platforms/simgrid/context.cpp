#include "platforms/simgrid/context.hpp"

#include <utility>

#include "platforms/simgrid/world.hpp"

namespace forksim::reference {

Process::Process(World& w, std::uint32_t number_of_it, std::shared_ptr<Process> creator)
    : world(w), number(number_of_it), parent(creator) {}

Process::~Process() { world.free_processes.push_back(number); }

Handle::Handle(World& w, std::shared_ptr<Process> of) : world(w), process(std::move(of)), identity(w.new_identity()) {}

Handle::~Handle() { world.free_identity(identity); }

Context::Context(World& w, std::uint32_t n, Cpu c) : world(w), number(n), cpu(c), sleeper(w.actors) {
    node.context = this;
    children.resize(w.spec.handles);
    sets.resize(w.spec.sets);
}

bool Context::is_softirq() const { return number < world.topology.cpu_count(); }

std::string Context::name() const {
    if (is_softirq()) return "softirq/" + std::to_string(cpu);
    const std::string kind = group < world.program.groups.size() ? world.program.groups[group].name : "task";
    return kind + "#" + std::to_string(number - world.topology.cpu_count());
}

void Context::live() {
    world.tasks.insert(this);
    arrive();
    execute();
    world.tasks.erase(this);
}

Turn Context::turn() const { return world.turn(cpu); }

Poller Context::poller() const { return world.memory.poller(number, cpu); }

/// Callbacks run on top of it.
bool Context::paused() const { return !is_softirq() && world.cpus.in_softirq(cpu); }

void Context::pass(Time work_from, Time ends) {
    if (world.now() >= ends && !paused()) sleeper.wait_for_turn(turn());
    while (world.now() < ends || paused()) {
        if (!paused()) {
            sleeper.wait_until(ends, turn());
            continue;
        }
        const Time left = later(ends, world.now()) - later(work_from, world.now());
        while (paused()) sleeper.wait();
        work_from = later(work_from, world.now());
        ends = work_from + later(left, Time{});
    }
    let_softirqs_run();
}

void Context::pass_last(Time done) {
    if (done > world.now()) pass_lines(done);
}

void Context::let_softirqs_run() {
    while (!is_softirq() && irq_off == 0 && world.cpus.softirqs_pending(cpu)) {
        if (!paused()) world.cpus.begin_softirqs(cpu);
        while (paused()) sleeper.wait();
    }
}

void Context::poll(Spinners& spinners, LineId line, Time since, std::function<bool()> condition) {
    if (condition()) {
        pass_lines(world.now());
        return;
    }
    world.memory.lines.watch(line, poller(), since);
    spin(spinners, line, std::move(condition));
}

void Context::poll_at_once(Spinners& spinners, LineId line, std::function<bool()> condition) {
    world.memory.lines.watch_at_once(line, poller());
    spin(spinners, line, std::move(condition));
}

void Context::spin(Spinners& spinners, LineId line, std::function<bool()> condition) {
    spinners.push_back({this, line, std::move(condition)});
    spin_until_told();
}

bool Context::spin_until_told(Time deadline, std::uint64_t timer) {
    seen = Time::never();
    while (seen == Time::never()) {
        if (world.now() >= deadline) return false;
        if (deadline == Time::never()) {
            sleeper.wait();
        } else {
            sleeper.wait_until(deadline, world.timer_turn(timer));
        }
    }
    pass_lines(seen);
    return true;
}

void Context::tell(Time sees) {
    seen = sees;
    sleeper.wake(turn());
}

void Context::changed(World& world, Spinners& spinners) {
    std::vector<Context*> over;
    std::erase_if(spinners, [&](const Spinner& spinner) {
        if (!spinner.until()) return false;
        Context& who = *spinner.context;
        who.seen = world.memory.lines.seen(who.poller());
        world.memory.lines.unwatch(spinner.line, who.poller());
        over.push_back(&who);
        return true;
    });
    for (Context* who : over) who->sleeper.wake(who->turn());
}

void Context::arrive() {
    while (!dispatched) sleeper.wait();
    dispatched = false;
    sleeper.wait_for_turn(arrives_in_turn);
    while (world.now() < arrives) sleeper.wait_until(arrives, turn());
    world.cpus.arrived(*this);
    let_softirqs_run();
}

void Context::block() {
    world.cpus.give_up(*this, false);
    arrive();
}

}  // namespace forksim::reference
