// What tasks know of each other: children, by name and in sets, and the signals that are given. Part of Context.
#include <utility>

#include "platforms/simgrid/context.hpp"
#include "platforms/simgrid/world.hpp"
#include "sim/check.hpp"
#include "sim/random.hpp"

namespace forksim::reference {

bool ChildSet::turn(bool take) {
    const std::uint64_t number = take || current == nullptr ? first : current_number + 1;
    const std::uint64_t place = number - first;
    current = place < members.size() ? members[place] : nullptr;
    current_number = number;
    if (take && current != nullptr) {
        members.pop_front();
        ++first;
    }
    return current != nullptr;
}

std::shared_ptr<Handle> Context::named(std::uint32_t variable) const {
    std::shared_ptr<Handle> handle;
    if (variable == myself) {
        handle = own;
    } else if ((variable & of_set) != 0) {
        handle = sets[variable & ~of_set].current;
    } else {
        handle = children[variable];
    }
    FORKSIM_CHECK(handle != nullptr, "names a child that was never created");
    return handle;
}

std::uint32_t Context::instance_of(const ScopeSpec& per, Whose whose, std::uint32_t handle) const {
    if (whose == Whose::self) return world.instance(per, *this);
    if (whose == Whose::parent) {
        FORKSIM_CHECK(per.scope == Scope::process, "the parent is a process");
        const std::shared_ptr<Process> parent = process->parent.lock();
        return (parent == nullptr || parent->tasks == 0 ? world.init : parent)->number;
    }
    const std::shared_ptr<Handle> other = whose == Whose::embryo ? embryo->own : named(handle);
    FORKSIM_CHECK(other != nullptr, "somebody else's instance, and nobody there");
    return per.scope == Scope::task ? other->identity : other->process->number;
}

/// Whose element of an object an operation means.
std::uint32_t Context::identity(const Touch& touch) const {
    std::shared_ptr<Handle> handle = own;
    if (touch.whose == Whose::embryo) handle = embryo != nullptr ? embryo->own : nullptr;
    if (touch.whose == Whose::handle) handle = named(touch.handle);
    FORKSIM_CHECK(handle != nullptr, "an operation on an object by nobody");
    return handle->identity;
}

void Context::await(const Op& op) {
    const std::shared_ptr<Handle> handle = named(op.a);
    Handle::Waiter& waiter = op.a == myself ? handle->itself : handle->parent;
    while ((handle->given >> op.b & 1) == 0) {
        waiter = {this, static_cast<std::uint8_t>(op.b)};
        block();
    }
    ++pc;
}

/// Given by itself, or to a child: whoever waits for it is woken.
void Context::signal(const Op& op) {
    const bool to_child = static_cast<SyncCode>(op.sub) == SyncCode::signal_of;
    const std::shared_ptr<Handle> handle = named(to_child ? op.a : myself);
    ++pc;
    handle->given |= 1u << op.b;
    Time cost;
    for (Handle::Waiter* waiter : {&handle->parent, &handle->itself}) {
        if (waiter->task == nullptr || waiter->signal != op.b) continue;
        world.cpus.wake(*std::exchange(waiter->task, nullptr));
        cost += world.config.wake_cost;
    }
    busy(cost);
}

void Context::create(const Op& op) {
    const Spawn& spawn = world.program.spawns[op.a];
    ++pc;
    embryo = world.new_task(cpu, spawn.new_process ? world.new_process(process) : process, number);
    embryo->stream = mix(mix(stream, spawn.key), iteration);
    embryo->group = spawn.group;
    embryo->mask = spawn.mask == same_mask ? mask : spawn.mask;
    embryo->pc = spawn.entry;
    if (spawn.joins_set) {
        sets[spawn.handle].members.push_back(embryo->own);
    } else if (!children.empty()) {
        children[spawn.handle] = embryo->own;
    }
}

void Context::start() {
    ++pc;
    FORKSIM_CHECK(embryo != nullptr, "started a child that was not created");
    const std::shared_ptr<Context> child = std::exchange(embryo, nullptr);
    world.cpus.wake_new(*child, *this);
    world.start_actor(cpu, child->name(), child->sleeper, [child] { child->live(); });
    busy(world.config.wake_cost);
}

}  // namespace forksim::reference
