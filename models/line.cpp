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
      pause_(topology.pause),
      polls_(2 * topology.cpu_count()) {
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
    line.home = places_[maker].socket + (line.home < sockets_ ? 0 : sockets_);
    refill(id, maker);
}

void Lines::refill(LineId id, Cpu maker) {
    Line& line = lines_[id];
    line.free = Time{};
    line.owner = maker;
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

/// Those that poll the line see the write by `cpu`, which is done when the line is free: at once, or when they look
/// next.
void Lines::serve_watchers(Line& line, Cpu cpu) {
    const Time done = line.free;
    Time last = done;
    line.written = done;
    for (Poller w = line.watchers; w != no_cpu; w = polls_[w].next) {
        Poll& poll = polls_[w];
        const Cpu there = cpu_of(w);
        if (!poll.at_once) {
            if (!poll.due) poll.looks = next_look(poll.looks, done);
            poll.due = line.due = true;
            continue;
        }
        if (there == cpu) {  // nothing is taken from its own
            poll.seen = done;
            continue;
        }
        const auto cpus = static_cast<Cpu>(places_.size());
        if (line.shared && shares(line, there)) {  // task and interrupt of one CPU poll the same line
            poll.seen = polls_[w < cpus ? w + cpus : w - cpus].seen;
            continue;
        }
        Time fetch = transfer(there, cpu, line.home);
        if (!line.shared) {
            share(line, there);
        } else {
            if (line.in_turn) fetch = clean_copy(line, there);
            add_sharer(line, there);
        }
        poll.seen = (line.in_turn ? last : done) + fetch;
        last = later(last, poll.seen);
        ++line.transfers;
        ++transfers_;
    }
    line.free = last;
}

/// The first look at or behind `after` of one who looked at `looked`.
Time Lines::next_look(Time looked, Time after) const {
    if (after <= looked) return looked;
    return looked + Time{((after - looked).ps + pause_.ps - 1) / pause_.ps * pause_.ps};
}

/// Those that poll the line and look again at `until` at the latest do so, in the order of their looks.
void Lines::serve_due(Line& line, Time until) {
    for (;;) {
        Poller first = no_cpu;
        bool others = false;
        for (Poller w = line.watchers; w != no_cpu; w = polls_[w].next) {
            if (!polls_[w].due) continue;
            others = others || first != no_cpu || polls_[w].looks > until;
            if (polls_[w].looks <= until && (first == no_cpu || polls_[w].looks < polls_[first].looks)) first = w;
        }
        line.due = others;
        if (first == no_cpu) return;
        fetch_again(line, first);
        if (!others) return;
    }
}

/// A look by one who polls: a load like any other, of a line that is there if its own CPU has fetched it meanwhile.
void Lines::fetch_again(Line& line, Poller poller) {
    Poll& poll = polls_[poller];
    const Cpu cpu = cpu_of(poller);
    Time done = later(poll.looks, line.free);
    if (line.shared ? !shares(line, cpu) : line.owner != cpu) {
        if (line.shared) {
            done += clean_copy(line, cpu);
            add_sharer(line, cpu);
        } else {
            done += transfer(cpu, line.owner, line.home);
            share(line, cpu);
            line.free = done;
        }
        ++line.transfers;
        ++transfers_;
    }
    poll.looks = poll.seen = done;
    poll.due = false;
}

void Lines::begin_to_watch(LineId id, Poller poller, bool at_once) {
    Poller* link = &lines_[id].watchers;  // behind those that watch already: the order in which they began
    while (*link != no_cpu) {
        FORKSIM_CHECK(*link != poller, "a CPU watches a line twice");
        link = &polls_[*link].next;
    }
    *link = poller;
    polls_[poller].next = no_cpu;
    polls_[poller].line = id;
    polls_[poller].due = false;
    polls_[poller].at_once = at_once;
}

void Lines::watch(LineId id, Poller poller, Time since) {
    begin_to_watch(id, poller, pause_ == Time{});
    polls_[poller].looks = since;
}

void Lines::watch_at_once(LineId id, Poller poller) { begin_to_watch(id, poller, true); }

void Lines::unwatch(LineId id, Poller poller) {
    Poller* link = &lines_[id].watchers;
    while (*link != poller) {
        FORKSIM_CHECK(*link != no_cpu, "a CPU does not watch the line it leaves");
        link = &polls_[*link].next;
    }
    *link = polls_[poller].next;
    polls_[poller].due = false;
}

void Lines::turn_watchers(LineId id, std::uint32_t count) {
    Cpu& first = lines_[id].watchers;
    if (count == 0 || first == no_cpu) return;
    Cpu cut = first;  // becomes the last one
    for (std::uint32_t i = 1; i < count; ++i) cut = polls_[cut].next;
    if (polls_[cut].next == no_cpu) return;
    Cpu last = polls_[cut].next;
    while (polls_[last].next != no_cpu) last = polls_[last].next;
    polls_[last].next = first;
    first = polls_[cut].next;
    polls_[cut].next = no_cpu;
}

}  // namespace forksim
