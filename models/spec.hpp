#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "sim/distribution.hpp"
#include "sim/time.hpp"

namespace forksim {

/// What kinds of lock exist. One class per kind in models/; `describe()` in models/describe.hpp says what each takes.
/// scenarios/ numbers them by position: a new one goes to the end.
enum class LockKind : std::uint8_t {
    spinlock,      ///< queue spinlock, or what a guest has in its place (Topology::virt)
    rwlock,        ///< queue rwlock
    rwsem,         ///< rw_semaphore
    percpu_rwsem,  ///< percpu_rw_semaphore
    ticket,        ///< the ticket spinlock that kernels had up to 4.1
    test_and_set,  ///< the simplest and least fair spinlock
    seqcount,      ///< seqcount_spinlock_t
    mutex,
    futex_pi,  ///< a pthread mutex with PTHREAD_PRIO_INHERIT
};

/// Whose instance of a lock or line a task uses.
enum class Scope : std::uint8_t {
    global,   ///< one for the machine
    process,  ///< one per process (siglock, mmap_lock)
    cpu,      ///< one per logical CPU
    node,     ///< one per NUMA node (zone->lock)
    cpus,     ///< one per `every` CPUs (rcu_node leaves: 16)
    task,     ///< one per task; lives until nobody names the task any more
};

/// percpu_rwsem: what happens to those that wait when `block` is cleared.
enum class PercpuPolicy : std::uint8_t {
    handoff,  ///< it is taken for them, in the order of the queue (mainline)
};

struct ScopeSpec {
    Scope scope = Scope::global;
    std::uint32_t every = 1;  ///< Scope::cpus only: CPUs per instance, >= 1
    bool operator==(const ScopeSpec&) const = default;
};

inline constexpr std::uint32_t own_line = ~std::uint32_t{0};
inline constexpr std::uint32_t no_lock = ~std::uint32_t{0};

/// A lock as a kernel file declares it.
struct LockSpec {
    std::string name;
    LockKind kind = LockKind::spinlock;
    ScopeSpec per;
    bool irq_off = false;  ///< taken with interrupts off (spin_lock_irq)
    /// Line that the lock's word shares with data (index into lines), or its own. Of a line with the lock's scope each
    /// instance has its own, of any other the first is shared by all.
    std::uint32_t line = own_line;
    /// rwlock: how much of the queue head's last access delays it, in 1/1024 (0 hidden .. 1024 in full);
    /// unknown and worth measuring (model-notes 3), so a named parameter: `claim`.
    std::uint32_t claim = 1024;
    Time handoff_after = Time::from_ms(4);        ///< rwsem: RWSEM_WAIT_TIMEOUT; at least one tick in the kernel
    PercpuPolicy policy = PercpuPolicy::handoff;  ///< percpu_rwsem
    bool always_slow = false;       ///< percpu_rwsem: as after an rcu_sync_enter() for ever (favordynmods)
    std::uint32_t guard = no_lock;  ///< seqcount: the lock that its writers hold (index into locks), or unchecked
};

/// A cache line, or a few that travel together, that steps touch.
struct LineSpec {
    std::string name;
    ScopeSpec per;
    std::uint32_t lines = 1;  ///< how many serial transfers one access costs when it misses, 1..64
    bool far = false;         ///< always some other CPU's (a list neighbour): a drawn owner each time
};

/// How a step uses a line.
enum class Access : std::uint8_t {
    read,   ///< a load that the next step needs: a full transfer
    write,  ///< a read-modify-write that the next step needs: a full transfer
    peek,   ///< an independent load: overlaps, half a transfer
    store,  ///< a store, or a write nobody waits for: overlaps, half a transfer
};

/// A data structure of the kernel, replayed with an owner and sharers per line (models/objects/).
enum class ObjectKind : std::uint8_t {
    rbtree,  ///< RbTree: pidfs' tree of inode numbers
    idr,     ///< Idr: the pids of a namespace
    list,    ///< List: css_set->tasks, signal->thread_head, init_task.tasks
};

/// What a step does to an object, and to which kind.
enum class ObjectOp : std::uint8_t {
    insert,    ///< rbtree: rightmost
    erase,     ///< rbtree
    alloc,     ///< idr: the next number
    replace,   ///< idr: publishes what the number stands for
    remove,    ///< idr
    add_tail,  ///< list
    del,       ///< list
};

/// Whose element of an object a step means. Each task has at most one in each object.
enum class Whose : std::uint8_t {
    self,    ///< the task that executes the step
    embryo,  ///< the child that it has created and not yet started
    handle,  ///< the child that a handle variable names, which may have ended
    parent,  ///< the process that created the task's own: of what is per process only
};

/// A handle variable with this bit is the current element of a set of children, whose number the other bits are.
inline constexpr std::uint32_t of_set = std::uint32_t{1} << 31;
/// And this one is the task itself.
inline constexpr std::uint32_t myself = ~std::uint32_t{0};

struct ObjectSpec {
    std::string name;
    ObjectKind kind = ObjectKind::list;
    ScopeSpec per;                  ///< whose instance an element joins; it leaves the one that it is in
    std::uint32_t resident = 0;     ///< elements of each instance that stay for ever, 0..1'000'000
    std::uint32_t line = own_line;  ///< rbtree, list: line of the same scope that holds the root or head, or its own
    Access head = Access::write;    ///< list: how add_tail takes the head's line, write or store
    std::uint32_t ids = 0;          ///< idr: numbers are below it, > resident + 1; 0: pid_max, 1024 per CPU or 32768
};

/// One entry of what a step touches: a line, or an operation on an object.
struct Touch {
    std::uint32_t line = 0;          ///< index into ModelSpec::lines, or into ModelSpec::objects
    Access access = Access::read;    ///< of a line
    std::uint8_t count = 1;          ///< of a line: how often, 1..255 (far lines: that many different neighbours)
    bool object = false;             ///< an operation on an object
    ObjectOp op = ObjectOp::insert;  ///< object: what is done; must belong to its kind
    Whose whose = Whose::self;       ///< object: whose element; line: whose instance, if that depends on the task
    std::uint32_t handle = 0;        ///< Whose::handle: the variable
    bool operator==(const Touch&) const = default;
};

/// A cache of objects kept per CPU (vm_stack_cache: two stacks).
struct PoolSpec {
    std::string name;
    ScopeSpec per;
    std::uint32_t size = 1;
};

/// Read-copy-update as far as callbacks see it (kernel/rcu/tree.c).
struct RcuSpec {
    Sampler grace_period;       ///< length of one grace period
    std::uint32_t batch = 128;  ///< callbacks run in one softirq burst
    Sampler expedited;          ///< length of an expedited grace period
    Time expedited_interrupt;   ///< what an expedited grace period takes from each other CPU (IPI)
    /// Entry of a program that each CPU with callbacks runs in softirq once per grace period, before them: reports and
    /// bookkeeping under the locks of the tree's leaves (rcu_core()). no_op: none.
    std::uint32_t report = ~std::uint32_t{0};
};

/// How CPUs wait for a spinlock, beyond what their cache lines cost.
struct SpinSpec {
    /// One turn of a polling loop (cpu_relax): a poller of a test-and-set lock sees a change up to so much later.
    Time turn = Time::from_ns(40);
    /// virt: pv. A waiter halts its virtual CPU after SPIN_THRESHOLD = 1 << 15 turns (asm/spinlock.h,
    /// qspinlock_paravirt.h).
    Time halt_after = (1 << 15) * Time::from_ns(40);
    Time kick = Time::from_us(2);        ///< virt: pv. What it costs the releasing CPU to wake a halted one
    Time kick_wake = Time::from_us(10);  ///< virt: pv. What it takes the halted CPU to go on
};

/// Codes of `Op::sub` for Code::sync, and what the operands mean.
enum class SyncCode : std::uint8_t {
    acquire,    ///< a = lock, b = AcquireMode
    release,    ///< a = lock
    touch,      ///< a = index into touch_lists; b = draw key
    atomic,     ///< one locked read-modify-write: a = line; b = draw key
    await,      ///< a = handle variable, b = signal bit: proceed once the task named there has signalled; else block.
                ///< Of itself (`myself`): once somebody has given it the signal
    signalled,  ///< a = handle variable, b = signal bit: skip the next op if it has
    signal,     ///< b = signal bit: tell whoever awaits this task
    call_rcu,   ///< a = entry of the callback's program
    pool_get,   ///< a = pool: skip the next op (a jump to the miss branch) on a hit
    pool_put,   ///< a = pool: skip the next op (a jump to the full branch) if there was room
    rcu_read_lock,
    rcu_read_unlock,
    synchronize_rcu,            ///< sleeps until a grace period that begins from now on is over
    synchronize_rcu_expedited,  ///< the same, in a hurry
    seq_begin,  ///< a = seqcount: remembers its number, having spun while that is odd (raw_read_seqcount_begin)
    seq_retry,  ///< a = seqcount: skip the next op (a jump back) if the number is still the same (read_seqcount_retry)
    seq_write_begin,  ///< a = seqcount: makes the number odd; the caller has the lock that writers need
    seq_write_end,    ///< a = seqcount: makes the number even
    acquire_of,       ///< acquire of somebody else's instance; b = AcquireMode, and in_instance_of()
    signal_of,        ///< a = handle variable, b = signal bit: tell the child, and whoever awaits it
    next_child,       ///< a = set, b = 1: take the one before out of it; skip the next op if there is one more
};

/// Op::b of acquire_of: whose instance is taken.
constexpr std::uint64_t in_instance_of(Whose whose, std::uint32_t handle) {
    return std::uint64_t{handle} << 32 | static_cast<std::uint64_t>(whose) << 8;
}

enum class AcquireMode : std::uint8_t { exclusive, read, write };

/// Everything a kernel is made of, ready to run. Immutable while it runs.
struct ModelSpec {
    std::vector<LockSpec> locks;
    std::vector<LineSpec> lines;
    std::vector<ObjectSpec> objects;
    std::vector<std::vector<Touch>> touch_lists;
    std::vector<PoolSpec> pools;
    std::vector<std::string> signals;  ///< names of signal bits, at most 32
    std::uint32_t handles = 0;         ///< handle variables per task
    std::uint32_t sets = 0;            ///< sets of children per task
    RcuSpec rcu;
    SpinSpec spin;
    std::uint32_t process_count = 1;  ///< processes of the root tasks; init has the next number
    std::uint32_t handoff = 1024;     ///< moving locks' words and queue nodes, in 1/1024 of what moving data takes
    std::uint32_t overlap = 512;      ///< weight of Access::peek and store, in 1/1024 of a transfer
};

}  // namespace forksim
