#pragma once
#include <cstdint>
#include <tuple>

#include "sim/core.hpp"
#include "sim/time.hpp"

namespace forksim {

/// Watchers of a run beside the standard record. Each hook is folded over the pack: an empty pack costs nothing. A
/// watcher sees, and changes nothing.
template <class... Watchers>
class Probes {
  public:
    explicit Probes(Watchers&... watchers) : watchers_(watchers...) {}

    /// `t` got the resource at `site` at `now`, having first tried at `since`.
    void granted(Task t, std::uint32_t resource, std::uint32_t site, Time since, Time now) {
        std::apply([&](auto&... w) { (w.granted(t, resource, site, since, now), ...); }, watchers_);
    }
    /// `t` gave the resource back, having held it from `since`.
    void released(Task t, std::uint32_t resource, std::uint32_t site, Time since, Time now) {
        std::apply([&](auto&... w) { (w.released(t, resource, site, since, now), ...); }, watchers_);
    }

  private:
    std::tuple<Watchers&...> watchers_;
};

}  // namespace forksim
