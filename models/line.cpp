#include "models/line.hpp"

#include "sim/check.hpp"

namespace forksim {

Lines::Lines(const Topology& topology, std::uint32_t word_factor)
    : places_(topology.cpus),
      llcs_(topology.llcs),
      words_((topology.cpu_count() + 63) / 64),
      sockets_(topology.sockets),
      near_(topology.sockets, {topology.smt, topology.llc_hit}),
      distances_(std::size_t{topology.sockets} * topology.llcs * topology.llcs),
      llc_members_(std::size_t{topology.llcs} * words_, 0),
      next_watcher_(2 * topology.cpu_count(), no_cpu),
      seen_(2 * topology.cpu_count()) {
    for (Cpu cpu = 0; cpu < topology.cpu_count(); ++cpu)
        llc_members_[std::size_t{topology.cpus[cpu].llc} * words_ + cpu / 64] |= std::uint64_t{1} << (cpu % 64);
    for (std::uint32_t home = 0; home < topology.sockets; ++home) {
        for (std::uint32_t a = 0; a < llcs_; ++a) {
            for (std::uint32_t b = 0; b < llcs_; ++b) {
                Time cost = a == b ? topology.within_llc[a] : topology.between_llcs[std::size_t{a} * llcs_ + b];
                if (a != b && topology.coherence == Coherence::home) {
                    cost += topology.to_memory[std::size_t{a} * topology.sockets + home];
                    cost += topology.to_memory[std::size_t{b} * topology.sockets + home];
                    cost = cost / 2;
                }
                distances_[(std::size_t{home} * llcs_ + a) * llcs_ + b] = cost;
            }
        }
    }
    const auto of_word = [&](Time t) { return Time{t.ps * word_factor / 1024}; };
    for (std::uint32_t home = 0; home < sockets_; ++home)
        near_.push_back({of_word(topology.smt), of_word(topology.llc_hit)});
    const std::size_t of_data = distances_.size();
    for (std::size_t i = 0; i < of_data; ++i) distances_.push_back(of_word(distances_[i]));
}

LineId Lines::add(std::uint32_t home, LineUse use) {
    Line line;
    line.home = use == LineUse::word ? sockets_ + home : home;
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

/// A write to a line that others may have clean copies of: returns what it takes to be the only one.
Time Lines::take_shared(Line& line, Cpu cpu) {
    Time cost = farthest_sharer(line, cpu);
    if (!shares(line, cpu)) cost = later(cost, clean_copy(line, cpu));
    ++line.transfers;
    ++transfers_;
    line.shared = false;
    return cost;
}

/// Those that poll the line fetch it right behind the write by `cpu`, which is done when the line is free.
void Lines::serve_watchers(Line& line, Cpu cpu) {
    const Time done = line.free;
    Time last = done;
    line.written = done;
    const auto cpus = static_cast<Cpu>(places_.size());
    for (Poller w = line.watchers; w != no_cpu; w = next_watcher_[w]) {
        const Cpu there = w < cpus ? w : w - cpus;
        if (there == cpu) {  // nothing is taken from its own
            seen_[w] = done;
            continue;
        }
        if (line.shared && shares(line, there)) {  // task and interrupt of one CPU poll the same line
            seen_[w] = seen_[w < cpus ? w + cpus : w - cpus];
            continue;
        }
        Time fetch = transfer(there, cpu, line.home);
        if (!line.shared) {
            share(line, there);
        } else {
            if (line.in_turn) fetch = clean_copy(line, there);
            add_sharer(line, there);
        }
        seen_[w] = (line.in_turn ? last : done) + fetch;
        last = later(last, seen_[w]);
        ++line.transfers;
        ++transfers_;
    }
    line.free = last;
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
