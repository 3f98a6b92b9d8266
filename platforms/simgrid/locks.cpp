#include "platforms/simgrid/locks.hpp"

#include <algorithm>

#include "platforms/simgrid/context.hpp"
#include "platforms/simgrid/mutex_lock.hpp"
#include "platforms/simgrid/percpu_semaphore.hpp"
#include "platforms/simgrid/pi_futex.hpp"
#include "platforms/simgrid/queue_rw_lock.hpp"
#include "platforms/simgrid/queue_spin_lock.hpp"
#include "platforms/simgrid/rw_semaphore.hpp"
#include "platforms/simgrid/sequence_count.hpp"
#include "platforms/simgrid/test_and_set_lock.hpp"
#include "platforms/simgrid/ticket_lock.hpp"
#include "platforms/simgrid/world.hpp"
#include "sim/check.hpp"
#include "sim/error.hpp"
#include "sim/random.hpp"

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

std::unique_ptr<Lock> make_lock(World& world, const LockSpec& spec, LineId line) {
    switch (spec.kind) {
        case LockKind::spinlock:
            return std::make_unique<SpinLock>(world, line);
        case LockKind::rwlock:
            return std::make_unique<QueueRwLock>(world, line, spec.claim);
        case LockKind::rwsem:
            return std::make_unique<RwSemaphore>(world, line, spec.handoff_after);
        case LockKind::percpu_rwsem:
            return std::make_unique<PercpuSemaphore>(world, line, spec.always_slow);
        case LockKind::ticket:
            return std::make_unique<TicketLock>(world, line, hash_name(spec.name));
        case LockKind::test_and_set:
            return std::make_unique<TestAndSetLock>(world, line, hash_name(spec.name));
        case LockKind::seqcount:
            return std::make_unique<SequenceCount>(world, line);
        case LockKind::mutex:
            return std::make_unique<MutexLock>(world, line);
        case LockKind::futex_pi:
            return std::make_unique<PiFutex>(world, line);
    }
    throw InputError("the reference engine does not model the kind of lock that '" + spec.name + "' is");
}

/// What it took last of a lock, which it has no more; the hold is counted.
Context::Held give_back(World& world, Context& me, std::uint32_t lock) {
    const auto last = std::find_if(me.held.rbegin(), me.held.rend(), [&](const auto& h) { return h.lock == lock; });
    FORKSIM_CHECK(last != me.held.rend(), "a lock that is not held was released");
    const Context::Held held = *last;
    me.held.erase(std::next(last).base());
    if (world.open())
        world.answer.sites[held.site].hold_sum += static_cast<std::uint64_t>((world.now() - held.since).ps);
    return held;
}

bool holds(const Context& me, std::uint32_t lock) {
    return std::any_of(me.held.begin(), me.held.end(), [&](const auto& h) { return h.lock == lock; });
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
    FORKSIM_CHECK(spec.guard == no_lock || holds(me, spec.guard),
                  "a seqcount written without the lock that it goes with");
    if (spec.irq_off) ++me.irq_off;
    const bool contended = instances_[instance].lock->lock(me, mode);
    me.waits_at = nullptr;

    Instance& it = instances_[instance];
    FORKSIM_CHECK(it.owner == nullptr && (mode == AcquireMode::read || it.holders == 0), "mutual exclusion");
    ++it.holders;
    if (mode != AcquireMode::read) it.owner = &me;
    me.held.push_back({op.a, instance, op.site, mode, world_.now(), 0});
    count(op, since, contended);
}

/// A lock has been got, or a read section begun, by whoever first asked at `since`.
void Locks::count(const Op& op, Time since, bool contended) {
    if (!world_.open()) return;
    SiteAnswer& site = world_.answer.sites[op.site];
    ++site.acquisitions;
    if (!contended) return;
    ++site.contended;
    site.wait_sum += static_cast<std::uint64_t>((world_.now() - since).ps);
}

Time Locks::release(Context& me, const Op& op) {
    const Context::Held held = give_back(world_, me, op.a);
    Instance& it = instances_[held.instance];
    --it.holders;
    it.owner = nullptr;
    const Time busy = it.lock->unlock(me, held.mode);
    if (world_.spec.locks[op.a].irq_off) --me.irq_off;
    return busy;
}

void Locks::left_cpu(const Context& task) {
    for (const Context::Held& held : task.held) instances_[held.instance].lock->owner_left(task);
}

SequenceCount& Locks::seqcount(std::uint32_t instance) const {
    auto* const it = dynamic_cast<SequenceCount*>(instances_[instance].lock.get());
    FORKSIM_CHECK(it != nullptr, "a read section of a lock that is no seqcount");
    return *it;
}

void Locks::seq_begin(Context& me, const Op& op) {
    const std::uint32_t instance = of_lock_[op.a][world_.instance(world_.spec.locks[op.a].per, me)];
    const Time since = world_.now();
    me.waits_at = &op;
    me.waits_for = instance;
    const SequenceCount::Seen seen = seqcount(instance).read_begin(me);
    me.waits_at = nullptr;
    me.held.push_back({op.a, instance, op.site, AcquireMode::read, world_.now(), seen.sequence});
    count(op, since, seen.waited);
}

bool Locks::seq_retry(Context& me, const Op& op, Time& busy) {
    const Context::Held held = give_back(world_, me, op.a);
    Time ready;
    const bool changed = seqcount(held.instance).read_retry(me, held.sequence, ready);
    busy = ready - world_.now();
    return changed;
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
