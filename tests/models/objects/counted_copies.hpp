#pragma once
#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "sim/time.hpp"
#include "sim/topology.hpp"

namespace forksim::test {

/// One CPU per core, one last-level cache; every transfer takes 1000 ps.
inline Topology uniform_machine(Cpu cpus) {
    Topology t;
    for (Cpu cpu = 0; cpu < cpus; ++cpu) t.cpus.push_back({cpu, 0, 0});
    t.cores = cpus;
    t.llcs = 1;
    t.sockets = 1;
    t.within_llc = {Time{1000}};
    t.between_llcs = {Time{}};
    t.to_memory = {Time{}};
    t.llc_hit = Time{1000};
    return t;
}

/// Who has a copy of each line, kept the slow way and without any class of the models: what accesses cost on the
/// uniform machine is counted here a second time.
class CountedCopies {
  public:
    using Name = std::pair<std::uint64_t, std::uint32_t>;  // of a line: whatever the test likes

    void made(Name line, Cpu by) { lines_[line] = {{by}, true, 0}; }
    void lost(Name line) { lines_.erase(line); }

    /// A step begins: its accesses come one after the other, the first store and the first load of a line count.
    void begin(Cpu cpu, Time at) {
        cpu_ = cpu;
        at_ = at.ps;
        loaded_.clear();
        stored_.clear();
    }
    void load(Name name) {
        if (!loaded_.insert(name).second) return;
        Copies& line = of(name);
        if (line.have.count(cpu_) != 0) {
            at_ = std::max(at_, line.ready);
            return;
        }
        at_ = std::max(at_, line.ready) + 1000;
        if (line.dirty) line.ready = at_;  // the copies that follow are handed out side by side
        line.dirty = false;
        line.have.insert(cpu_);
        ++dependent_transfers_;
    }
    /// `weight` of a transfer, in 1/1024
    void store(Name name, std::int64_t weight = 512) {
        if (!stored_.insert(name).second) return;
        Copies& line = of(name);
        std::int64_t done = std::max(at_, line.ready);
        if (line.have != std::set<Cpu>{cpu_}) {
            done += 1000;
            if (weight == 1024) ++dependent_transfers_;
        }
        at_ += (done - at_) * weight / 1024;
        line = {{cpu_}, true, done};
    }
    /// When the step ends.
    Time end() const { return Time{at_}; }
    std::uint64_t dependent_transfers() const { return dependent_transfers_; }

  private:
    struct Copies {
        std::set<Cpu> have;
        bool dirty = false;
        std::int64_t ready = 0;
    };
    Copies& of(Name name) {
        auto [it, is_new] = lines_.try_emplace(name);
        if (is_new) it->second = {{cpu_}, true, 0};  // the first ever is free
        return it->second;
    }

    std::map<Name, Copies> lines_;
    std::set<Name> loaded_;
    std::set<Name> stored_;
    Cpu cpu_ = 0;
    std::int64_t at_ = 0;
    std::uint64_t dependent_transfers_ = 0;
};

}  // namespace forksim::test
