#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "models/spec.hpp"
#include "sim/check.hpp"
#include "sim/core.hpp"

namespace forksim {

/// Handles by which tasks know each other, and await what they signal: a futex on clear_child_tid, a wait queue.
/// A handle lives as long as the child, a variable of the parent or a set of its children refers to it, so a signal
/// that comes first is kept; and as long as it does, the child's process keeps its number.
class Completions {
  public:
    explicit Completions(const ModelSpec& spec)
        : variables_(spec.handles), set_count_(spec.sets), names_(spec.signals) {}

    template <class C>
    void created(C& core, Task child, Task parent, const Spawn& spawn) {
        reserve(child);
        FORKSIM_CHECK(own_[child] == none, "a task has the number of one that is not gone");
        const std::uint32_t handle = own_[child] = new_handle();
        handles_[handle].process = core.process_of(child);
        core.keep_process(handles_[handle].process);
        if (parent == no_task) return;
        reserve(parent);
        if (spawn.joins_set) {
            join(sets_[std::size_t{parent} * set_count_ + spawn.handle], handle);
        } else if (variables_ > 0) {
            name(core, named_[std::size_t{parent} * variables_ + spawn.handle], handle);
        }
    }

    /// The task forgets its children. It still has its own handle: work at the switch to the next task may ask for it.
    template <class C>
    void exited(C& core, Task t) {
        for (std::uint32_t v = 0; v < variables_; ++v) name(core, named_[std::size_t{t} * variables_ + v], none);
        for (std::uint32_t s = 0; s < set_count_; ++s) {
            Set& set = sets_[std::size_t{t} * set_count_ + s];
            name(core, set.current, none);
            while (set.first != none) take_first(core, set);
        }
    }
    /// The task is no more.
    template <class C>
    void gone(C& core, Task t) {
        name(core, own_[t], none);
    }

    /// Proceeds once the task named by the variable has given the signal, or, if it is `t` itself, has been given it.
    template <class C>
    Outcome await(C&, Task t, const Op& op) {
        Handle& handle = handles_[named(t, op.a)];
        if (handle.given >> op.b & 1) return {};
        Waiter& waiter = op.a == myself ? handle.itself : handle.parent;
        waiter = {t, &op};
        return {Outcome::block, Part::handoff, true, false, {}};
    }

    Outcome signalled(Task t, const Op& op) const {
        return {Outcome::proceed, Part::lines, false, (handles_[named(t, op.a)].given >> op.b & 1) != 0, {}};
    }

    /// The task named by the variable gives, or is given, a signal; who waits for it is woken, at the cost of `t`.
    template <class C>
    Outcome signal(C& core, Task t, const Op& op, std::uint32_t variable) {
        Handle& handle = handles_[named(t, variable)];
        handle.given |= 1u << op.b;
        Time cost;
        for (Waiter* waiter : {&handle.parent, &handle.itself}) {
            if (waiter->task == no_task || waiter->op->b != op.b) continue;
            cost += core.wake(waiter->task, cost, t);
            waiter->task = no_task;
        }
        if (cost == Time{}) return {};
        return {Outcome::busy, Part::hold, false, false, cost};
    }

    /// The variable of a set turns to the next child of it, oldest first, or to none.
    template <class C>
    Outcome next_child(C& core, Task t, const Op& op) {
        Set& set = sets_[std::size_t{t} * set_count_ + op.a];
        const bool take = op.b == 1;
        const std::uint32_t next = take || set.current == none ? set.first : handles_[set.current].next;
        name(core, set.current, next);
        if (take && next != none) take_first(core, set);
        return {Outcome::proceed, Part::lines, false, next != none, {}};
    }

    /// "awaits SIGNAL at SITE", or "" if `t` awaits nothing.
    template <class C>
    std::string waiting_for(const C& core, Task t) const {
        for (const Handle& handle : handles_) {
            for (const Waiter* waiter : {&handle.parent, &handle.itself}) {
                if (waiter->task != t) continue;
                const std::string& site = core.program().sites[waiter->op->site].name;
                const std::size_t bit = waiter->op->b;
                return "awaits " + (bit < names_.size() ? names_[bit] : "a signal") +
                       (site.empty() ? "" : " at " + site);
            }
        }
        return "";
    }

    /// The number under which others keep what belongs to a task: given at its creation, not given again before it
    /// has ended and nobody names it any more. Below identities().
    std::uint32_t identity(Task t) const {
        FORKSIM_CHECK(t < own_.size() && own_[t] != none, "a step that no task executes, or one without a child");
        return own_[t];
    }
    std::uint32_t identity_of_named(Task t, std::uint32_t variable) const { return named(t, variable); }
    std::uint32_t process_of_named(Task t, std::uint32_t variable) const {
        return handles_[named(t, variable)].process;
    }
    std::size_t identities() const { return handles_.size(); }

  private:
    static constexpr std::uint32_t none = ~std::uint32_t{0};
    struct Waiter {
        Task task = no_task;
        const Op* op = nullptr;  // that it executes
    };
    struct Handle {
        std::uint32_t given = 0;  // bit set of signals
        std::uint32_t references = 0;
        std::uint32_t process = 0;
        std::uint32_t next = none;  // in the set that it is in
        Waiter parent;
        Waiter itself;
    };
    /// Children in the order of their creation; each is counted as one reference, `current` as one more.
    struct Set {
        std::uint32_t current = none;
        std::uint32_t first = none;
        std::uint32_t last = none;
    };

    std::uint32_t named(Task t, std::uint32_t variable) const {
        const std::uint32_t handle = variable == myself ? own_[t]
                                     : (variable & of_set) != 0
                                         ? sets_[std::size_t{t} * set_count_ + (variable & ~of_set)].current
                                         : named_[std::size_t{t} * variables_ + variable];
        FORKSIM_CHECK(handle != none, "names a child that was never created");
        return handle;
    }
    void join(Set& set, std::uint32_t handle) {
        ++handles_[handle].references;
        (set.first == none ? set.first : handles_[set.last].next) = handle;
        set.last = handle;
    }
    template <class C>
    void take_first(C& core, Set& set) {
        std::uint32_t handle = set.first;
        set.first = handles_[handle].next;
        name(core, handle, none);
    }
    void reserve(Task t) {
        if (t < own_.size()) return;
        own_.resize(t + 1, none);
        named_.resize(std::size_t{t + 1} * variables_, none);
        sets_.resize(std::size_t{t + 1} * set_count_);
    }
    std::uint32_t new_handle() {
        std::uint32_t handle;
        if (free_.empty()) {
            handle = static_cast<std::uint32_t>(handles_.size());
            handles_.emplace_back();
        } else {
            handle = free_.back();
            free_.pop_back();
        }
        handles_[handle] = Handle{};
        handles_[handle].references = 1;
        return handle;
    }
    /// `variable` refers to `handle` from now on, or to none.
    template <class C>
    void name(C& core, std::uint32_t& variable, std::uint32_t handle) {
        const std::uint32_t before = variable;
        variable = handle;
        if (handle != none) ++handles_[handle].references;
        if (before == none || --handles_[before].references > 0) return;
        core.let_process_go(handles_[before].process);
        free_.push_back(before);
    }

    std::uint32_t variables_;
    std::uint32_t set_count_;
    std::vector<std::string> names_;  // of signals
    std::vector<Handle> handles_;
    std::vector<std::uint32_t> free_;
    std::vector<std::uint32_t> own_;    // by task: the handle under which others know it
    std::vector<std::uint32_t> named_;  // [task * variables + variable]
    std::vector<Set> sets_;             // [task * sets + set]
};

}  // namespace forksim
