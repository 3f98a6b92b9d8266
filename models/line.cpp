#include "models/line.hpp"

#include "sim/check.hpp"

namespace forksim {

Lines::Lines(const Topology& topology)
    : places_(topology.cpus),
      llcs_(topology.llcs),
      words_((topology.cpu_count() + 63) / 64),
      smt_(topology.smt),
      llc_hit_(topology.llc_hit),
      within_(topology.within_llc),
      between_(std::size_t{topology.sockets} * topology.llcs * topology.llcs),
      llc_members_(std::size_t{topology.llcs} * words_, 0),
      next_watcher_(2 * topology.cpu_count(), no_cpu),
      seen_(2 * topology.cpu_count()) {
    for (Cpu cpu = 0; cpu < topology.cpu_count(); ++cpu)
        llc_members_[std::size_t{topology.cpus[cpu].llc} * words_ + cpu / 64] |= std::uint64_t{1} << (cpu % 64);
    for (std::uint32_t home = 0; home < topology.sockets; ++home) {
        for (std::uint32_t a = 0; a < llcs_; ++a) {
            for (std::uint32_t b = 0; b < llcs_; ++b) {
                if (a == b) continue;
                Time cost = topology.between_llcs[std::size_t{a} * llcs_ + b];
                if (topology.coherence == Coherence::home) {
                    cost += topology.to_memory[std::size_t{a} * topology.sockets + home];
                    cost += topology.to_memory[std::size_t{b} * topology.sockets + home];
                    cost = cost / 2;
                }
                between_[(std::size_t{home} * llcs_ + a) * llcs_ + b] = cost;
            }
        }
    }
}

LineId Lines::add(std::uint32_t home) {
    Line line;
    line.home = home;
    line.first_word = static_cast<std::uint32_t>(sharers_.size());
    sharers_.resize(sharers_.size() + words_, 0);
    lines_.push_back(line);
    return static_cast<LineId>(lines_.size() - 1);
}

void Lines::renew(LineId id, Cpu maker) {
    Line& line = lines_[id];
    line.free = Time{};
    line.owner = maker;
    line.home = places_[maker].socket;
    line.shared = false;
    line.last_cpu = no_cpu;
    line.last_asked = Time{-1};
}

void Lines::watch(LineId id, Poller poller) {
    Poller* link = &lines_[id].watchers;  // behind those that watch already: the order in which they began
    while (*link != no_cpu) {
        FORKSIM_CHECK(*link != poller, "a CPU watches a line twice");
        link = &next_watcher_[*link];
    }
    *link = poller;
    next_watcher_[poller] = no_cpu;
}

void Lines::unwatch(LineId id, Poller poller) {
    Poller* link = &lines_[id].watchers;
    while (*link != poller) {
        FORKSIM_CHECK(*link != no_cpu, "a CPU does not watch the line it leaves");
        link = &next_watcher_[*link];
    }
    *link = next_watcher_[poller];
}

void Lines::turn_watchers(LineId id, std::uint32_t count) {
    Cpu& first = lines_[id].watchers;
    if (count == 0 || first == no_cpu) return;
    Cpu cut = first;  // becomes the last one
    for (std::uint32_t i = 1; i < count; ++i) cut = next_watcher_[cut];
    if (next_watcher_[cut] == no_cpu) return;
    Cpu last = next_watcher_[cut];
    while (next_watcher_[last] != no_cpu) last = next_watcher_[last];
    next_watcher_[last] = first;
    first = next_watcher_[cut];
    next_watcher_[cut] = no_cpu;
}

}  // namespace forksim
