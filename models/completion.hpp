#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "models/spec.hpp"
#include "sim/check.hpp"
#include "sim/core.hpp"

namespace forksim {

/// Handles by which a parent awaits what its children signal: a futex on clear_child_tid, a wait queue.
/// A handle lives as long as the child or a variable of the parent refers to it, so a signal that comes first is kept.
class Completions {
  public:
    explicit Completions(const ModelSpec& spec) : variables_(spec.handles), names_(spec.signals) {}

    void created(Task child, Task parent, const Spawn& spawn) {
        reserve(child);
        drop(own_[child]);  // of the task that had this number before
        own_[child] = new_handle();
        if (parent == no_task || variables_ == 0) return;
        reserve(parent);
        std::uint32_t& variable = named_[std::size_t{parent} * variables_ + spawn.handle];
        drop(variable);
        variable = own_[child];
        ++handles_[variable].references;
    }

    /// The task still has its own handle: work at the switch to the next task may ask for it.
    void exited(Task t) {
        for (std::uint32_t v = 0; v < variables_; ++v) drop(named_[std::size_t{t} * variables_ + v]);
    }

    /// Proceeds once the task named by the variable has given the signal.
    template <class C>
    Outcome await(C&, Task t, const Op& op) {
        Handle& handle = handle_of(t, op.a);
        if (handle.given >> op.b & 1) return {};
        handle.waiter = t;
        handle.awaiting = &op;
        return {Outcome::block, Part::handoff, true, false, {}};
    }

    Outcome signalled(Task t, const Op& op) {
        return {Outcome::proceed, Part::lines, false, (handle_of(t, op.a).given >> op.b & 1) != 0, {}};
    }

    /// `t` gives a signal; whoever waits for it is woken, at the waker's cost.
    template <class C>
    Outcome signal(C& core, Task t, const Op& op) {
        Handle& handle = handles_[own_[t]];
        handle.given |= 1u << op.b;
        if (handle.waiter == no_task || handle.awaiting->b != op.b) return {};
        const Task waiter = handle.waiter;
        handle.waiter = no_task;
        const Time cost = core.wake(waiter, Time{}, t);
        if (cost == Time{}) return {};
        return {Outcome::busy, Part::hold, false, false, cost};
    }

    /// "awaits SIGNAL at SITE", or "" if `t` awaits nothing.
    template <class C>
    std::string waiting_for(const C& core, Task t) const {
        for (const Handle& handle : handles_) {
            if (handle.waiter != t) continue;
            const std::string& site = core.program().sites[handle.awaiting->site].name;
            const std::size_t bit = handle.awaiting->b;
            return "awaits " + (bit < names_.size() ? names_[bit] : "a signal") + (site.empty() ? "" : " at " + site);
        }
        return "";
    }

    /// The number under which others keep what belongs to a task: given at its creation, not given again before it
    /// has ended and no variable names it any more. Below identities().
    std::uint32_t identity(Task t) const {
        FORKSIM_CHECK(t < own_.size() && own_[t] != none, "a step that no task executes, or one without a child");
        return own_[t];
    }
    std::uint32_t identity_of_named(Task t, std::uint32_t variable) const {
        const std::uint32_t handle = named_[std::size_t{t} * variables_ + variable];
        FORKSIM_CHECK(handle != none, "names a child that was never created");
        return handle;
    }
    std::size_t identities() const { return handles_.size(); }

  private:
    static constexpr std::uint32_t none = ~std::uint32_t{0};
    struct Handle {
        std::uint32_t given = 0;  // bit set of signals
        std::uint32_t references = 0;
        Task waiter = no_task;
        const Op* awaiting = nullptr;  // that the waiter executes
    };

    Handle& handle_of(Task t, std::uint32_t variable) {
        const std::uint32_t handle = named_[std::size_t{t} * variables_ + variable];
        FORKSIM_CHECK(handle != none, "awaits a child that was never created");
        return handles_[handle];
    }
    void reserve(Task t) {
        if (t < own_.size()) return;
        own_.resize(t + 1, none);
        named_.resize(std::size_t{t + 1} * variables_, none);
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
    void drop(std::uint32_t& handle) {
        if (handle == none) return;
        if (--handles_[handle].references == 0) free_.push_back(handle);
        handle = none;
    }

    std::uint32_t variables_;
    std::vector<std::string> names_;  // of signals
    std::vector<Handle> handles_;
    std::vector<std::uint32_t> free_;
    std::vector<std::uint32_t> own_;    // by task: the handle under which others know it
    std::vector<std::uint32_t> named_;  // [task * variables + variable]
};

}  // namespace forksim
