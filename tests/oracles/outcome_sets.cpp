#include "tests/oracles/outcome_sets.hpp"

#include <algorithm>
#include <stdexcept>

namespace forksim::oracle {
namespace {

bool same(const OutcomeSets::Entry& a, const OutcomeSets::Entry& b) {
    return a.order == b.order && a.counts[0] == b.counts[0] && a.counts[1] == b.counts[1];
}

std::uint64_t mix(std::uint64_t h, std::uint64_t value) {
    h = (h ^ value) * 0x9e3779b97f4a7c15ULL;
    return h ^ (h >> 29);
}

}  // namespace

OutcomeSets::OutcomeSets() : begin_{0} {
    intern({});
    intern({{no_grants, {1, 0}}});
}

OutcomeSets::Id OutcomeSets::intern(const std::vector<Entry>& set) {
    std::uint64_t hash = set.size();
    for (const Entry& entry : set) hash = mix(mix(mix(hash, entry.order), entry.counts[0]), entry.counts[1]);
    const auto [first, last] = by_hash_.equal_range(hash);
    for (auto it = first; it != last; ++it) {
        const auto known = entries(it->second);
        if (std::equal(known.begin(), known.end(), set.begin(), set.end(), same)) return it->second;
    }
    const Id id = static_cast<Id>(begin_.size() - 1);
    pool_.insert(pool_.end(), set.begin(), set.end());
    begin_.push_back(static_cast<std::uint32_t>(pool_.size()));
    by_hash_.emplace(hash, id);
    return id;
}

OutcomeSets::Id OutcomeSets::join(Id a, Id b) {
    if (a == b || b == none) return a;
    if (a == none) return b;
    if (a > b) std::swap(a, b);
    const std::uint64_t key = (std::uint64_t{a} << 32) | b;
    if (const auto it = joined_.find(key); it != joined_.end()) return it->second;
    work_.clear();
    const auto left = entries(a);
    const auto right = entries(b);
    auto l = left.begin();
    auto r = right.begin();
    while (l != left.end() || r != right.end()) {
        if (r == right.end() || (l != left.end() && l->order < r->order)) {
            work_.push_back(*l++);
        } else if (l == left.end() || r->order < l->order) {
            work_.push_back(*r++);
        } else {
            work_.push_back({l->order, {l->counts[0] | r->counts[0], l->counts[1] | r->counts[1]}});
            ++l;
            ++r;
        }
    }
    const Id id = intern(work_);
    joined_.emplace(key, id);
    return id;
}

OutcomeSets::Id OutcomeSets::before(Id rest, int cpu, bool transfer) {
    if (cpu < 0 && !transfer) return rest;
    const std::uint64_t key =
        (std::uint64_t{rest} << 4) | (static_cast<std::uint64_t>(cpu + 1) << 1) | (transfer ? 1 : 0);
    if (const auto it = before_.find(key); it != before_.end()) return it->second;
    work_.clear();
    for (Entry entry : entries(rest)) {
        if (cpu >= 0) {
            if ((entry.order >> (2 * max_grants)) != 0) throw std::overflow_error("too many grants");
            entry.order = (entry.order << 2) | static_cast<Order>(cpu);
        }
        if (transfer) {
            if ((entry.counts[1] >> 63) != 0) throw std::overflow_error("too many transfers");
            entry.counts[1] = (entry.counts[1] << 1) | (entry.counts[0] >> 63);
            entry.counts[0] <<= 1;
        }
        work_.push_back(entry);
    }
    const Id id = intern(work_);
    before_.emplace(key, id);
    return id;
}

}  // namespace forksim::oracle
