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
          locks_(spec, topology, lines_, scopes_, memory_, rcu_),
          completions_(spec),
          objects_(spec, scopes_, lines_, memory_.lines, topology),
          pools_(spec, scopes_) {
        if (topology.cpu_count() > 0) reserve(topology.cpu_count() - 1);  // softirq contexts
        born({Scope::process, spec.process_count, no_cpu});               // init
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
                return completions_.signal(core, t, op, myself);
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
            case SyncCode::acquire_of:
                return acquire_of(core, t, op);
            case SyncCode::signal_of:
                return completions_.signal(core, t, op, op.a);
            case SyncCode::next_child:
                return completions_.next_child(core, t, op);
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
    /// A task comes into being, and perhaps its process, with all that there is one of for each.
    template <class C>
    void created(C& core, Task child, Task parent, const Spawn& spawn) {
        reserve(child);
        completions_.created(core, child, parent, spawn);
        objects_.reserve(completions_.identities());
        scopes_.identify(child, completions_.identity(child));
        const Cpu maker = parent == no_task ? no_cpu : core.cpu_of(parent);
        if (parent == no_task || spawn.new_process) born({Scope::process, core.process_of(child), maker});
        born({Scope::task, completions_.identity(child), maker});
    }
    template <class C>
    void exited(C& core, Task t) {
        locks_.exited(t);
        rcu_.exited(t);
        completions_.exited(core, t);
    }
    template <class C>
    void gone(C& core, Task t) {
        completions_.gone(core, t);
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
    void born(const Birth& birth) {
        lines_.born(birth);
        locks_.born(birth);
        objects_.born(birth);
        pools_.born(birth);
    }
    /// What a step of `t` touches besides its own lines.
    template <class C>
    struct Others {
        KernelModel& model;
        C& core;
        Task t;

        void operate(const Touch& touch, TouchCost& cost) const {
            const std::uint32_t instance = model.scopes_.number(core, model.spec_.objects[touch.line].per, t);
            model.objects_.operate(touch, instance, model.identity(core, t, touch), cost);
        }
        std::uint32_t number(const Touch& touch, const ScopeSpec& per) const {
            return model.number_of(core, per, t, touch.whose, touch.handle);
        }
    };
    template <class C>
    Outcome touch(C& core, Task t, const Op& op) {
        return lines_.touch(core, t, op, Others<C>{*this, core, t});
    }
    template <class C>
    Outcome acquire_of(C& core, Task t, const Op& op) {
        return locks_.acquire(core, t, op, [&] {
            const auto whose = static_cast<Whose>(op.b >> 8 & 0xFF);
            return number_of(core, spec_.locks[op.a].per, t, whose, static_cast<std::uint32_t>(op.b >> 32));
        });
    }
    /// The number of somebody else's instance of what is per process or per task.
    template <class C>
    std::uint32_t number_of(const C& core, const ScopeSpec& per, Task t, Whose whose, std::uint32_t handle) const {
        const bool per_task = per.scope == Scope::task;
        FORKSIM_CHECK(per_task || per.scope == Scope::process, "somebody else's instance of what is nobody's own");
        switch (whose) {
            case Whose::handle:
                return per_task ? completions_.identity_of_named(t, handle) : completions_.process_of_named(t, handle);
            case Whose::embryo:
                return per_task ? completions_.identity(core.embryo_of(t)) : core.process_of(core.embryo_of(t));
            case Whose::parent:
                FORKSIM_CHECK(!per_task, "the parent is a process");
                return core.parent_process_of(t);
            case Whose::self:
                break;
        }
        return scopes_.number(core, per, t);
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
            case Whose::parent:
                break;
        }
        FORKSIM_CHECK(false, "an element of an object that belongs to a process");
        return 0;
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
