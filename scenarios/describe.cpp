// The one description of every block and document. Steps are described beside their code, in steps_*.cpp.
#include "scenarios/describe.hpp"

namespace forksim::language {
namespace {

constexpr double most_integer = 1e6;

constexpr Key source_key{"src", Type::choice, "where the numbers come from", false, {}, "counted|published|estimated"};

}  // namespace

const Table& lock_table() {
    static const Table table{
        "lock",
        "A lock, under the kernel's name for it.",
        {
            {"kind",
             Type::choice,
             "the algorithm",
             true,
             {},
             "spinlock|rwlock|rwsem|percpu_rwsem|ticket|test_and_set|seqcount|mutex|futex_pi"},
            {"per", Type::scope, "whose instance a task takes", false, "global"},
            {"irq", Type::choice, "taken with interrupts off or on", false, "on", "on|off"},
            {"line", Type::text, "line that the lock's word lies on: the name of a line, or `own`", false, "own"},
            {"claim",
             Type::fraction,
             "rwlock: how much of the queue head's last access delays it, hidden (0) to in full (1)",
             false,
             "1",
             {},
             0,
             1},
            {"under", Type::text, "seqcount: name of the lock that its writers hold; needed where it is written"},
            {"handoff_after", Type::time, "rwsem: a first waiter asks for the lock after so long, 1s at most", false,
             "4ms"},
            {"policy", Type::choice, "percpu_rwsem: what becomes of those that wait when a writer leaves", false,
             "handoff", "handoff"},
            {"always_slow", Type::boolean, "percpu_rwsem: readers always take the slow way (favordynmods)", false,
             "false"},
            source_key,
        }};
    return table;
}

const Table& line_table() {
    static const Table table{
        "line",
        "A cache line, or a few that travel together.",
        {
            {"per", Type::scope, "whose instance a task touches", false, "global"},
            {"lines",
             Type::integer,
             "how many transfers, one after the other, one access that misses costs",
             false,
             "1",
             {},
             1,
             64},
            {"far", Type::boolean, "always some other CPU's, such as a list neighbour", false, "false"},
            source_key,
        }};
    return table;
}

const Table& pool_table() {
    static const Table table{"pool",
                             "A cache of objects, such as the kernel stacks that each CPU keeps.",
                             {
                                 {"per", Type::scope, "whose pool a task uses", false, "cpu"},
                                 {"size", Type::integer, "the most objects it holds", true, {}, {}, 1, 65535},
                                 source_key,
                             }};
    return table;
}

const Table& function_table() {
    static const Table table{
        "function",
        "A function with more to say than its steps; a plain list of steps stands for `{do: [...]}`.",
        {
            {"do", Type::steps, "its steps"},
            {"forever", Type::steps, "its steps, repeated without end; instead of `do`"},
            source_key,
            {"user", Type::boolean, "runs in user mode", false, "true in a scenario, false in a kernel or patch"},
        }};
    return table;
}

const Table& config_table() {
    static const Table table{
        "config",
        "How the kernel is configured. A scenario's values replace the kernel's.",
        {
            {"hz",
             Type::integer,
             "ticks per second; the unit `j` is 1 / hz",
             false,
             "1000",
             {},
             10,
             10000,
             nullptr,
             false,
             false,
             false,
             true},
            {"preempt", Type::choice, "where kernel code may lose its CPU", false, "lazy", "none|voluntary|lazy|full"},
            {"context_switch", Type::time, "charged to the CPU at each switch between two tasks", false, "0ns"},
            {"wake_cost", Type::time, "charged to the waker for each task woken", false, "0ns"},
            {"slice", Type::time, "time slice of a task that shares its CPU", false, "3ms"},
            {"cv",
             Type::number,
             "coefficient of variation of every `work` that names no distribution",
             false,
             "0",
             {},
             0,
             8},
            {"overlap", Type::fraction, "weight of `peek` and `store` accesses, in transfers", false, "0.5", {}, 0, 1},
            {"section_work",
             Type::number,
             "factor on every `work` of kernel code in a section",
             false,
             "1",
             {},
             0,
             100},
            {"outside_work", Type::number, "factor on every other `work` of kernel code", false, "1", {}, 0, 100},
            {"transfers", Type::number, "factor on what moving a cache line costs", false, "1", {}, 0, 100},
            {"handoffs",
             Type::number,
             "further factor on moving the words of locks and the nodes of their queues",
             false,
             "1",
             {},
             0,
             100},
            {"psi", Type::boolean, "pressure stall accounting per cgroup", false, "false"},
            {"favordynmods", Type::boolean, "cgroups mounted with favordynmods", false, "false"},
            {"stack_guard", Type::choice, "where kernel stacks live", false, "vmap", "vmap|slab"},
            {"tie_break", Type::choice, "which CPU acts first when two do at once", false, "random", "random|id"},
            source_key,
        }};
    return table;
}

const Table& rcu_table() {
    static const Table table{
        "rcu",
        "Read-copy-update, as far as callbacks see it.",
        {
            {"gp", Type::duration, "length of a grace period", false, "15ms"},
            {"batch", Type::integer, "callbacks run in one go of the softirq", false, "128", {}, 1, most_integer},
            {"run_in", Type::choice, "who runs the callbacks", false, "softirq", "softirq"},
            {"expedited", Type::duration, "length of an expedited grace period", false, "300us"},
            {"expedited_interrupt", Type::time, "what one takes from each other CPU", false, "0ns"},
            {"report", Type::function,
             "run in softirq by each CPU with callbacks, once per grace period, before them: what is done under the "
             "locks of the tree's leaves (`per: {cpus: 16}`)"},
            source_key,
        }};
    return table;
}

const Table& spin_table() {
    static const Table table{
        "spin",
        "How CPUs wait for spinlocks, beyond what cache lines cost.",
        {
            {"turn", Type::time, "one turn of a polling loop (cpu_relax), 1us at most: jitter of test_and_set", false,
             "40ns"},
            {"halt_after", Type::time, "virt: pv, when a waiter halts its virtual CPU (SPIN_THRESHOLD)", false,
             "32768 turns"},
            {"kick", Type::time, "virt: pv, what waking a halted CPU costs the one that releases", false, "2us"},
            {"kick_wake", Type::time, "virt: pv, what the halted CPU needs to go on", false, "10us"},
            source_key,
        }};
    return table;
}

const Table& add_table() {
    static const Table table{"add",
                             "What a patch or version brings along, for its edits to use.",
                             {
                                 {"locks", Type::named, "new locks", false, {}, {}, 0, 0, lock_table},
                                 {"lines", Type::named, "new lines", false, {}, {}, 0, 0, line_table},
                                 {"objects", Type::named, "new objects", false, {}, {}, 0, 0, object_table},
                                 {"pools", Type::named, "new pools", false, {}, {}, 0, 0, pool_table},
                                 {"functions", Type::functions, "new functions"},
                             }};
    return table;
}

const Table& tasks_table() {
    static const Table table{
        "workload entry",
        "Tasks that exist when the run begins.",
        {
            {"tasks", Type::word, "their name", true},
            {"count",
             Type::tasks,
             "how many: a whole number, or `{per: cpu}`, one for each logical CPU",
             false,
             "1",
             {},
             1,
             most_integer},
            {"process", Type::choice, "a process for each task, or one for all", false, "each", "each|one"},
            {"affinity", Type::affinity,
             "any CPU, all siblings of one core, one CPU (`pu`), or `{cpus: [0-47, 96]}`; `core` and `pu` go round in "
             "the order sockets, cores, siblings",
             false, "any"},
            {"nice", Type::integer, "nice value", false, "0", {}, -20, 19, nullptr, false, false, false, true},
            {"do", Type::steps, "steps, run once"},
            {"forever", Type::steps, "steps, repeated without end; the latency of one turn is reported"},
            {"use", Type::text, "SCENARIO/TASKS: takes the steps of another scenario's entry"},
        }};
    return table;
}

const Table& measure_table() {
    static const Table table{
        "measure",
        "How long to simulate, and how often.",
        {
            {"warmup", Type::time, "simulated before the measurement begins", false, "20ms"},
            {"duration", Type::time, "simulated while measuring", false, "100ms"},
            {"precision",
             Type::fraction,
             "stop once the half-width of the 95 % interval is below this share",
             false,
             "1%",
             {},
             0,
             1,
             nullptr,
             false,
             false,
             false,
             true},
            {"replications", Type::integers, "fewest and most replications", false, "10..40", {}, 1, 100000},
        }};
    return table;
}

const Table& edit_table() {
    static const Table table{
        "edit",
        "One change. An edit that matches nothing is an error.",
        {
            {"move", Type::address, "takes a step away and puts it elsewhere (`to`); it keeps its name"},
            {"copy", Type::address,
             "puts a step elsewhere, too (`to`), or gives a function a double of another name (`name`) to be edited"},
            {"merge", Type::addresses, "joins sections of one lock into the first of them, bodies in order (`name`)"},
            {"wrap", Type::address, "puts a step into the body of a new one (`in`)"},
            {"replace", Type::address, "puts other steps (`with`) in place of a step"},
            {"insert", Type::steps, "adds steps (`before` or `after`)"},
            {"remove", Type::address, "drops a step and all that is in it"},
            {"unwrap", Type::address,
             "a step takes its lock no more; what it does inside, and the lines it touches, stay"},
            {"set", Type::settings,
             "gives keys of steps, locks, lines, objects, pools, config, rcu or spin a new value"},
            {"scale", Type::factors, "multiplies all times of a step and of all that is in it"},
            {"to", Type::destinations, "move, copy: where to; several make copies"},
            {"with", Type::steps, "move: becomes this instead; replace: the new steps"},
            {"name", Type::word, "merge: name of the joined section; copy: name of the double"},
            {"in", Type::steps, "wrap: the step that gets the body"},
            {"before", Type::address, "insert: before this step"},
            {"after", Type::address, "insert: after this step"},
            {"when", Type::condition, "the edit is made only if this holds of the scenario's configuration"},
        }};
    return table;
}

const Table& kernel_table() {
    static const Table table{
        "kernel",
        "A version of the kernel.",
        {
            {"kernel", Type::word, "its name", true},
            {"like", Type::text, "the version that it is made from"},
            {"patches", Type::words, "patches that it has over `like`, applied before `edits`"},
            {"worlds", Type::text, "the table of worlds for its uncertain numbers, and for those of versions like it"},
            {"unmodelled", Type::words,
             "locks and shared lines on its paths that it is known not to model, added to those of `like`"},
            {"edits", Type::listed, "what differs from `like`", false, {}, {}, 0, 0, edit_table},
            {"add", Type::mapping, "what the edits bring along", false, {}, {}, 0, 0, add_table},
            {"let", Type::let, "names for use in expressions"},
            {"config", Type::mapping, "configuration", false, {}, {}, 0, 0, config_table},
            {"rcu", Type::mapping, "grace periods and callbacks", false, {}, {}, 0, 0, rcu_table},
            {"spin", Type::mapping, "how spinlocks are waited for", false, {}, {}, 0, 0, spin_table},
            {"locks", Type::named, "the locks", false, {}, {}, 0, 0, lock_table},
            {"lines", Type::named, "the lines that steps touch", false, {}, {}, 0, 0, line_table},
            {"objects", Type::named, "the data structures that are replayed", false, {}, {}, 0, 0, object_table},
            {"pools", Type::named, "the caches of objects", false, {}, {}, 0, 0, pool_table},
            {"functions", Type::functions, "the functions, named as the kernel's"},
        }};
    return table;
}

const Table& patch_table() {
    static const Table table{
        "patch",
        "Edits to a kernel.",
        {
            {"patch", Type::word, "its name", true},
            {"commit", Type::text, "the commit that it stands for"},
            {"origin", Type::text, "where it was posted"},
            {"applies_to", Type::bases,
             "the kernels that it can be put on, if not any; after '+' patches that must be there"},
            {"let", Type::let, "names for use in expressions"},
            source_key,
            {"add", Type::mapping, "what the edits bring along", false, {}, {}, 0, 0, add_table},
            {"edits", Type::listed, "the edits, in order", true, {}, {}, 0, 0, edit_table},
        }};
    return table;
}

const Table& worlds_table() {
    static const Table table{
        "worlds",
        "Sets of values that a kernel's uncertain numbers may have together: a row each.",
        {
            {"worlds", Type::word, "its name", true},
            {"set", Type::words,
             "ADDRESS.KEY of the first columns, as for `set` in edits, or platform.MACHINE.KEY, which holds on that "
             "machine only"},
            {"scale", Type::addresses, "ADDRESS of the columns that follow, as for `scale` in edits"},
            {"rows", Type::rows, "the values, a list for each world; `run` takes the first", true},
        }};
    return table;
}

const Table& scenario_table() {
    static const Table table{
        "scenario",
        "A workload on a kernel and a machine, and what to measure.",
        {
            {"scenario", Type::word, "its name", true},
            {"kernel", Type::text, "name or path of the kernel; `bare` has nothing in it", false, "bare"},
            {"patches", Type::words, "patches that belong to the scenario: its base"},
            {"platform", Type::platform, "the machine, or one for each range of CPUs", true},
            {"let", Type::let, "names for use in expressions"},
            {"config", Type::mapping, "overrides the kernel's", false, {}, {}, 0, 0, config_table},
            {"rcu", Type::mapping, "overrides the kernel's", false, {}, {}, 0, 0, rcu_table},
            {"spin", Type::mapping, "overrides the kernel's", false, {}, {}, 0, 0, spin_table},
            {"locks", Type::named, "more locks", false, {}, {}, 0, 0, lock_table},
            {"lines", Type::named, "more lines", false, {}, {}, 0, 0, line_table},
            {"objects", Type::named, "more objects", false, {}, {}, 0, 0, object_table},
            {"pools", Type::named, "more pools", false, {}, {}, 0, 0, pool_table},
            {"functions", Type::functions, "more functions, in user mode unless they say otherwise"},
            {"workload", Type::listed, "the tasks", true, {}, {}, 0, 0, tasks_table},
            {"measure", Type::mapping, "windows and replications", false, {}, {}, 0, 0, measure_table},
        }};
    return table;
}

const Table& platform_table() {
    static const Table table{
        "platform",
        "A machine of any size, built like a known one.",
        {
            {"platform", Type::word, "its name, when it is a document"},
            {"sockets", Type::integer, "sockets", false, "1", {}, 1, 16},
            {"cores", Type::integer, "cores of a socket; needed unless `uniform`", false, {}, {}, 1, 4096},
            {"smt", Type::integer, "threads of a core", false, "1", {}, 1, 2},
            {"llcs", Type::integer, "last-level caches of a socket", false, "as many as `like` has", {}, 1, 4096},
            {"like", Type::text, "the machine whose distances it has; needed unless `uniform`"},
            {"numbering", Type::choice, "which number the second thread of a core gets", false, "cores_then_siblings",
             "cores_then_siblings|siblings_adjacent"},
            {"virt", Type::choice, "how a guest waits for spinlocks", false, "none", "none|tas|pv"},
            {"uniform",
             Type::integer,
             "instead of all else: so many cores, each as far from each other",
             false,
             {},
             {},
             1,
             1024},
            {"distance", Type::time, "uniform: what moving a line costs; 0ns is allowed", false, "50ns"},
        }};
    return table;
}

const Table& step_table() {
    static const Table table{
        "every step",
        "Keys that every step may have beside its kind.",
        {
            {"name", Type::word, "names the step, once per function; sites and random draws bear this name"},
            {"when", Type::condition, "the step is there only if this holds"},
        }};
    return table;
}

}  // namespace forksim::language
