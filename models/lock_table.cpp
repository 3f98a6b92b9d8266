#include "models/lock_table.hpp"

namespace forksim {

namespace {

/// Is this the class for locks of a kind, on such a machine?
template <class Kind>
bool is_class_for(LockKind kind, Virt virt) {
    if constexpr (requires { Kind::suits(virt); }) {
        return Kind::kind == kind && Kind::suits(virt);
    } else {
        return Kind::kind == kind;
    }
}

/// Appends one instance to the pool of its class; returns the pool's number and whether waiters spin.
template <std::size_t I = 0>
std::pair<std::uint32_t, bool> add_instance(AllLockPools& pools, const Making& making) {
    if constexpr (I == std::tuple_size_v<AllLockPools>) {
        FORKSIM_CHECK(false, "a lock kind without a class");
        return {};
    } else {
        auto& pool = std::get<I>(pools);
        using Kind = typename std::remove_reference_t<decltype(pool)>::value_type;
        if (!is_class_for<Kind>(making.spec.kind, making.topology.virt)) return add_instance<I + 1>(pools, making);
        pool.emplace_back(making);
        return {static_cast<std::uint32_t>(I), Kind::spins};
    }
}

template <std::size_t I = 0>
std::uint32_t pool_size(const AllLockPools& pools, std::uint32_t kind) {
    if constexpr (I == std::tuple_size_v<AllLockPools>) {
        return 0;
    } else {
        if (kind != I) return pool_size<I + 1>(pools, kind);
        return static_cast<std::uint32_t>(std::get<I>(pools).size());
    }
}

}  // namespace

LockTable::LockTable(const ModelSpec& spec, const Topology& topology, const std::vector<LineId>& lines_of_spec,
                     ScopeIndex& scopes, Memory& memory, Rcu& rcu)
    : spec_(spec), scopes_(scopes), memory_(memory) {
    for (const LockSpec& lock : spec.locks) {
        const auto first = static_cast<std::uint32_t>(common_.size());
        bool spins = false;
        for (std::uint32_t i = 0; i < scopes.count(lock.per); ++i) {
            const bool by_instance = lock.line != own_line && spec.lines[lock.line].per == lock.per;
            const LineId line = lock.line == own_line ? memory.lines.add(scopes.home(lock.per, i), LineUse::word)
                                                      : lines_of_spec[lock.line] + (by_instance ? i : 0);
            Common common{};
            std::tie(common.kind, spins) = add_instance(
                pools_, {lock, spec, topology, line, memory, rcu, static_cast<std::uint32_t>(common_.size())});
            common.in_pool = pool_size(pools_, common.kind) - 1;
            common_.push_back(common);
        }
        locks_.push_back({first, scopes.prepare(lock.per), spins, lock.irq_off});
    }
}

}  // namespace forksim
