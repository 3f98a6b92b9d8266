#include "platforms/simgrid/locks.hpp"

#include <algorithm>

#include "platforms/simgrid/context.hpp"
#include "platforms/simgrid/queue_rw_lock.hpp"
#include "platforms/simgrid/queue_spin_lock.hpp"
#include "platforms/simgrid/world.hpp"
#include "sim/check.hpp"
#include "sim/error.hpp"

namespace forksim::reference {
namespace {

class SpinLock : public Lock {
  public:
    SpinLock(World& world, LineId line) : word_(world, line) {}
    bool lock(Context& me, AcquireMode) override { return word_.lock(me); }
    Time unlock(Context& me, AcquireMode) override {
        word_.unlock(me);
        return {};
    }

  private:
    QueueSpinLock word_;
};

void require_read(AcquireMode mode, const char* kind) {
    if (mode == AcquireMode::read) return;
    throw InputError("the reference engine does not model the write side of " + std::string(kind));
}

/// down_read() and up_read() of a rw_semaphore without writers (kernel/locking/rwsem.c): a locked add each.
class ReadSemaphore : public Lock {
  public:
    ReadSemaphore(World& world, LineId line) : world_(world), line_(line) {}
    bool lock(Context& me, AcquireMode mode) override {
        require_read(mode, "rwsem");
        me.pass_last(world_.rmw(line_, me.cpu));
        return false;
    }
    Time unlock(Context& me, AcquireMode) override { return world_.rmw(line_, me.cpu) - world_.now(); }

  private:
    World& world_;
    LineId line_;
};

/// percpu_down_read() without writers (include/linux/percpu-rwsem.h): a counter of the CPU's own.
class PercpuSemaphore : public Lock {
  public:
    bool lock(Context&, AcquireMode mode) override {
        require_read(mode, "percpu_rwsem");
        return false;
    }
    Time unlock(Context&, AcquireMode) override { return {}; }
};

std::unique_ptr<Lock> make_lock(World& world, const LockSpec& spec, LineId line) {
    switch (spec.kind) {
        case LockKind::spinlock:
            return std::make_unique<SpinLock>(world, line);
        case LockKind::rwlock:
            return std::make_unique<QueueRwLock>(world, line, spec.claim);
        case LockKind::rwsem:
            return std::make_unique<ReadSemaphore>(world, line);
        case LockKind::percpu_rwsem:
            if (spec.always_slow)
                throw InputError("the reference engine does not model always_slow readers, as '" + spec.name + "' has");
            return std::make_unique<PercpuSemaphore>();
        default:
            break;
    }
    throw InputError("the reference engine does not model the kind of lock that '" + spec.name + "' is");
}

}  // namespace

Locks::Locks(World& world) : world_(world) {
    for (const LockSpec& spec : world.spec.locks) {
        const auto first = static_cast<std::uint32_t>(instances_.size());
        const std::uint32_t count = world.scopes.count(spec.per);
        for (std::uint32_t i = 0; i < count; ++i) add(spec, i);
        of_lock_.emplace_back(first, count);
    }
}

void Locks::add(const LockSpec& spec, std::uint32_t number) {
    Instance instance;
    instance.line = spec.line == own_line ? world_.memory.lines.add(world_.scopes.home(spec.per, number), LineUse::word)
                                          : world_.lines.shared(spec.line, spec.per, number);
    instance.lock = make_lock(world_, spec, instance.line);
    instances_.push_back(std::move(instance));
}

void Locks::born(const Birth& birth) {
    for (std::uint32_t i = 0; i < of_lock_.size(); ++i) {
        const LockSpec& spec = world_.spec.locks[i];
        if (spec.per.scope != birth.scope) continue;
        while (of_lock_[i].count() <= birth.number) {
            add(spec, of_lock_[i].count());
            of_lock_[i].add(static_cast<std::uint32_t>(instances_.size() - 1));
        }
        if (birth.maker != no_cpu && spec.line == own_line)
            world_.memory.lines.renew(instances_[of_lock_[i][birth.number]].line, birth.maker);
    }
}

Locks::~Locks() = default;

void Locks::acquire(Context& me, const Op& op) {
    const LockSpec& spec = world_.spec.locks[op.a];
    const auto mode = static_cast<AcquireMode>(op.b & 0xFF);
    const auto whose = static_cast<Whose>(op.b >> 8 & 0xFF);
    const std::uint32_t instance =
        of_lock_[op.a][me.instance_of(spec.per, whose, static_cast<std::uint32_t>(op.b >> 32))];
    const Time since = world_.now();
    me.waits_at = &op;
    me.waits_for = instance;
    if (spec.irq_off) ++me.irq_off;
    const bool contended = instances_[instance].lock->lock(me, mode);
    me.waits_at = nullptr;

    Instance& it = instances_[instance];
    FORKSIM_CHECK(it.owner == nullptr && (mode == AcquireMode::read || it.holders == 0), "mutual exclusion");
    ++it.holders;
    if (mode != AcquireMode::read) it.owner = &me;
    const Time now = world_.now();
    me.held.push_back({op.a, instance, op.site, mode, now});
    if (!world_.open()) return;
    SiteAnswer& site = world_.answer.sites[op.site];
    ++site.acquisitions;
    if (!contended) return;
    ++site.contended;
    site.wait_sum += static_cast<std::uint64_t>((now - since).ps);
}

Time Locks::release(Context& me, const Op& op) {
    const auto last = std::find_if(me.held.rbegin(), me.held.rend(), [&](const auto& h) { return h.lock == op.a; });
    FORKSIM_CHECK(last != me.held.rend(), "a lock that is not held was released");
    const Context::Held held = *last;
    me.held.erase(std::next(last).base());
    Instance& it = instances_[held.instance];
    --it.holders;
    it.owner = nullptr;
    if (world_.open())
        world_.answer.sites[held.site].hold_sum += static_cast<std::uint64_t>((world_.now() - held.since).ps);
    const Time busy = it.lock->unlock(me, held.mode);
    if (world_.spec.locks[op.a].irq_off) --me.irq_off;
    return busy;
}

std::string Locks::waiting(const Context& task) const {
    if (task.waits_at == nullptr) return "";
    return task.name() + " waits for " + world_.spec.locks[task.waits_at->a].name + " at " +
           world_.program.sites[task.waits_at->site].name;
}

void Locks::check_deadlock() const {
    for (const Context* task : world_.tasks) {
        std::string circle;
        const Context* link = task;
        for (std::size_t length = 0; length <= world_.tasks.size() && link != nullptr; ++length) {
            if (link->waits_at == nullptr) break;
            circle += (circle.empty() ? "" : "; ") + waiting(*link);
            link = instances_[link->waits_for].owner;
            if (link == task) throw ModelStuck("deadlock: " + circle);
        }
    }
}

}  // namespace forksim::reference
