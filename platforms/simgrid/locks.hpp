#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "models/line.hpp"
#include "models/scope.hpp"
#include "models/spec.hpp"
#include "sim/program.hpp"
#include "sim/time.hpp"

namespace forksim::reference {

struct World;
class Context;
class SequenceCount;

/// One lock instance: straight-line code after the kernel's, executed by the actor of whoever takes it.
class Lock {
  public:
    virtual ~Lock() = default;
    /// Returns, once the lock is held, whether it was contended: not granted at the first try.
    virtual bool lock(Context& me, AcquireMode mode) = 0;
    /// Returns how long the CPU is busy with it from now on.
    virtual Time unlock(Context& me, AcquireMode mode) = 0;
    /// A task that holds the lock has left its CPU: nobody spins for it any longer.
    virtual void owner_left(const Context&) {}
};

/// All lock instances, with what the kinds have in common: interrupts off, what is held, what is counted.
class Locks {
  public:
    explicit Locks(World& world);
    ~Locks();

    /// The locks of a new process or task.
    void born(const Birth& birth);

    void acquire(Context& me, const Op& op);
    /// Returns how long the CPU is busy with it from now on.
    Time release(Context& me, const Op& op);
    /// A read section of a seqcount begins, behind any writer.
    void seq_begin(Context& me, const Op& op);
    /// It ends. Returns whether it must begin anew; `busy`: how long the CPU is with finding out.
    bool seq_retry(Context& me, const Op& op, Time& busy);

    /// A task has given up its CPU: who spins because it ran spins no more.
    void left_cpu(const Context& task);

    /// Throws ModelStuck if tasks wait for each other in a circle.
    void check_deadlock() const;
    /// "TASK waits for NAME at SITE", or "".
    std::string waiting(const Context& task) const;

  private:
    struct Instance {
        std::unique_ptr<Lock> lock;
        LineId line = 0;
        const Context* owner = nullptr;  // exclusive
        std::uint32_t holders = 0;
    };

    void add(const LockSpec& spec, std::uint32_t number);
    SequenceCount& seqcount(std::uint32_t instance) const;
    void count(const Op& op, Time since, bool contended);

    World& world_;
    std::vector<Instances> of_lock_;  // by lock of the spec
    std::vector<Instance> instances_;
};

}  // namespace forksim::reference
