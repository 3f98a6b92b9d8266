#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "sim/record.hpp"
#include "tests/support/build_program.hpp"

namespace forksim::test {

/// One acquisition: who, when it first tried, was granted, and released; in the order of the grants.
struct Grant {
    Task task;
    std::uint32_t lock;
    Time since;
    Time at;
    Time released = Time::never();
};

/// What a run of locks shows.
struct LockRun {
    Record record;
    std::vector<Grant> grants;

    /// The grants of one task, in order.
    std::vector<Grant> of(Task t) const;
    /// When task `t` was granted its n-th acquisition.
    Time at(Task t, std::size_t n = 0) const { return of(t).at(n).at; }
    /// Tasks in the order of the grants.
    std::vector<Task> order() const;
    /// Jain's index of the number of grants per task, over `tasks` tasks: 1 is perfectly even, 1/n all for one.
    double fairness(std::size_t tasks) const;
};

/// A program whose tasks take locks, numbered as in the list of their kinds. Counter 0 is for turns.
class LockProgram : public KernelBuilder {
  public:
    LockProgram(Topology machine, const std::vector<LockKind>& kinds);

    using KernelBuilder::section;
    /// `after`, then the lock for `hold`.
    Steps section(Time after, Time hold, AcquireMode mode = AcquireMode::exclusive, std::uint32_t lock = 0);

    /// A read section of a seqcount around `body`, begun anew until no writer comes in between.
    Steps seq_read(std::uint32_t seqcount, const Steps& body);
    /// `body` between the two increments of a seqcount.
    Steps seq_write(std::uint32_t seqcount, const Steps& body);

    /// Runs until every task has ended or the window closes.
    LockRun run(std::uint64_t stream = 1) const;
};

}  // namespace forksim::test
