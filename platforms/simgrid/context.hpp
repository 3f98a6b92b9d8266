#pragma once
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "models/line.hpp"
#include "models/spec.hpp"
#include "platforms/simgrid/actors.hpp"
#include "sim/program.hpp"

namespace forksim::reference {

struct World;
class Context;

/// Some tasks with everything that is per process. It ends with the last reference: its tasks', and those of
/// whoever knows one of them.
struct Process {
    Process(World& w, std::uint32_t number_of_it, std::shared_ptr<Process> creator);
    ~Process();
    Process(const Process&) = delete;
    Process& operator=(const Process&) = delete;

    World& world;
    const std::uint32_t number;
    const std::weak_ptr<Process> parent;
    std::uint32_t tasks = 0;  ///< that have not ended
};

/// What a parent knows of a child: who it is, the signals it has given.
struct Handle {
    Handle(World& w, std::shared_ptr<Process> of);
    ~Handle();
    Handle(const Handle&) = delete;
    Handle& operator=(const Handle&) = delete;

    World& world;
    const std::shared_ptr<Process> process;
    const std::uint32_t identity;  ///< under which objects know the child; used again when nobody has the handle
    std::uint32_t given = 0;
    struct Waiter {
        Context* task = nullptr;
        std::uint8_t signal = 0;
    };
    Waiter parent;
    Waiter itself;
};

/// Children without names of their own, in the order in which they were created.
struct ChildSet {
    std::deque<std::shared_ptr<Handle>> members;
    std::uint64_t first = 0;  ///< number of the first member
    std::shared_ptr<Handle> current;
    std::uint64_t current_number = 0;

    /// The next child becomes the current one, or the oldest, which is taken out. Returns whether there was one.
    bool turn(bool take);
};

/// Whoever spins until memory reads otherwise: on a line, until a condition on the values there holds.
struct Spinner {
    Context* context;
    LineId line;
    std::function<bool()> until;
};
using Spinners = std::vector<Spinner>;

/// struct mcs_spinlock: one per waiter, since nobody waits for two locks at once.
struct McsNode {
    Context* context = nullptr;
    McsNode* next = nullptr;
    bool locked = false;  ///< its waiter is the head of the queue
    Time linked;          ///< when the predecessor can see `next`
    Spinners spinners;
};

/// Something that executes a program: a task, or the softirq context of a CPU. One actor each.
class Context {
  public:
    /// `number`: softirq contexts have that of their CPU, tasks follow.
    Context(World& world, std::uint32_t number, Cpu cpu);

    bool is_softirq() const;
    std::string name() const;

    /// The life of a task, from its first wait for a CPU to its end.
    void live();
    /// Executes from `pc` to the end of the program (or of the task).
    void execute();

    /// The CPU is busy with this until `ends`: with moving lines until `work_from`, which goes on whatever happens,
    /// then with work, which an interrupt pushes back. Then callbacks that could not run so far do.
    void pass(Time work_from, Time ends);
    /// Until a line has moved. Others that are due may act even if that takes no time.
    void pass_lines(Time done) { pass(done, done); }
    /// The same with the last access to a lock's word, behind which nothing is left to do for it.
    void pass_last(Time done);
    /// Spins on `line`, which it has looked at `since`, until the condition holds, and the CPU has seen the write that
    /// made it so.
    void poll(Spinners& spinners, LineId line, Time since, std::function<bool()> until);
    /// The same on a line that its pollers fetch again without a pause. REQUIRES that the condition does not hold.
    void poll_at_once(Spinners& spinners, LineId line, std::function<bool()> until);
    /// To be called by whoever changed what the spinners look at, behind the write: ends the spins that are over.
    static void changed(World& world, Spinners& spinners);
    /// Spins until somebody who has changed what it polls, and stopped the polling, tells when it sees that.
    void spin_until_told() { spin_until_told(Time::never(), 0); }
    /// The same, or until `deadline`, at which the timer of that number goes off. Returns whether it was told; if not,
    /// its CPU may be about something else still (see pass_lines()).
    bool spin_until_told(Time deadline, std::uint64_t timer);
    void tell(Time sees);
    /// As whom it polls.
    Poller poller() const;
    /// Waits for dispatch by the scheduler, and until it has arrived on the CPU.
    void arrive();
    /// Gives callbacks the CPU that are due, if it may.
    void let_softirqs_run();
    /// Sleeps until somebody wakes it through the scheduler.
    void block();

    std::uint32_t process_number() const { return process == nullptr ? callback_process : process->number; }
    /// The number of the instance that belongs to it, or to somebody else it knows, of what is per process or task.
    std::uint32_t instance_of(const ScopeSpec& per, Whose whose, std::uint32_t handle) const;

    World& world;
    const std::uint32_t number;
    Cpu cpu;
    Sleeper sleeper;

    // Who it is.
    std::uint64_t stream = 0;
    std::uint64_t iteration = 0;
    std::shared_ptr<Process> process;    ///< none for softirq contexts
    std::uint32_t callback_process = 0;  ///< theirs: of the task that queued what runs
    std::uint16_t group = 0;
    std::uint32_t mask = 0;
    std::uint32_t irq_off = 0;      ///< > 0: callbacks wait
    std::uint32_t rcu_readers = 0;  ///< read sections that it is in
    std::uint32_t pc = 0;
    bool dying = false;
    bool runs = false;  ///< has its CPU, callbacks on top of it or not: what optimistic spinners look at

    // What the scheduler and others tell it.
    bool dispatched = false;  ///< it has the CPU from `arrives` on
    Time arrives;
    Turn arrives_in_turn;
    Time seen;  ///< while it polls: when it sees what it waits for, or never

    // Locks and children.
    McsNode node;
    struct Held {
        std::uint32_t lock;
        std::uint32_t instance;
        std::uint32_t site;
        AcquireMode mode;
        Time since;
        std::uint32_t sequence;  // seqcount, read: what it was
    };
    std::vector<Held> held;
    const Op* waits_at = nullptr;  ///< the acquire op it is in
    std::uint32_t waits_for = 0;   ///< and the instance
    std::shared_ptr<Handle> own;
    std::vector<std::shared_ptr<Handle>> children;  ///< by handle variable
    std::vector<ChildSet> sets;
    std::shared_ptr<Context> embryo;  ///< created and not yet started

  private:
    struct Loop {
        std::uint64_t iteration;
        std::uint64_t turns;
        std::uint64_t done;
    };
    /// CPU time that ops have asked for and that has not passed.
    struct Stretch {
        Time work_from;
        Time ends;
        bool user = false;
        std::uint16_t site = 0;  // of the work
    };

    bool paused() const;
    void spin(Spinners& spinners, LineId line, std::function<bool()> until);
    Turn turn() const;
    Time drawn(const Op& op) const;
    void work(const Op& op);
    void busy(Time length);
    void finish_stretch();
    void sync(const Op& op);
    void touch(const Op& op);
    void atomic(const Op& op);
    void await(const Op& op);
    void signal(const Op& op);
    void create(const Op& op);
    void start();
    void sleep(const Op& op);
    void branch(const Op& op);
    void begin_loop(const Op& op);
    void next_turn(const Op& op);
    /// Returns whether at-switch work follows.
    bool die(const Op& op);
    void end();
    std::uint32_t& pool(const Op& op);
    std::uint32_t identity(const Touch& touch) const;
    /// The child that a variable, or the current one of a set, names; or itself.
    std::shared_ptr<Handle> named(std::uint32_t variable) const;

    std::vector<Loop> loops_;
    Stretch stretch_;
};

}  // namespace forksim::reference
