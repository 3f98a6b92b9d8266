#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "models/spec.hpp"
#include "sim/record.hpp"
#include "tests/support/steps.hpp"

namespace forksim::test {

/// A program and the kernel that it runs on, by hand.
class KernelBuilder : public ProgramBuilder {
  public:
    explicit KernelBuilder(Topology machine) : ProgramBuilder(std::move(machine)) {}

    /// A lock of its own word; its word is a line by itself, see KernelRun::transfers_of_word.
    std::uint32_t lock(LockKind kind, std::string_view name, bool irq_off = false);
    std::uint32_t spinlock(std::string_view name) { return lock(LockKind::spinlock, name); }
    std::uint32_t rwlock(std::string_view name) { return lock(LockKind::rwlock, name); }
    std::uint32_t line(std::string_view name, ScopeSpec per = {});

    Steps at(Time start) { return steps().work(start); }
    Steps acquire(std::uint32_t lock, AcquireMode mode = AcquireMode::exclusive);
    Steps release(std::uint32_t lock);
    /// A section: acquire, `body`, release.
    Steps section(std::uint32_t lock, const Steps& body, AcquireMode mode = AcquireMode::exclusive);
    Steps hold(std::uint32_t lock, Time length) { return section(lock, steps().work(length, site_of(lock))); }
    Steps read(std::uint32_t lock, Time length);
    Steps write(std::uint32_t lock, Time length);
    Steps touch(std::vector<Touch> touches, std::string_view step = "touch");
    Steps touch(std::uint32_t line, Access access) { return touch({Touch{line, access, 1}}); }
    Steps atomic(std::uint32_t line) { return steps().sync(SyncCode::atomic, line); }
    Steps await(std::uint32_t handle, std::uint64_t signal = 0) {
        return steps().sync(SyncCode::await, handle, signal);
    }
    Steps signal(std::uint64_t signal = 0) { return steps().sync(SyncCode::signal, 0, signal); }
    Steps call_rcu(std::uint32_t callback) { return steps().sync(SyncCode::call_rcu, callback); }
    /// With an object from the pool `hit`, without one `miss`.
    Steps pool_get(std::uint32_t pool, const Steps& hit, const Steps& miss);
    Steps pool_put(std::uint32_t pool, const Steps& room, const Steps& full);

    /// The site of the lock's acquisitions; "take NAME".
    std::uint16_t site_of(std::uint32_t lock) const { return sites_[lock]; }

    ModelSpec spec;

  private:
    Steps if_skipped(SyncCode code, std::uint32_t pool, const Steps& yes, const Steps& no);

    std::vector<std::uint16_t> sites_;  // by lock
};

/// A task got a lock, or gave one back.
struct Taken {
    Task who;  ///< as returned by ProgramBuilder::task(); below cpu_count: the softirq context of that CPU
    std::uint32_t lock;
    Time since;  ///< first try; of a release: the grant
    Time at;
    bool operator==(const Taken&) const = default;
};

/// What a run on the kernel model shows.
struct KernelRun {
    std::vector<Mark> marks;
    std::vector<Taken> grants;
    std::vector<Taken> releases;
    Record record;
    std::vector<std::uint64_t> line_transfers;  ///< by global line of the spec
    std::vector<std::uint64_t> word_transfers;  ///< by lock; 0 for those that a test has given lines of their own

    Time at(std::string_view label) const;                  ///< when a mark was passed, the first time
    std::vector<Time> all(std::string_view label) const;    ///< every time
    Time granted(Task who, std::uint32_t lock = 0) const;   ///< the first grant of that lock to that task
    std::vector<Task> order(std::uint32_t lock = 0) const;  ///< who was granted that lock, in order
};

/// Runs it under round robin. `stream` is the run's own number.
KernelRun run_kernel(const KernelBuilder& b, std::uint64_t stream = 1);

}  // namespace forksim::test
