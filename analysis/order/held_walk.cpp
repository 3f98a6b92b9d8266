#include "analysis/order/held_walk.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace forksim {
namespace {

using HeldSet = std::vector<HeldLock>;

class Walker {
  public:
    Walker(const Program& program, const ModelSpec& model) : program_(program), model_(model) {}

    HeldWalk run() {
        for (const RootTask& root : program_.roots) begin(root.entry, Where::task);
        begin(model_.rcu.report, Where::softirq);
        while (!todo_.empty()) {
            const Point point = std::move(todo_.back());
            todo_.pop_back();
            step(point);
        }
        return {{acquisitions_.begin(), acquisitions_.end()}, {interruptible_.begin(), interruptible_.end()}};
    }

  private:
    struct Point {
        std::uint32_t op;
        Where where;
        const HeldSet* held;  // one of known_
        auto operator<=>(const Point&) const = default;
    };

    void go(std::uint32_t op, Where where, const HeldSet* held) {
        const Point point{op, where, held};
        if (op < program_.ops.size() && seen_.insert(point).second) todo_.push_back(point);
    }
    const HeldSet* known(HeldSet held) { return &*known_.insert(std::move(held)).first; }
    void begin(std::uint32_t entry, Where where) { go(entry, where, known({})); }

    bool irq_off(const HeldSet& held) const {
        return std::any_of(held.begin(), held.end(), [&](const HeldLock& h) { return model_.locks[h.lock].irq_off; });
    }
    /// A read section of a seqcount holds nobody up.
    bool holds_up(const HeldLock& held) const {
        return model_.locks[held.lock].kind != LockKind::seqcount || held.mode != AcquireMode::read;
    }

    void note_interruptible(const Point& point) {
        if (point.where == Where::softirq || point.held->empty() || irq_off(*point.held)) return;
        for (const HeldLock& held : *point.held) {
            if (spins(model_.locks[held.lock].kind) && holds_up(held)) interruptible_.insert(held);
        }
    }

    const HeldSet* acquire(const Point& point, HeldLock taken) {
        Acquisition acquisition{taken, point.where, irq_off(*point.held) || model_.locks[taken.lock].irq_off, {}};
        std::copy_if(point.held->begin(), point.held->end(), std::back_inserter(acquisition.held),
                     [&](const HeldLock& held) { return holds_up(held); });
        acquisitions_.insert(std::move(acquisition));
        HeldSet held = *point.held;
        held.push_back(taken);
        return known(std::move(held));
    }
    /// The release op bears the site of the acquisition.
    const HeldSet* release(const Point& point, std::uint32_t lock, std::uint16_t site) {
        HeldSet held = *point.held;
        auto it = std::find_if(held.rbegin(), held.rend(),
                               [&](const HeldLock& h) { return h.lock == lock && h.site == site; });
        if (it == held.rend())
            it = std::find_if(held.rbegin(), held.rend(), [&](const HeldLock& h) { return h.lock == lock; });
        if (it != held.rend()) held.erase(std::next(it).base());
        return known(std::move(held));
    }

    void sync(const Point& point, const Op& op) {
        const std::uint32_t next = point.op + 1;
        const HeldSet* held = point.held;
        switch (static_cast<SyncCode>(op.sub)) {
            case SyncCode::acquire:
                held = acquire(point, {op.a, op.site, static_cast<AcquireMode>(op.b), Whose::self, 0});
                break;
            case SyncCode::acquire_of:
                held = acquire(point, {op.a, op.site, static_cast<AcquireMode>(op.b & 0xFF),
                                       static_cast<Whose>(op.b >> 8 & 0xFF), static_cast<std::uint32_t>(op.b >> 32)});
                break;
            case SyncCode::seq_begin:
                held = acquire(point, {op.a, op.site, AcquireMode::read, Whose::self, 0});
                break;
            case SyncCode::seq_write_begin:
                held = acquire(point, {op.a, op.site, AcquireMode::write, Whose::self, 0});
                break;
            case SyncCode::seq_retry:
                held = release(point, op.a, op.site);
                go(next + 1, point.where, held);
                break;
            case SyncCode::release:
            case SyncCode::seq_write_end:
                held = release(point, op.a, op.site);
                break;
            case SyncCode::call_rcu:
                begin(op.a, Where::softirq);
                break;
            case SyncCode::signalled:
            case SyncCode::pool_get:
            case SyncCode::pool_put:
            case SyncCode::next_child:
                go(next + 1, point.where, held);
                break;
            default:
                break;
        }
        go(next, point.where, held);
    }

    void step(const Point& point) {
        note_interruptible(point);
        const Op& op = program_.ops[point.op];
        const std::uint32_t next = point.op + 1;
        switch (op.code) {
            case Code::sync:
                sync(point, op);
                return;
            case Code::end:
                return;
            case Code::exit:
                begin(op.a, Where::at_switch);
                return;
            case Code::jump:
            case Code::turn:
            case Code::leave:
                go(op.a, point.where, point.held);
                return;
            case Code::branch:
            case Code::next:
            case Code::repeat:
                go(op.a, point.where, point.held);
                if (op.code != Code::repeat || op.b > 0) go(next, point.where, point.held);
                return;
            case Code::create:
                begin(program_.spawns[op.a].entry, Where::task);
                [[fallthrough]];
            default:
                go(next, point.where, point.held);
        }
    }

    const Program& program_;
    const ModelSpec& model_;
    std::set<HeldSet> known_;
    std::set<Point> seen_;
    std::vector<Point> todo_;
    std::set<Acquisition> acquisitions_;
    std::set<HeldLock> interruptible_;
};

}  // namespace

bool spins(LockKind kind) {
    switch (kind) {
        case LockKind::spinlock:
        case LockKind::rwlock:
        case LockKind::ticket:
        case LockKind::test_and_set:
        case LockKind::seqcount:
            return true;
        case LockKind::rwsem:
        case LockKind::percpu_rwsem:
        case LockKind::mutex:
        case LockKind::futex_pi:
            break;
    }
    return false;
}

HeldWalk walk_held(const Program& program, const ModelSpec& model) { return Walker(program, model).run(); }

}  // namespace forksim
