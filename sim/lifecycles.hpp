#pragma once
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "sim/check.hpp"
#include "sim/core.hpp"
#include "sim/critical_path.hpp"
#include "sim/inline.hpp"
#include "sim/time_vectors.hpp"

namespace forksim {

/// Turns first .. last - 1 of one task's `forever`, counted from zero when the run begins.
struct TurnRange {
    std::uint64_t first = 0;
    std::uint64_t last = 0;
    std::uint64_t count() const { return last > first ? last - first : 0; }
    bool operator==(const TurnRange&) const = default;
};

/// Which turns are summed up: all those that lie wholly inside [from, to], or, if given, these of each root task.
struct LifeQuery {
    Time from;
    Time to;
    std::optional<std::vector<TurnRange>> turns;
};

/// What Lifecycles adds up. Plain data.
struct LifeSums {
    std::vector<TurnRange> whole;        ///< by root task: its turns wholly inside the window
    std::uint64_t turns = 0;             ///< that are summed up
    std::uint64_t operations = 0;        ///< of counter 0, by the roots of these turns and their descendants
    std::int64_t total_ps = 0;           ///< the length of the turns
    std::vector<std::int64_t> parts_ps;  ///< Lifecycles::component() and so on; their sum is total_ps
};

/// A lifecycle is one turn of a root task's `forever`, with the children that it creates. Divides the length of each,
/// in whole picoseconds, among what it was spent on: in place of CriticalPath, which it is like but for one rule. Who
/// waited for a resource does not take over the past of the one that released it: the time from the first try to the
/// release before the grant is `waiting` at its own site, and from there on it is hand-off. Who waited for an event or
/// for the CPU takes over the past of who ended that only within the same lifecycle; else it was asleep, or queued.
///
/// The parts of a turn sum exactly to its length, which is checked at the end of each.
class Lifecycles {
  public:
    explicit Lifecycles(std::uint32_t sites) : sites_(sites), vectors_(queued() + 1) {}

    // Components: those of CriticalPath, and
    std::uint32_t waiting(std::uint32_t site) const { return CriticalPath::component(sites_, Part{}) + site; }
    std::uint32_t queued() const { return waiting(sites_); }  ///< runnable, for the CPU

    void ask(LifeQuery query) { query_ = std::move(query); }
    /// Of the turns that have ended so far.
    LifeSums sums() const {
        LifeSums all = sums_;
        all.parts_ps = vectors_.spread(row_);
        for (const Root& root : roots_) all.whole.push_back({root.whole.first, root.whole.last});
        return all;
    }

    void reserve(Task t) {
        vectors_.reserve(t, Time{});
        lives_.resize(vectors_.tasks());
        waits_.resize(vectors_.tasks());
    }

    /// `t` is root task number roots so far, and its first turn begins now, at time zero.
    void add_root(Task t, bool forever) {
        lives_[t] = {static_cast<std::uint32_t>(roots_.size()), 0};
        roots_.push_back({forever ? t : no_task, Time{}, 0, {}});
    }

    FORKSIM_INLINE void charge(Task t, std::uint32_t component, Time until) {
        if (waits_[t].open) [[unlikely]]
            note(waits_[t], mark(t), component, until);
        vectors_.charge(t, component, until);
    }

    /// `t` is born of `cause`, or runs on top of it.
    void inherit(Task t, Task cause, Time now) {
        if (t == cause) return;
        lives_[t] = lives_[cause];
        take_over(t, cause, now);
    }
    void wait_over(Task t, Task cause, Awaited what, Time now) {
        if (what == Awaited::resource) return;  // all until it goes on is charged as its hand-off; granted() divides it
        const Wait& wait = waits_[t];
        if (!wait.open && cause != no_task && lives_[t] == lives_[cause]) {
            if (t != cause) take_over(t, cause, now);
        } else if (what == Awaited::cpu) {
            charge(t, queued(), now);
        } else {
            charge(t,
                   wait.open ? CriticalPath::component(wait.site, Part::handoff)
                             : CriticalPath::component(PathTime::asleep),
                   now);
        }
    }

