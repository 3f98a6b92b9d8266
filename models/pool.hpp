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
        for (const PoolSpec& pool : spec.pools) filled_.emplace_back(scopes.count(pool.per), 0);
    }

    /// The caches of a new process or task: empty.
    void born(const Birth& birth) {
        for (std::size_t i = 0; i < filled_.size(); ++i) {
            if (spec_.pools[i].per.scope != birth.scope) continue;
            if (filled_[i].size() <= birth.number) filled_[i].resize(birth.number + 1, 0);
            filled_[i][birth.number] = 0;
        }
    }

    template <class C>
    Outcome get(C& core, Task t, const Op& op) {
        std::uint32_t& filled = filled_[op.a][scopes_.number(core, spec_.pools[op.a].per, t)];
        const bool hit = filled > 0;
        if (hit) --filled;
        return {Outcome::proceed, Part::lines, false, hit, {}};
    }
    template <class C>
    Outcome put(C& core, Task t, const Op& op) {
        const PoolSpec& pool = spec_.pools[op.a];
        std::uint32_t& filled = filled_[op.a][scopes_.number(core, pool.per, t)];
        const bool room = filled < pool.size;
        if (room) ++filled;
        return {Outcome::proceed, Part::lines, false, room, {}};
    }

  private:
    const ModelSpec& spec_;
    ScopeIndex& scopes_;
    std::vector<std::vector<std::uint32_t>> filled_;  // [pool][instance]
};

}  // namespace forksim
