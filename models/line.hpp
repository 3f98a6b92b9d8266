#pragma once
#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include "sim/time.hpp"
#include "sim/topology.hpp"

namespace forksim {

using LineId = std::uint32_t;

/// What lies on a line, which decides what moving it costs.
enum class LineUse : std::uint8_t {
    data,
    word,  ///< the word of a lock, or a node of its queue
};

/// Who polls a line: a CPU, or, as its number plus the number of CPUs, what runs in interrupt on top of it.
using Poller = std::uint32_t;

/// Cache lines with owner and sharers, as the coherence protocol sees them (MESI, one line at a time).
///
/// A write by another CPU, a read of a line owned elsewhere and an upgrade of a shared line cost a transfer and are
/// served one after the other per line, in the order in which they were asked for; a repeated access by the
/// owner is free. A line nobody has touched yet is taken for free.
///
/// A CPU that polls a line (watch) looks at it, pauses, and looks again (`while (!cond(load)) cpu_relax();`). A write
/// takes the line from it; at its next look it fetches the line again, in its turn among all who ask: until then
/// others may have it, and the writer's further accesses are free. With Topology::pause 0 the next look comes right
/// behind the write, before anybody who asks later.
///
/// Transfer costs: same core `smt`, same LLC `within_llc`, else the distance between the LLCs (Coherence::local) or
/// half the triangle me - home - owner (Coherence::home). Source: design notes on the measured core-to-core matrices.
class Lines {
  public:
    /// Moving a lock's word or queue node takes `word_factor`/1024 of what moving data does.
    explicit Lines(const Topology& topology, std::uint32_t word_factor = 1024);

    /// A new line, at home on a NUMA node (REQUIRES node < sockets).
    LineId add(std::uint32_t home, LineUse use = LineUse::data);
    std::size_t size() const { return lines_.size(); }

    /// From now on the line is part of another object, which `maker` has just allocated on its own node and filled in:
    /// it owns the line, and nothing is charged. REQUIRES that nobody polls the line.
    void renew(LineId id, Cpu maker);
    /// The same where the object lies on the line's own node whoever makes it: per-CPU data.
    void refill(LineId id, Cpu maker);

    /// A load by `cpu`, asked for at `at` (>= every earlier request but for stores waiting in store buffers).
    /// Returns when the value is there.
    Time read(LineId id, Cpu cpu, Time at);

    /// A store or locked read-modify-write by `cpu`, asked for at `at`. Returns when it is done and visible.
    Time write(LineId id, Cpu cpu, Time at);

    /// `poller` polls the line from now on, one line at a time; its CPU must have read or written it before. It has
    /// looked at `since` and does so again after each pause.
    void watch(LineId id, Poller poller, Time since);
    /// The same without a pause: for locks that have their pollers' looks from elsewhere.
    void watch_at_once(LineId id, Poller poller);
    void unwatch(LineId id, Poller poller);

    /// Those that poll the line fetch it again one after the other, and behind a write that was asked for before the
    /// last one was done. Without this they all do so at the same time, and first.
    void serve_in_turn(LineId id) { lines_[id].in_turn = true; }
    /// The first `count` of those that poll the line are served behind the others from now on.
    void turn_watchers(LineId id, std::uint32_t count);

    /// When `poller`, which polls a line, sees the last write to it. REQUIRES, while it pauses, that what it waits for
    /// has come, and that it stops polling: the fetch at its next look is asked for by this call, and whatever is asked
    /// for later comes behind it.
    Time seen(Poller poller) {
        if (polls_[poller].due) serve_due(lines_[polls_[poller].line], polls_[poller].looks);
        return polls_[poller].seen;
    }

    /// When everything asked for so far is over.
    Time free_at(LineId id) const { return lines_[id].free; }

    /// One transfer from `owner` to `me` of a line of data at home on `home`.
    Time transfer(Cpu me, Cpu owner, std::uint32_t home) const {
        const CpuPlace& a = places_[me];
        const CpuPlace& b = places_[owner];
        const Time across = distances_[(std::size_t{home} * llcs_ + a.llc) * llcs_ + b.llc];
        const Time inside = me == owner ? Time{} : near_[home].smt;
        return a.core == b.core ? inside : across;
    }

    std::uint64_t transfers() const { return transfers_; }
    /// Of one line.
    std::uint64_t transfers_of(LineId id) const { return lines_[id].transfers; }
    std::uint64_t ties() const { return ties_; }

  private:
    struct alignas(64) Line {
        Time free;                 // the last transfer asked for is over
        Time written;              // in_turn: the last write asked for is
        Cpu owner = no_cpu;        // who wrote it last; no_cpu: nobody yet
        Poller watchers = no_cpu;  // first of a list through Poll::next
        std::uint32_t home = 0;    // in distances_: of a word, behind the homes of data
        Cpu second = no_cpu;       // while shared by at most two: the sharer beside the owner
        std::uint32_t first_word;  // of its sharers, in sharers_, while there are more
        bool shared = false;       // the owner and the sharers have it clean; else the owner has it alone
        bool many = false;         // shared by more than two: see first_word
        bool in_turn = false;      // serve_in_turn()
        bool due = false;          // some who poll it may have to fetch it again at their next look
        Cpu last_cpu = no_cpu;     // ties: who asked last, and when
        Time last_asked{-1};
        std::uint64_t transfers = 0;
    };