    /// `t` tries for a resource at `site`.
    void tried(Task t, std::uint32_t site) {
        waits_[t].open = true;
        waits_[t].site = site;
    }
    /// It is granted; the one before it has released it at `released`, perhaps before the first try.
    void granted(Task t, Time released) {
        Wait& wait = waits_[t];
        wait.open = false;
        for (const Stretch& stretch : wait.stretches) {
            const Time waited = earlier(stretch.until, released) - stretch.from;
            if (waited > Time{}) vectors_.move(t, stretch.component, waiting(wait.site), waited);
        }
        wait.stretches.clear();
    }

    Time mark(Task t) const { return vectors_.mark(t); }

    /// The window opens: turns begun before go on.
    template <class F>
    void restart(Time, F) {}

    void counted(Task t) {
        const Life& life = lives_[t];
        if (life.root < roots_.size() && roots_[life.root].turn == life.turn) roots_[life.root].operations += 1;
    }

    /// One turn of `forever` of `t` is done.
    void turn_over(Task t, Time now) {
        const Life life = lives_[t];
        if (life.root >= roots_.size() || roots_[life.root].task != t) return;  // a child that goes round and round
        Root& root = roots_[life.root];
        FORKSIM_CHECK(vectors_.sum(t) == now - root.began, "the parts of a lifecycle do not sum to its length");
        const bool whole = root.began >= query_.from && now <= query_.to;
        if (whole) {
            if (root.whole.count() == 0) root.whole.first = root.turn;
            root.whole.last = root.turn + 1;
        }
        if (query_.turns ? is_in((*query_.turns)[life.root], root.turn) : whole) {
            vectors_.add(row_, t);
            sums_.turns += 1;
            sums_.operations += root.operations;
            sums_.total_ps += (now - root.began).ps;
        }
        root.began = now;
        root.operations = 0;
        lives_[t].turn = ++root.turn;
        vectors_.clear(t, now);
    }

    /// CriticalPath's: there is none.
    std::vector<std::int64_t> kept() const { return {}; }

  private:
    struct Life {
        std::uint32_t root = ~std::uint32_t{0};
        std::uint64_t turn = 0;
        bool operator==(const Life&) const = default;
    };
    struct Root {
        Task task;  // no_task if it does not go round forever
        Time began;
        std::uint64_t turn;
        TurnRange whole;
        std::uint64_t operations = 0;  // of this turn
    };
    struct Stretch {
        std::uint32_t component;
        Time from;
        Time until;
    };
    /// From the first try on, until it is known how much of it was waiting, what is charged is also written down.
    struct Wait {
        bool open = false;
        std::uint32_t site = 0;
        std::vector<Stretch> stretches;
    };

    static bool is_in(const TurnRange& range, std::uint64_t turn) { return turn >= range.first && turn < range.last; }

    static void note(Wait& wait, Time mark, std::uint32_t component, Time until) {
        if (until > mark) {
            wait.stretches.push_back({component, mark, until});
            return;
        }
        while (!wait.stretches.empty() && wait.stretches.back().until > until) {  // taken back
            Stretch& last = wait.stretches.back();
            last.until = later(until, last.from);
            if (last.until == last.from) wait.stretches.pop_back();
        }
    }

    void take_over(Task t, Task cause, Time now) {
        vectors_.copy(t, cause);
        if (mark(t) != now) charge(t, CriticalPath::component(PathTime::kernel), now);
    }

    std::uint32_t sites_;
    TimeVectors vectors_;
    LifeQuery query_;
    std::vector<Life> lives_;  // by task: the lifecycle that its vector is about
    std::vector<Wait> waits_;  // by task
    std::vector<Root> roots_;
    TimeVectors::Row row_;
    LifeSums sums_;
};

}  // namespace forksim
