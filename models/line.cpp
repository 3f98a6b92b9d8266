#include "models/line.hpp"

#include <algorithm>
#include <bit>

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
      next_watcher_(topology.cpu_count(), no_cpu),
      seen_(topology.cpu_count()) {
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

void Lines::share_alone(Line& line, Cpu cpu) {
    std::fill_n(sharers_.begin() + line.first_word, words_, 0);
    add_sharer(line, cpu);
}

/// A clean copy for `cpu`: from its own LLC if a CPU there has one, else from the last writer.
Time Lines::clean_copy(const Line& line, Cpu cpu) const {
    const CpuPlace& me = places_[cpu];
    bool in_llc = false;
    for (std::uint32_t w = 0; w < words_; ++w) {
        const std::uint64_t here = sharers_[line.first_word + w] & llc_members_[std::size_t{me.llc} * words_ + w];
        in_llc = in_llc || here != 0;
    }
    if (places_[line.owner].core == me.core) return transfer(cpu, line.owner, line.home);
    return in_llc ? llc_hit_ : transfer(cpu, line.owner, line.home);
}

/// What it takes to invalidate every other copy.
Time Lines::farthest_sharer(const Line& line, Cpu cpu) const {
    Time farthest{};
    for (std::uint32_t w = 0; w < words_; ++w) {
        for (std::uint64_t bits = sharers_[line.first_word + w]; bits != 0; bits &= bits - 1) {
            const Cpu other = w * 64 + static_cast<Cpu>(std::countr_zero(bits));
            if (other != cpu) farthest = later(farthest, transfer(cpu, other, line.home));
        }
    }
    return farthest;
}

Time Lines::read(LineId id, Cpu cpu, Time at) {
    Line& line = lines_[id];
    note(line, cpu, at);
    const Time start = later(at, line.free);
    if (line.owner == no_cpu) {
        line.owner = cpu;
        line.free = start;
        return start;
    }
    if (!line.shared) {
        if (line.owner == cpu) return start;
        share_alone(line, line.owner);
        add_sharer(line, cpu);
        line.shared = true;
        ++line.transfers;
        ++transfers_;
        line.free = start + transfer(cpu, line.owner, line.home);
        return line.free;
    }
    if (shares(line, cpu)) return start;
    const Time cost = clean_copy(line, cpu);
    add_sharer(line, cpu);
    ++line.transfers;
    ++transfers_;
    return start + cost;  // clean copies are handed out side by side
}

Time Lines::write(LineId id, Cpu cpu, Time at) {
    Line& line = lines_[id];
    note(line, cpu, at);
    const Time start = later(at, line.free);
    Time cost{};
    if (line.owner == no_cpu) {
        cost = Time{};
    } else if (!line.shared) {
        cost = transfer(cpu, line.owner, line.home);
        const auto moved = static_cast<std::uint64_t>(line.owner != cpu);
        line.transfers += moved;
        transfers_ += moved;
    } else {
        cost = farthest_sharer(line, cpu);
        if (!shares(line, cpu)) cost = later(cost, clean_copy(line, cpu));
        ++line.transfers;
        ++transfers_;
        line.shared = false;
    }
    line.owner = cpu;
    line.free = start + cost;
    const Time done = line.free;
    if (line.watchers != no_cpu) {
        Time last = done;
        for (Cpu w = line.watchers; w != no_cpu; w = next_watcher_[w]) {
            if (w == cpu) continue;
            if (!line.shared) {
                line.shared = true;
                share_alone(line, cpu);
            }
            add_sharer(line, w);
            seen_[w] = done + transfer(w, cpu, line.home);
            last = later(last, seen_[w]);
            ++line.transfers;
            ++transfers_;
        }
        line.free = last;
    }
    return done;
}

void Lines::watch(LineId id, Cpu cpu) {
    Line& line = lines_[id];
    next_watcher_[cpu] = no_cpu;
    Cpu* link = &line.watchers;  // behind those that watch already: the order in which they began
    while (*link != no_cpu) {
        FORKSIM_CHECK(*link != cpu, "a CPU watches a line twice");
        link = &next_watcher_[*link];
    }
    *link = cpu;
}

void Lines::unwatch(LineId id, Cpu cpu) {
    Cpu* link = &lines_[id].watchers;
    while (*link != cpu) {
        FORKSIM_CHECK(*link != no_cpu, "a CPU does not watch the line it leaves");
        link = &next_watcher_[*link];
    }
    *link = next_watcher_[cpu];
}

}  // namespace forksim