    bool shares(const Line& line, Cpu cpu) const {
        if (!line.many) return cpu == line.owner || cpu == line.second;
        return (sharers_[line.first_word + cpu / 64] >> (cpu % 64) & 1) != 0;
    }
    /// The owner's copy becomes clean, and `other` has the second one.
    static void share(Line& line, Cpu other) {
        line.shared = true;
        line.many = false;
        line.second = other;
    }
    void set_bit(const Line& line, Cpu cpu) { sharers_[line.first_word + cpu / 64] |= std::uint64_t{1} << (cpu % 64); }
    void add_sharer(Line& line, Cpu cpu);
    Time clean_copy(const Line& line, Cpu cpu) const;
    Time farthest_sharer(const Line& line, Cpu cpu) const;
    Time take_shared(Line& line, Cpu cpu);
    void serve_watchers(Line& line, Cpu cpu);
    void serve_due(Line& line, Time until);
    void fetch_again(Line& line, Poller poller);
    Time next_look(Time looked, Time after) const;
    void begin_to_watch(LineId id, Poller poller, bool at_once);
    Cpu cpu_of(Poller poller) const {
        const auto cpus = static_cast<Cpu>(places_.size());
        return poller < cpus ? poller : poller - cpus;
    }
    void note(Line& line, Cpu cpu, Time at) {
        ties_ += static_cast<std::uint64_t>(line.last_asked == at && line.last_cpu != cpu);
        line.last_asked = at;
        line.last_cpu = cpu;
    }

    std::vector<CpuPlace> places_;
    std::uint32_t llcs_;
    std::uint32_t words_;  // of a set of CPUs
    /// Transfers that do not ask the home.
    struct Near {
        Time smt;
        Time llc_hit;
    };
    std::uint32_t sockets_;
    std::vector<Near> near_;       // [home]
    std::vector<Time> distances_;  // of two cores: [home][llc of one][llc of the other]
    std::vector<Line> lines_;
    std::vector<std::uint64_t> sharers_;
    std::vector<std::uint64_t> llc_members_;  // [llc * words + word]
    /// What is known of somebody who polls.
    struct Poll {
        Time looks;            // has looked, or, while `due`, will look: the next times follow at every pause
        Time seen;             // the last write
        Poller next = no_cpu;  // behind it in the list of those that poll the same line
        LineId line = 0;       // that it polls or polled
        bool due = false;      // a write has taken the line away, and it has not looked again since
        bool at_once = false;  // looks again right behind each write
    };
    Time pause_;
    std::vector<Poll> polls_;  // by poller
    std::uint64_t transfers_ = 0;
    std::uint64_t ties_ = 0;
};

inline void Lines::add_sharer(Line& line, Cpu cpu) {
    if (!line.many) {
        if (cpu == line.owner || cpu == line.second) return;
        std::fill_n(sharers_.begin() + line.first_word, words_, 0);
        set_bit(line, line.owner);
        set_bit(line, line.second);
        line.many = true;
    }
    set_bit(line, cpu);
}

/// A clean copy for `cpu`: from its own LLC if a CPU there has one, else from the last writer.
inline Time Lines::clean_copy(const Line& line, Cpu cpu) const {
    const CpuPlace& me = places_[cpu];
    bool in_llc = !line.many && (places_[line.owner].llc == me.llc || places_[line.second].llc == me.llc);
    for (std::uint32_t w = 0; line.many && w < words_; ++w) {
        const std::uint64_t here = sharers_[line.first_word + w] & llc_members_[std::size_t{me.llc} * words_ + w];
        in_llc = in_llc || here != 0;
    }
    if (places_[line.owner].core == me.core) return transfer(cpu, line.owner, line.home);
    return in_llc ? near_[line.home].llc_hit : transfer(cpu, line.owner, line.home);
}

/// What it takes to invalidate every other copy.
inline Time Lines::farthest_sharer(const Line& line, Cpu cpu) const {
    Time farthest{};
    if (!line.many) {
        if (line.owner != cpu) farthest = transfer(cpu, line.owner, line.home);
        return line.second == cpu ? farthest : later(farthest, transfer(cpu, line.second, line.home));
    }
    for (std::uint32_t w = 0; w < words_; ++w) {
        for (std::uint64_t bits = sharers_[line.first_word + w]; bits != 0; bits &= bits - 1) {
            const Cpu other = w * 64 + static_cast<Cpu>(std::countr_zero(bits));
            if (other != cpu) farthest = later(farthest, transfer(cpu, other, line.home));
        }
    }
    return farthest;
}

inline Time Lines::read(LineId id, Cpu cpu, Time at) {
    Line& line = lines_[id];
    note(line, cpu, at);
    if (line.due) serve_due(line, at);
    const Time start = later(at, line.free);
    if (!line.shared) {
        if (line.owner == cpu) return start;
        if (line.owner == no_cpu) {
            line.owner = cpu;
            line.free = start;
            return start;
        }
        share(line, cpu);
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

inline Time Lines::write(LineId id, Cpu cpu, Time at) {
    Line& line = lines_[id];
    note(line, cpu, at);
    if (line.due) serve_due(line, at);
    const bool before_pollers = line.in_turn && at < line.written;
    Time done = before_pollers ? line.written : later(at, line.free);
    if (line.shared) {
        done += take_shared(line, cpu);
    } else if (line.owner != cpu && line.owner != no_cpu) {
        done += transfer(cpu, line.owner, line.home);
        ++line.transfers;
        ++transfers_;
    }
    line.owner = cpu;
    line.free = done;
    if (line.watchers != no_cpu) serve_watchers(line, cpu);
    return done;
}

}  // namespace forksim
