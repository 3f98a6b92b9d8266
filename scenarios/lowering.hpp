#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "models/spec.hpp"
#include "scenarios/resolve.hpp"
#include "scenarios/steps.hpp"
#include "sim/program.hpp"

namespace forksim::language {

/// In which context the ops of a program run.
enum class Context : std::uint8_t {
    task,       ///< a task of the workload
    child,      ///< a task that was spawned
    at_switch,  ///< whatever comes next on the CPU of a task that ended (exit: next_runs)
    softirq,    ///< an RCU callback
};

/// That a function runs in a context, called by another; for listings.
struct Visit {
    Context context = Context::task;
    std::string function;
    std::string caller;  ///< empty at the top
    auto operator<=>(const Visit&) const = default;
};

/// Turns resolved steps into programs, checking each step where it is reached: names, locks held, contexts.
///
/// Functions are inlined where they are called. What is never reached leaves no trace. Numbers of locks, lines and the
/// like follow the order in which the walk meets them, never that of names or keys.
class Lowering {
  public:
    Lowering(const Resolved& resolved, Diagnostics& faults);

    /// Compiles the program of a task of the workload; returns an entry for entry_op.
    std::uint32_t add_tasks(const Function& function);
    /// Compiles everything that was referred to and puts op numbers in place of entries. To be called once, last.
    void finish();
    /// First op of an entry, valid after finish().
    std::uint32_t entry_op(std::uint32_t entry) const { return entries_[entry].op; }
    std::uint16_t group_of(std::uint32_t entry) const { return entries_[entry].group; }

    Program program;
    ModelSpec model;
    std::vector<Visit> visits;  ///< in the order met
    /// Spawns whose children do not inherit the affinity.
    const std::map<std::uint32_t, std::pair<Affinity, Mark>>& spawn_masks() const { return spawn_masks_; }

    // What step kinds use.

    void fault(const Mark& mark, std::string message, std::string hint = {});
    void steps(const std::vector<Step>& steps);
    void block(const Step& step, std::string_view key);

    std::uint32_t here() const { return static_cast<std::uint32_t>(program.ops.size()); }
    /// Appends an op charged to the innermost section, or to site 0.
    std::uint32_t emit(Code code, std::uint32_t a = 0, std::uint64_t b = 0, std::uint8_t sub = 0);
    std::uint32_t emit_sync(SyncCode code, std::uint32_t a = 0, std::uint64_t b = 0);
    /// Appends an op whose `a` will be the first op of `entry`.
    void emit_entry(Code code, std::uint32_t entry, std::uint8_t sub = 0);
    void set_target(std::uint32_t op) { program.ops[op].a = here(); }

    // Numbers of names; a fault and 0 if the name is unknown.
    std::uint32_t line(const std::string& name, const Mark& mark);
    std::uint32_t pool(const std::string& name, const Mark& mark);
    std::uint32_t signal(const std::string& name, const Mark& mark);
    std::uint32_t handle(const std::string& name);
    std::uint32_t counter(const std::string& name);
    std::uint32_t path(const std::string& name);
    /// `is_work`: it varies as `config.cv` says, and kernel code takes the factors of `config`.
    std::uint32_t sampler(const Attribute& duration, bool is_work);
    /// The program of `function` in another context; compiled once, later.
    std::uint32_t entry(Context context, const std::string& function, const Mark& mark);

    /// Random draws of a step are keyed by the name it was defined under.
    static std::uint64_t key(const Step& step);

    /// While it lives, ops are charged to a site of `step`'s own, unless a section is open.
    class OwnSite {
      public:
        OwnSite(Lowering& lowering, const Step& step);
        ~OwnSite();
        OwnSite(const OwnSite&) = delete;
        OwnSite& operator=(const OwnSite&) = delete;

      private:
        Lowering& lowering_;
        std::uint16_t outer_;
    };

    /// Takes a lock: checks that it can be taken here, opens a site of its own and emits the acquire op.
    /// Ops that follow are not charged to that site; see section().
    void acquire(const Step& step, const std::string& lock, const std::string& mode, const Mark& mark);
    void release(const Step& step, const std::string& lock, const std::string& mode, const Mark& mark);
    /// acquire, `body`, release; the body is charged to the section. The lock is the value of the kind's own key.
    void section(const Step& step);
    /// A read section of a seqcount: seq_begin, `body`, seq_retry, and back through `on_retry`.
    void seqread(const Step& step);
    /// rcu_read_lock, the block, rcu_read_unlock.
    void rcu_read(const Step& step);
    /// A fault if the task may not sleep here.
    void may_sleep(const Step& step);
    /// A fault unless a task runs here (not a softirq or at-switch function).
    void needs_task(const Step& step);
    const Declared* declared_lock(const std::string& name, const Mark& mark);

