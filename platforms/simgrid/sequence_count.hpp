#pragma once
#include <cstdint>

#include "platforms/simgrid/context.hpp"
#include "platforms/simgrid/locks.hpp"

namespace forksim::reference {

/// seqcount_spinlock_t (include/linux/seqlock.h, without PREEMPT_RT), access by access. To lock it is to write.
class SequenceCount : public Lock {
  public:
    SequenceCount(World& world, LineId line) : world_(world), line_(line) {}

    /// do_raw_write_seqcount_begin() and _end(): plain increments, which wait in the store buffer.
    bool lock(Context& me, AcquireMode) override;
    Time unlock(Context& me, AcquireMode) override;

    /// What read_seqcount_begin() saw.
    struct Seen {
        std::uint32_t sequence;
        bool waited;  ///< it was odd at first
    };
    /// read_seqcount_begin(): returns once the number is even.
    Seen read_begin(Context& me);
    /// read_seqcount_retry(): whether the number is another one. `ready`: when it has been loaded.
    bool read_retry(Context& me, std::uint32_t begun_with, Time& ready);

  private:
    bool being_written() const { return sequence_ % 2 == 1; }

    World& world_;
    LineId line_;
    std::uint32_t sequence_ = 0;
    Spinners readers_;
};

}  // namespace forksim::reference
