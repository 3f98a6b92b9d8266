#pragma once
#include <vector>

#include "models/memory.hpp"
#include "models/spec.hpp"
#include "sim/check.hpp"
#include "sim/core.hpp"

namespace forksim {

/// `seqcount`: a seqcount_spinlock_t (include/linux/seqlock.h). A writer, who holds the lock that it goes with, makes
/// the number odd and then even again; a reader spins while it is odd, and starts anew if it has changed meanwhile.
/// Readers never write the line, so they share it until a writer takes it from them. Without PREEMPT_RT.
///
/// LockTable counts a read section as an acquisition that excludes nobody, and a read begun anew as another one.
class Seqcount {
  public:
    static constexpr LockKind kind = LockKind::seqcount;
    static constexpr bool spins = true;  ///< writers are not preempted; readers may be

    explicit Seqcount(const Making& making) : line_(making.line) {}

    /// raw_read_seqcount_begin(), called again until it grants: the number is number().
    template <class C>
    Step begin(C& core, Memory& memory, std::vector<Wait>& waits, Task t) {
        Wait& w = waits[t];
        const Cpu cpu = core.cpu_of(t);
        const Time now = core.now();
        if (w.phase == loaded) return Step::grant();
        const Time done = memory.load(line_, cpu, now);
        if ((number_ & 1) == 0) {
            w.ticket = number_;
            w.phase = loaded;
            return done > now ? Step::after(done - now, w.contended ? Part::handoff : Part::lines) : Step::grant();
        }
        w.contended = true;
        memory.lines.watch(line_, memory.poller(t, cpu), done);
        readers_.push_back(t);
        return Step::spin();
    }

    /// read_seqcount_retry(): is the number another one? `took` is how long it took to look.
    template <class C>
    bool changed(C& core, Memory& memory, Task t, std::uint32_t number, Time& took) {
        took = memory.load(line_, core.cpu_of(t), core.now()) - core.now();
        return number != number_;
    }

    /// write_seqcount_begin(): an increment, no locked instruction.
    template <class C>
    Step acquire(C& core, Memory& memory, std::vector<Wait>&, Task t, AcquireMode) {
        FORKSIM_CHECK((number_ & 1) == 0, "two writers of a seqcount at once");
        ++number_;
        memory.store(line_, core.cpu_of(t), core.now());
        return Step::grant();
    }

    /// write_seqcount_end(). Readers that spin see it one after the other.
    template <class C>
    Time release(C& core, Memory& memory, std::vector<Wait>&, Task t, AcquireMode) {
        ++number_;
        memory.store(line_, core.cpu_of(t), core.now());
        for (const Task reader : readers_) {
            const Poller poller = memory.poller(reader, core.cpu_of(reader));
            const Time sees = memory.lines.seen(poller);
            memory.lines.unwatch(line_, poller);
            core.resume(reader, sees - core.now(), t);
        }
        readers_.clear();
        return {};
    }

    Task owner() const { return no_task; }

  private:
    enum Phase : std::uint8_t { start, loaded };

    LineId line_;
    std::uint32_t number_ = 0;
    std::vector<Task> readers_;  // spin while the number is odd
};

}  // namespace forksim
