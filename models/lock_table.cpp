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

/// Appends one instance to the pool of its class; returns the pool's number.
template <std::size_t I = 0>
std::uint32_t add_instance(AllLockPools& pools, const Making& making) {
    if constexpr (I == std::tuple_size_v<AllLockPools>) {
        FORKSIM_CHECK(false, "a lock kind without a class");
        return {};
    } else {
        auto& pool = std::get<I>(pools);
        using Kind = typename std::remove_reference_t<decltype(pool)>::value_type;
        if (!is_class_for<Kind>(making.spec.kind, making.topology.virt)) return add_instance<I + 1>(pools, making);
        pool.emplace_back(making);
        return static_cast<std::uint32_t>(I);
    }
}

/// Do waiters spin?
template <std::size_t I = 0>
bool spins(LockKind kind, Virt virt) {
    if constexpr (I == std::tuple_size_v<AllLockPools>) {
        return false;
    } else {
        using Kind = typename std::tuple_element_t<I, AllLockPools>::value_type;
        return is_class_for<Kind>(kind, virt) ? Kind::spins : spins<I + 1>(kind, virt);
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

LockTable::LockTable(const ModelSpec& spec, const Topology& topology, const LineTable& lines, ScopeIndex& scopes,
                     Memory& memory, Rcu& rcu)
    : spec_(spec), topology_(topology), lines_(lines), scopes_(scopes), memory_(memory), rcu_(rcu) {
    for (const LockSpec& lock : spec.locks) {
        const auto first = static_cast<std::uint32_t>(common_.size());
        const std::uint32_t count = scopes.count(lock.per);
        for (std::uint32_t i = 0; i < count; ++i) add(lock, i);
        locks_.push_back({{first, count}, scopes.prepare(lock.per), spins<>(lock.kind, topology.virt), lock.irq_off});
    }
}

/// Makes instance `number` of a lock.
void LockTable::add(const LockSpec& lock, std::uint32_t number) {
    const LineId line = lock.line == own_line ? memory_.lines.add(scopes_.home(lock.per, number), LineUse::word)
                                              : lines_.shared(lock.line, lock.per, number);
    Common common{};
    common.line = line;
    common.kind =
        add_instance(pools_, {lock, spec_, topology_, line, memory_, rcu_, static_cast<std::uint32_t>(common_.size())});
    common.in_pool = pool_size(pools_, common.kind) - 1;
    common_.push_back(common);
}

void LockTable::born(const Birth& birth) {
    for (std::uint32_t i = 0; i < locks_.size(); ++i) {
        const LockSpec& lock = spec_.locks[i];
        if (lock.per.scope != birth.scope) continue;
        Instances& instances = locks_[i].instances;
        while (instances.count() <= birth.number) {
            add(lock, instances.count());
            instances.add(static_cast<std::uint32_t>(common_.size() - 1));
        }
        Common& common = common_[instances[birth.number]];
        FORKSIM_CHECK(common.holders == 0, lock.name + " of a new process or task is held");
        common.owner = no_task;
        if (birth.maker == no_cpu) continue;
        if (lock.line == own_line) memory_.lines.renew(common.line, birth.maker);
        visit(instances[birth.number], [&](auto& l) {
            if constexpr (requires { l.renew(memory_.lines, birth.maker); }) l.renew(memory_.lines, birth.maker);
        });
    }
}

}  // namespace forksim
