#pragma once
#include <cstdint>
#include <tuple>

#include "sim/core.hpp"
#include "sim/time.hpp"

namespace forksim {

/// How a holder shares what it holds.
enum class Sharing : std::uint8_t {
    exclusive,
    shared,    ///< with others that share
    unheeded,  ///< nobody waits for it: a read under a sequence count
};

/// A task's try for one instance of a resource, and what has become of it.
struct Grip {
    std::uint32_t resource = 0;
    std::uint32_t instance = 0;  ///< a number among all instances of all resources
    std::uint32_t site = 0;
    Sharing sharing = Sharing::exclusive;
    bool queued = false;  ///< not granted at the first try
    Time since;           ///< the first try; once released, the grant
    Time freed;           ///< granted: when somebody last released the instance, perhaps before the first try
};

/// Watchers of a run beside the standard record. Each hook is folded over the pack, over those watchers that have it:
/// an empty pack costs nothing. A watcher sees, and changes nothing.
template <class... Watchers>
class Probes {
  public:
    explicit Probes(Watchers&... watchers) : watchers_(watchers...) {}

    /// `t` tries for the first time.
    void tried(Task t, const Grip& grip, Time now) {
        each([&](auto& w) {
            if constexpr (requires { w.tried(t, grip, now); }) w.tried(t, grip, now);
        });
    }
    /// `t` is found to wait for what it tried last.
    void queued(Task t, Time now) {
        each([&](auto& w) {
            if constexpr (requires { w.queued(t, now); }) w.queued(t, now);
        });
    }
    void granted(Task t, const Grip& grip, Time now) {
        each([&](auto& w) {
            if constexpr (requires { w.granted(t, grip, now); }) w.granted(t, grip, now);
        });
    }
    void released(Task t, const Grip& grip, Time now) {
        each([&](auto& w) {
            if constexpr (requires { w.released(t, grip, now); }) w.released(t, grip, now);
        });
    }

  private:
    template <class F>
    void each(F hook) {
        std::apply([&](auto&... w) { (hook(w), ...); }, watchers_);
    }

    std::tuple<Watchers&...> watchers_;
};

}  // namespace forksim
