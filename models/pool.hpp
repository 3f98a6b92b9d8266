#pragma once
#include <vector>

#include "models/scope.hpp"
#include "models/spec.hpp"
#include "sim/core.hpp"

namespace forksim {

/// Small caches of objects: a get hits if a put came before it in the same scope (cached_stacks, kernel/fork.c). They
/// begin empty.
class Pools {
  public:
    Pools(const ModelSpec& spec, ScopeIndex& scopes) : spec_(spec), scopes_(scopes) {
        std::uint32_t total = 0;
        for (const PoolSpec& pool : spec.pools) {
            first_.push_back(total);
            total += scopes.count(pool.per);
        }
        filled_.resize(total, 0);
    }

    template <class C>
    Outcome get(C& core, Task t, const Op& op) {
        std::uint32_t& filled = filled_[scopes_.instance(core, spec_.pools[op.a].per, first_[op.a], t)];
        const bool hit = filled > 0;
        if (hit) --filled;
        return {Outcome::proceed, Part::lines, false, hit, {}};
    }
    template <class C>
    Outcome put(C& core, Task t, const Op& op) {
        const PoolSpec& pool = spec_.pools[op.a];
        std::uint32_t& filled = filled_[scopes_.instance(core, pool.per, first_[op.a], t)];
        const bool room = filled < pool.size;
        if (room) ++filled;
        return {Outcome::proceed, Part::lines, false, room, {}};
    }

  private:
    const ModelSpec& spec_;
    ScopeIndex& scopes_;
    std::vector<std::uint32_t> first_;
    std::vector<std::uint32_t> filled_;  // by instance
};

}  // namespace forksim
