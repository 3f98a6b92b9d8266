#include "tests/support/steps.hpp"

#include <algorithm>

namespace forksim::test {

namespace {

Topology machine(std::string name, Cpu cpus) {
    Topology topology;
    topology.name = std::move(name);
    topology.cpus.resize(cpus);
    topology.cores = cpus;
    return topology;
}

}  // namespace

Topology uniform(Cpu cpus, Time line) {
    Topology topology = machine("uniform", cpus);
    for (Cpu cpu = 0; cpu < cpus; ++cpu) topology.cpus[cpu] = {cpu, 0, 0};
    topology.llcs = topology.sockets = 1;
    topology.within_llc = {line};
    topology.between_llcs = {Time{}};
    topology.to_memory = {Time{}};
    topology.llc_hit = line;
    return topology;
}

Topology two_sockets(Cpu cpus_per_socket, Time within, Time between, Coherence coherence, Time to_near, Time to_far) {
    Topology topology = machine("two-sockets", 2 * cpus_per_socket);
    for (Cpu cpu = 0; cpu < 2 * cpus_per_socket; ++cpu)
        topology.cpus[cpu] = {cpu, cpu / cpus_per_socket, cpu / cpus_per_socket};
    topology.llcs = topology.sockets = 2;
    topology.within_llc = {within, within};
    topology.between_llcs = {Time{}, between, between, Time{}};
    topology.to_memory = {to_near, to_far, to_far, to_near};
    topology.llc_hit = within / 2;
    topology.coherence = coherence;
    return topology;
}

Topology smt_pairs(Cpu cores, Time line, Time smt, std::uint32_t speed_busy, std::uint32_t speed_spin) {
    Topology topology = uniform(2 * cores, line);
    topology.name = "smt-pairs";
    topology.cores = cores;
    for (Cpu cpu = 0; cpu < 2 * cores; ++cpu) topology.cpus[cpu].core = cpu / 2;
    topology.smt = smt;
    topology.smt_speed_busy = speed_busy;
    topology.smt_speed_spin = speed_spin;
    return topology;
}

Steps& Steps::op(Code code, std::uint32_t a, std::uint64_t b, std::uint16_t site, std::uint8_t sub) {
    ops_.push_back(Op{code, sub, site, a, b});
    return *this;
}

Steps& Steps::work(Time length, std::uint16_t site) {
    return op(Code::work, builder_->sampler(Constant{length}), 0, site);
}
Steps& Steps::user(Time length) { return op(Code::work, builder_->sampler(Constant{length}), 0, 0, 1); }
Steps& Steps::drawn(const Distribution& length, std::string_view step, std::uint16_t site) {
    return op(Code::work, builder_->sampler(length), hash_name(step), site);
}
Steps& Steps::busy(Time length, std::uint16_t site) {
    return op(Code::busy, builder_->sampler(Constant{length}), 0, site);
}
Steps& Steps::sleep(Time length) { return op(Code::sleep, builder_->sampler(Constant{length})); }

Steps& Steps::then(const Steps& other) {
    const auto base = static_cast<std::uint32_t>(ops_.size());
    const std::vector<Op> added = other.ops_;  // a copy: `other` may be these very steps
    for (Op copy : added) {
        const bool jumps = copy.code == Code::jump || copy.code == Code::branch || copy.code == Code::repeat ||
                           copy.code == Code::next || copy.code == Code::turn;
        if (jumps) copy.a += base;
        ops_.push_back(copy);
    }
    return *this;
}
Steps& Steps::either(const Steps& skipped, const Steps& otherwise) {
    const auto here = static_cast<std::uint32_t>(ops_.size());
    const auto length = static_cast<std::uint32_t>(skipped.ops_.size());
    op(Code::jump, here + 1 + length + 1);
    then(skipped);
    op(Code::jump, here + 1 + length + 1 + static_cast<std::uint32_t>(otherwise.ops_.size()));
    return then(otherwise);
}
Steps& Steps::repeat(std::uint32_t turns, const Steps& body) {
    const auto first = static_cast<std::uint32_t>(ops_.size()) + 1;
    op(Code::repeat, first + static_cast<std::uint32_t>(body.ops_.size()) + 1, turns);
    then(body);
    return op(Code::next, first);
}
Steps& Steps::maybe(double p, std::string_view step, const Steps& body) {
    const auto behind = static_cast<std::uint32_t>(ops_.size() + 1 + body.ops_.size());
    const auto fraction = static_cast<std::uint64_t>(p * 4294967296.0);
    op(Code::branch, behind, (hash_name(step) & 0xFFFFFFFF) << 32 | std::min(fraction, std::uint64_t{0xFFFFFFFF}));
    return then(body);
}
Steps& Steps::forever() { return op(Code::turn, 0); }
Steps& Steps::spin_without_time() { return op(Code::jump, static_cast<std::uint32_t>(ops_.size())); }

Steps& Steps::create(std::string_view step, std::uint32_t child_entry, std::uint16_t group, std::uint32_t handle) {
    Spawn spawn;
    spawn.entry = child_entry;
    spawn.handle = handle;
    spawn.key = hash_name(step);
    spawn.group = group;
    return op(Code::create, builder_->add_spawn(spawn));
}
Steps& Steps::start() { return op(Code::start); }
Steps& Steps::spawn(std::string_view step, std::uint32_t child_entry, std::uint16_t group, std::uint32_t handle) {
    return create(step, child_entry, group, handle).start();
}
Steps& Steps::count(std::uint32_t counter) { return op(Code::count, counter); }
Steps& Steps::measure_begin(std::uint32_t path) { return op(Code::measure_begin, path); }
Steps& Steps::measure_end(std::uint32_t path) { return op(Code::measure_end, path); }
Steps& Steps::might_sleep() { return op(Code::resched, 0, 0, 0, 0); }
Steps& Steps::cond_resched() { return op(Code::resched, 0, 0, 0, 1); }
Steps& Steps::yield() { return op(Code::yield); }
Steps& Steps::sync(std::uint8_t code, std::uint32_t a, std::uint64_t b, std::uint16_t site) {
    return op(Code::sync, a, b, site, code);
}
Steps& Steps::mark(std::string_view label) { return sync(mark_code, builder_->label(label)); }
Steps& Steps::exit() { return op(Code::exit, no_op); }
Steps& Steps::exit_then(std::uint32_t at_switch_entry) { return op(Code::exit, at_switch_entry); }
Steps& Steps::end() { return op(Code::end); }

ProgramBuilder::ProgramBuilder(Topology machine_shape) : topology(std::move(machine_shape)) {
    program.sites.emplace_back();
    program.groups.push_back({"task", false, no_op});
    program.counters.emplace_back("done");
    config.tie_break = TieBreak::id;
    config.preempt = PreemptModel::full;
    config.duration = Time::from_ms(1);
}

std::uint32_t ProgramBuilder::place(const Steps& steps) {
    Steps at_its_place(*this);
    at_its_place.ops_.swap(program.ops);
    const auto entry = static_cast<std::uint32_t>(at_its_place.ops_.size());
    at_its_place.then(steps);
    at_its_place.ops_.swap(program.ops);
    return entry;
}

Task ProgramBuilder::task(const Steps& steps, std::vector<Cpu> cpus, std::uint16_t group, std::int8_t nice) {
    CpuMask mask(topology.cpu_count());
    for (const Cpu cpu : cpus) mask.set(cpu);
    auto found = std::find(program.masks.begin(), program.masks.end(), mask);
    if (found == program.masks.end()) found = program.masks.insert(found, mask);
    RootTask root;
    Steps whole = steps;
    root.entry = place(whole.exit());
    root.group = group;
    root.process = process_of_next_task;
    root.mask = static_cast<std::uint32_t>(found - program.masks.begin());
    root.nice = nice;
    root.key = mix(hash_name("task"), program.roots.size());
    program.roots.push_back(root);
    return topology.cpu_count() + static_cast<Task>(program.roots.size()) - 1;
}

std::uint16_t ProgramBuilder::site(std::string_view name, std::int32_t resource) {
    for (std::size_t i = 1; i < program.sites.size(); ++i)
        if (program.sites[i].name == name) return static_cast<std::uint16_t>(i);
    Site site;
    site.name = name;
    site.resource = resource;
    program.sites.push_back(site);
    return static_cast<std::uint16_t>(program.sites.size() - 1);
}
std::uint16_t ProgramBuilder::group(std::string_view name, std::uint32_t turn_path) {
    program.groups.push_back({std::string(name), turn_path != no_op, turn_path});
    return static_cast<std::uint16_t>(program.groups.size() - 1);
}
std::uint32_t ProgramBuilder::path(std::string_view name) {
    program.paths.emplace_back(name);
    return static_cast<std::uint32_t>(program.paths.size() - 1);
}
std::uint32_t ProgramBuilder::counter(std::string_view name) {
    program.counters.emplace_back(name);
    return static_cast<std::uint32_t>(program.counters.size() - 1);
}
std::uint32_t ProgramBuilder::sampler(const Distribution& length) {
    program.samplers.push_back(program.tables.add(length));
    return static_cast<std::uint32_t>(program.samplers.size() - 1);
}
std::uint32_t ProgramBuilder::label(std::string_view name) {
    labels.emplace_back(name);
    return static_cast<std::uint32_t>(labels.size() - 1);
}
std::uint32_t ProgramBuilder::add_spawn(const Spawn& spawn) {
    program.spawns.push_back(spawn);
    return static_cast<std::uint32_t>(program.spawns.size() - 1);
}

}  // namespace forksim::test
