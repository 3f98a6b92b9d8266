#pragma once
#include <string>
#include <vector>

#include "models/completion.hpp"
#include "models/line_table.hpp"
#include "models/lock_table.hpp"
#include "models/memory.hpp"
#include "models/objects/object_table.hpp"
#include "models/pool.hpp"
#include "models/rcu.hpp"
#include "models/scope.hpp"
#include "models/spec.hpp"
#include "sim/inline.hpp"

namespace forksim {

/// A kernel, ready to answer the core: one call per sync op, dispatched by SyncCode.
class KernelModel {
  public:
    KernelModel(const ModelSpec& spec, const Topology& topology)
        : spec_(spec),
          memory_(topology, spec.handoff),
          rcu_(spec.rcu, topology.cpu_count()),
          scopes_(topology, spec.process_count),
          lines_(spec, scopes_, memory_),
          locks_(spec, topology, first_lines(spec), scopes_, memory_, rcu_),
          completions_(spec),
          objects_(spec, scopes_, lines_, memory_.lines, topology),
          pools_(spec, scopes_) {
        if (topology.cpu_count() > 0) reserve(topology.cpu_count() - 1);  // softirq contexts
    }
    KernelModel(const KernelModel&) = delete;
    KernelModel& operator=(const KernelModel&) = delete;

    template <class C>
    FORKSIM_INLINE Outcome execute(C& core, Task t, const Op& op) {
        switch (static_cast<SyncCode>(op.sub)) {
            case SyncCode::acquire:
                return locks_.acquire(core, t, op);
            case SyncCode::release:
                return locks_.release(core, t, op);
            case SyncCode::touch:
                return touch(core, t, op);
            case SyncCode::atomic:
                return lines_.atomic(core, t, op);
            case SyncCode::await:
                return completions_.await(core, t, op);
            case SyncCode::signalled:
                return completions_.signalled(t, op);
            case SyncCode::signal:
                return completions_.signal(core, t, op);
            case SyncCode::call_rcu:
                return rcu_.call(core, t, op);
            case SyncCode::pool_get:
                return pools_.get(core, t, op);
            case SyncCode::pool_put:
                return pools_.put(core, t, op);
            case SyncCode::rcu_read_lock:
                return rcu_.read_lock(core, t, op);
            case SyncCode::rcu_read_unlock:
                return rcu_.read_unlock(t);
            case SyncCode::synchronize_rcu:
                return rcu_.synchronize(core, t);
            case SyncCode::synchronize_rcu_expedited:
                return rcu_.synchronize_expedited(core, t);
            case SyncCode::seq_begin:
                return locks_.seq_begin(core, t, op);
            case SyncCode::seq_retry:
                return locks_.seq_retry(core, t, op);
            case SyncCode::seq_write_begin:
                return locks_.seq_write_begin(core, t, op);
            case SyncCode::seq_write_end:
                return locks_.release(core, t, op);
        }
        FORKSIM_CHECK(false, "an unknown sync op");
        return {};
    }

    template <class C>
    void timer(C& core, TimerId id) {
        if (id >> 60 == lock_timer >> 60) {
            locks_.timer(core, id);
        } else {
            rcu_.timer(core, id, [&](std::uint32_t instance) { locks_.grace_period_over(core, instance); });
        }
    }
    template <class C>
    void left_cpu(C& core, Task t) {
        locks_.left_cpu(core, t);
    }
    template <class C>
    void resched_due(C& core, Task t) {
        locks_.resched_due(core, t);
    }
    template <class C>
    void created(C&, Task child, Task parent, const Spawn& spawn) {
        reserve(child);
        completions_.created(child, parent, spawn);
        objects_.reserve(completions_.identities());
    }
    template <class C>
    void exited(C&, Task t) {
        locks_.exited(t);
        rcu_.exited(t);
        completions_.exited(t);
    }

    /// What `t` waits for, for the watchdog's message; "" if for nothing the model knows of.
    template <class C>
    std::string waiting_for(const C& core, Task t) const {
        const std::string lock = locks_.waiting_for(core, t);
        if (!lock.empty()) return lock;
        if (rcu_.is_waiting(t)) return "waits for a grace period";
        return completions_.waiting_for(core, t);
    }

    const Lines& lines() const { return memory_.lines; }
    const Rcu& rcu() const { return rcu_; }

  private:
    void reserve(Task t) {
        locks_.reserve(t);
        rcu_.reserve(t);
    }
    template <class C>
    Outcome touch(C& core, Task t, const Op& op) {
        return lines_.touch(core, t, op, [&](const Touch& touch, TouchCost& cost) {
            const std::uint32_t instance = scopes_.instance(core, spec_.objects[touch.line].per, 0, t);
            objects_.operate(touch, instance, identity(core, t, touch), cost);
        });
    }
    template <class C>
    std::uint32_t identity(const C& core, Task t, const Touch& touch) const {
        switch (touch.whose) {
            case Whose::self:
                return completions_.identity(t);
            case Whose::embryo:
                return completions_.identity(core.embryo_of(t));
            case Whose::handle:
                return completions_.identity_of_named(t, touch.handle);
        }
        return 0;
    }
    std::vector<LineId> first_lines(const ModelSpec& spec) const {
        std::vector<LineId> ids;
        for (std::uint32_t i = 0; i < spec.lines.size(); ++i) ids.push_back(lines_.first(i));
        return ids;
    }

    const ModelSpec& spec_;
    Memory memory_;
    Rcu rcu_;
    ScopeIndex scopes_;
    LineTable lines_;
    LockTable locks_;
    Completions completions_;
    ObjectTable objects_;
    Pools pools_;
};

}  // namespace forksim