    // Control flow: what is held must not depend on the way taken.
    struct Held {
        std::uint32_t lock = 0;
        std::string name;  ///< as it was written: `siglock@parent` is another instance than `siglock`
        std::string mode;
        std::uint16_t site = 0;
        bool spins = false;
        Mark mark;
        bool unwrapped = false;  ///< it is not taken any more, see Edit::Verb::unwrap
    };
    struct State {
        std::vector<Held> held;
        bool ended = false;    ///< no way leads here
        bool started = false;  ///< the child created last is running
        std::set<std::string> handles;
    };
    const State& state() const { return state_; }
    void set_state(State state) { state_ = std::move(state); }
    /// Joins two ways: a fault at `mark` if they hold different locks.
    State join(const State& a, const State& b, const Mark& mark, std::string_view what);
    void loop_begins() { ++loops_; }
    void loop_ends(const State& before, const Mark& mark);
    void end_way() { state_.ended = true; }

    /// `victim` names whom the function means by `victim`; null: whom the caller does.
    void call(const std::string& function, const Mark& mark, const Attribute* victim = nullptr);
    /// A loop over the children in a set.
    void for_each_child(const Step& step, const Attribute& set, bool take);
    void signal_child(const Attribute& child, std::uint32_t signal);
    void spawn(const Step& step);
    void start_child(const Step& step);
    void await(const Step& step);
    void exit(const Step& step);
    void forever(const Step& step, std::string_view block);
    void touch(const Step& step);
    bool in_user_mode() const { return !calls_.empty() && calls_.back()->user; }

  private:
    struct Entry {
        Context context = Context::task;
        const Function* function = nullptr;
        std::uint32_t op = no_op;
        std::uint16_t group = 0;
    };

    /// Somebody whom steps can name.
    struct Someone {
        Whose whose = Whose::self;
        std::uint32_t handle = 0;  ///< Whose::handle
    };
    Someone someone(const std::string& name, const Mark& mark);
    /// The variable of a child, or `myself`.
    std::uint32_t variable(const std::string& name, const Mark& mark);
    void check_new_name(const std::string& name, const Mark& mark);
    Someone owner_of(const std::string& name, const std::string& what, const ScopeSpec& per, const Mark& mark);

    void compile(std::uint32_t entry);
    void compile_entries();
    std::optional<std::uint32_t> report_entry();
    void enter(const Function& function);
    void leave();
    bool applies(const Condition& condition) const;
    std::uint16_t site(const Step& step, std::int32_t resource, const std::string& mode);
    std::uint32_t lock_number(const Declared& lock);
    std::uint32_t line_number(const Declared& line);
    std::uint32_t object_number(const Declared& object);
    Touch operation(const Step& step, const TouchItem& item);
    bool check_element(const TouchItem& item);
    void check_object_uses();
    std::uint32_t number_of(std::map<std::string, std::uint32_t>& numbers, const std::string& name);
    std::uint16_t group(Context context, const std::string& name);
    void put_on_line(std::uint32_t lock, const std::string& line, const Mark& mark);
    void put_under(std::uint32_t lock, const Attribute& guard);
    void check_guarded(const Step& step, std::uint32_t seqcount);
    void check_not_guarding(const Step& step, const Held& released);
    void note_interrupts();
    void check_interrupts();
    void add_rcu();
    void add_spin();
    Time time_of(const Fields& fields, std::string_view key, Time fallback, Time most);
    bool emits(SyncCode code) const;
    void check_free_at_end(const Mark& mark, std::string_view what);
    Time jiffy() const;
    double work_factor() const;

    const Resolved& resolved_;
    Diagnostics& faults_;
    std::vector<Entry> entries_;
    std::uint32_t compiled_ = 0;             ///< entries that are
    std::vector<std::uint32_t> entry_refs_;  ///< ops whose `a` is an entry
    std::map<std::string, std::uint32_t> locks_, lines_, objects_, pools_, signals_, counters_, paths_, handles_;
    std::map<std::pair<std::string, std::string>, std::uint16_t> sites_;  ///< by name and caller
    std::map<std::pair<std::int64_t, std::int32_t>, std::uint32_t> samplers_;
    std::set<Visit> visited_;
    /// Whether anything is added to an object, and the first step that needs an element there.
    struct ObjectUse {
        bool added = false;
        Mark needs;
    };
    std::vector<ObjectUse> object_uses_;  ///< by number of the object
    /// The first places where a lock is taken by a softirq, and where it is held by others with interrupts on.
    struct LockUses {
        std::optional<Held> softirq_reads, softirq_writes, task_reads, task_writes;
    };
    std::map<std::uint32_t, LockUses> lock_uses_;  ///< by number of the lock
    std::set<std::string> known_signals_;
    std::set<std::string> known_sets_;
    std::map<std::uint32_t, std::pair<Affinity, Mark>> spawn_masks_;  ///< by number of the spawn

    // Of the program being compiled.
    std::uint32_t entry_ = 0;
    std::vector<const Function*> calls_;  ///< innermost last
    Someone victim_;
    std::map<std::string, std::uint32_t> sets_;
    std::vector<std::string> open_sets_;  ///< whose children the loops around go through
    State state_;
    std::uint16_t open_site_ = 0;
    int sections_ = 0;
    int loops_ = 0;
    int rcu_readers_ = 0;  ///< read sections around the step
    bool spawning_ = false;
    std::size_t walked_ = 0;  ///< steps, of all programs
    bool too_large_ = false;
};

}  // namespace forksim::language
