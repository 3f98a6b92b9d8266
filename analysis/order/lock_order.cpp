#include "analysis/order/lock_order.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <tuple>

namespace forksim {
namespace {

/// How far down the line of descent the one is whose lock it is; see Whose.
int generation(const HeldLock& held) {
    if (held.whose == Whose::parent) return -1;
    return held.whose == Whose::handle && held.handle != myself ? 1 : 0;
}

Nesting nesting_of(const HeldLock& outer, const HeldLock& inner) {
    if (outer.lock != inner.lock) return Nesting::other;
    if (outer.whose == inner.whose && outer.handle == inner.handle) return Nesting::again;
    if (outer.whose == Whose::embryo || inner.whose == Whose::embryo) return Nesting::sideways;
    const int down = generation(inner) - generation(outer);
    return down > 0 ? Nesting::downward : down < 0 ? Nesting::upward : Nesting::sideways;
}

class Collector {
  public:
    Collector(const Program& program, const ModelSpec& model) : program_(program), model_(model) {}

    LockOrder collect(const HeldWalk& walk) {
        for (const Acquisition& acquisition : walk.acquisitions) {
            if (acquisition.taken.mode != AcquireMode::read) written_.insert(acquisition.taken.lock);
        }
        for (const Acquisition& acquisition : walk.acquisitions) {
            for (const HeldLock& outer : acquisition.held) {
                add(outer, acquisition.taken, acquisition.where, acquisition.irq_off);
            }
            if (acquisition.where != Where::softirq) continue;
            for (const HeldLock& outer : walk.interruptible) {
                add(outer, acquisition.taken, Where::over_task, acquisition.irq_off);
            }
        }
        LockOrder order;
        for (auto& [key, edge] : edges_) {
            sort_by_name(edge.ways);
            order.edges.push_back(std::move(edge));
        }
        return order;
    }

  private:
    using Key = std::tuple<std::string, std::string, AcquireMode, AcquireMode, Where, bool, Nesting>;
    using Way = std::pair<std::uint16_t, std::uint16_t>;

    void add(const HeldLock& outer, const HeldLock& inner, Where where, bool irq_off) {
        const LockSpec& lock = model_.locks[inner.lock];
        const Nesting nesting = nesting_of(outer, inner);
        const Key key{model_.locks[outer.lock].name, lock.name, outer.mode, inner.mode, where, irq_off, nesting};
        LockEdge& edge = edges_[key];
        edge.outer = outer.lock;
        edge.inner = inner.lock;
        edge.held = outer.mode;
        edge.taken = inner.mode;
        edge.where = where;
        edge.irq_off = irq_off;
        edge.nesting = nesting;
        const bool reads = inner.mode == AcquireMode::read;
        edge.recursive = reads && reads_recursively(lock.kind, where);
        edge.waits = !reads || written_.count(inner.lock) != 0;
        const Way way{outer.site, inner.site};
        if (std::find(edge.ways.begin(), edge.ways.end(), way) == edge.ways.end()) edge.ways.push_back(way);
    }

    void sort_by_name(std::vector<Way>& ways) const {
        const auto names = [&](const Way& way) {
            const Site& outer = program_.sites[way.first];
            const Site& inner = program_.sites[way.second];
            return std::tie(outer.name, outer.caller, inner.name, inner.caller);
        };
        std::sort(ways.begin(), ways.end(), [&](const Way& a, const Way& b) { return names(a) < names(b); });
    }

    const Program& program_;
    const ModelSpec& model_;
    std::set<std::uint32_t> written_;
    std::map<Key, LockEdge> edges_;
};

}  // namespace

bool reads_recursively(LockKind kind, Where where) {
    const bool in_softirq = where == Where::softirq || where == Where::over_task;
    return kind == LockKind::seqcount || (kind == LockKind::rwlock && in_softirq);
}

LockOrder lock_order_of(const Program& program, const ModelSpec& model) {
    LockOrder order = Collector(program, model).collect(walk_held(program, model));
    find_cycles(model, order);
    return order;
}

}  // namespace forksim
