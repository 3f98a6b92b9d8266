// Forms of values, kinds of locks, and what messages say of a value.
#include <algorithm>
#include <array>

#include "scenarios/describe.hpp"
#include "scenarios/values.hpp"

namespace forksim::language {
namespace {

constexpr Key source_key{"src", Type::choice, "where the numbers come from", false, {}, "counted|published|estimated"};

const Table& shape_mean_cv() {
    static const Table table{"mean and cv",
                             "a distribution given by its mean and its coefficient of variation",
                             {
                                 {"mean", Type::time, "the mean", true},
                                 {"cv", Type::number, "standard deviation / mean", true, {}, {}, 0, 8},
                             }};
    return table;
}
const Table& shape_mean() {
    static const Table table{"mean", "a distribution given by its mean", {{"mean", Type::time, "the mean", true}}};
    return table;
}
const Table& shape_uniform() {
    static const Table table{"from and to",
                             "every time between two",
                             {
                                 {"to", Type::time, "the largest", true},
                                 {"from", Type::time, "the smallest", false, "0ns"},
                             }};
    return table;
}
const Table& shape_bimodal() {
    static const Table table{"bimodal",
                             "one of two times",
                             {
                                 {"a", Type::time, "the usual time", true},
                                 {"b", Type::time, "the other time", true},
                                 {"p_b", Type::fraction, "probability of `b`", true, {}, {}, 0, 1},
                             }};
    return table;
}

}  // namespace

const Table& duration_table() {
    static const Table table{
        "time",
        "A time with its source, or a distribution of times. A plain `60ns` stands for `{t: 60ns}`.",
        {
            {"t", Type::time, "a constant time"},
            {"uniform", Type::mapping, "every time between two", false, {}, {}, 0, 0, shape_uniform},
            {"exponential", Type::mapping, "exponential", false, {}, {}, 0, 0, shape_mean, true},
            {"lognormal", Type::mapping, "log-normal", false, {}, {}, 0, 0, shape_mean_cv},
            {"gamma", Type::mapping, "gamma", false, {}, {}, 0, 0, shape_mean_cv},
            {"bimodal", Type::mapping, "one of two times", false, {}, {}, 0, 0, shape_bimodal},
            {"empirical", Type::durations, "list of times, all equally likely"},
            source_key,
            {"range", Type::text, "the limits believed for the time or mean, `40..90ns`"},
        }};
    return table;
}

const Table& number_table() {
    static const Table table{"number",
                             "A number with its source. A plain `3` stands for `{value: 3}`.",
                             {
                                 {"value", Type::number, "the number", true},
                                 source_key,
                                 {"range", Type::text, "the limits believed, `2..5`"},
                             }};
    return table;
}

std::span<const LockKindTable> lock_kinds() {
    static constexpr std::array<LockKindTable, 9> kinds = {{
        {"spinlock", LockKind::spinlock, "exclusive", false, "irq",
         "queue spinlock (kernel/locking/qspinlock.c), or what a guest has in its place"},
        {"rwlock", LockKind::rwlock, "read|write", false, "irq|claim", "queue rwlock (kernel/locking/qrwlock.c)"},
        {"rwsem", LockKind::rwsem, "read|write", true, "handoff_after",
         "read-write semaphore (kernel/locking/rwsem.c)"},
        {"percpu_rwsem", LockKind::percpu_rwsem, "read|write", true, "policy|always_slow",
         "per-CPU read-write semaphore (kernel/locking/percpu-rwsem.c)"},
        {"ticket", LockKind::ticket, "exclusive", false, "irq", "the ticket spinlock that kernels had up to 4.1"},
        {"test_and_set", LockKind::test_and_set, "exclusive", false, "irq", "the simplest and least fair spinlock"},
        {"seqcount", LockKind::seqcount, "write", false, "irq|under",
         "sequence count (include/linux/seqlock.h); `seqread` reads under it"},
        {"mutex", LockKind::mutex, "exclusive", true, "", "mutex (kernel/locking/mutex.c)"},
        {"futex_pi", LockKind::futex_pi, "exclusive", true, "",
         "pthread mutex with priority inheritance (kernel/futex/pi.c)"},
    }};
    return kinds;
}

bool lock_takes(const LockKindTable& kind, std::string_view key) {
    for (const std::string_view common : {"kind", "per", "line", "src"}) {
        if (key == common) return true;
    }
    const std::vector<std::string> own = split(kind.keys, '|');
    return std::find(own.begin(), own.end(), key) != own.end();
}

std::vector<const Table*> all_tables() {
    return {&scenario_table(), &tasks_table(),     &measure_table(),  &platform_table(), &kernel_table(),
            &config_table(),   &rcu_table(),       &spin_table(),     &lock_table(),     &line_table(),
            &object_table(),   &pool_table(),      &function_table(), &step_table(),     &patch_table(),
            &worlds_table(),   &published_table(), &add_table(),      &edit_table(),     &duration_table(),
            &number_table(),   &shape_uniform(),   &shape_mean(),     &shape_mean_cv(),  &shape_bimodal()};
}

const Key* Table::find(std::string_view key) const {
    const auto it = std::find_if(keys.begin(), keys.end(), [&](const Key& k) { return !k.free && k.name == key; });
    return it == keys.end() ? nullptr : &*it;
}

std::vector<std::string> Table::names() const {
    std::vector<std::string> result;
    for (const Key& key : keys) {
        if (!key.free) result.emplace_back(key.name);
    }
    return result;
}

std::vector<std::string> split(std::string_view text, char separator) {
    std::vector<std::string> parts;
    while (true) {
        const std::size_t end = text.find(separator);
        parts.emplace_back(text.substr(0, end));
        if (end == std::string_view::npos) return parts;
        text.remove_prefix(end + 1);
    }
}

std::string expectation(const Key& key) {
    const std::string low = number_text(key.low);
    const std::string limits = key.high < 1e300   ? " from " + low + " to " + number_text(key.high)
                               : key.low > -1e300 ? " from " + low
                                                  : "";
    switch (key.type) {
        case Type::none:
            return "no value";
        case Type::duration:
        case Type::time:
            return "a time with a unit, such as 60ns, 1.4us or 15ms";
        case Type::number:
            return "a plain number" + limits;
        case Type::integer:
            return "a whole number" + limits;
        case Type::fraction:
            return "a share from 0 to 1, such as 0.06 or 6%";
        case Type::durations:
            return "a list of times with units";
        case Type::integers:
            return "a whole number, or a range such as 10..40";
        case Type::boolean:
            return "true or false";
        case Type::choice: {
            std::string list;
            for (const std::string& word : split(key.choices, '|')) list += (list.empty() ? "" : ", ") + word;
            return (list.find(',') == std::string::npos ? "" : "one of ") + list;
        }
        case Type::text:
            return "a text";
        case Type::word:
            return "a name (letters, digits, '_', '.', '-'; a letter first)";
        case Type::words:
            return "a name or a list of names";
        case Type::lock:
            return "the name of a lock";
        case Type::line:
            return "the name of a line";
        case Type::pool:
            return "the name of a pool";
        case Type::function:
            return "the name of a function";
        case Type::signal:
            return "the name of a signal";
        case Type::handle:
            return "the name that `as:` gave a child";
        case Type::address:
            return "the address of a step, FUNCTION/STEP[/PART]";
        case Type::addresses:
            return "a list of addresses FUNCTION/STEP[/PART]";
        case Type::bases:
            return "a kernel, a kernel and patches that it must carry, such as linux-6.14 + NAME, or a list of such";
        case Type::touch:
            return "a map {LINE: [COUNT] read|write|peek|store [@WHO], OBJECT: OPERATION [embryo|@WHO]}, or a list of "
                   "such";
        case Type::condition:
            return "config.KEY, config.KEY == VALUE, config.KEY != VALUE, called_by FUNCTION, or not and one of these";
        case Type::scope:
            return "global, process, cpu, node, task, uid, cgroup or {cpus: N}";
        case Type::affinity:
            return "any, core, pu or {cpus: [0-47, 96]}";
        case Type::tasks:
            return "a whole number or {per: cpu}";
        case Type::mapping:
            return "a map";
        case Type::steps:
            return "a list of steps";
        case Type::let:
            return "a map of names and expressions";
        case Type::named:
            return "a map of names";
        case Type::listed:
            return "a list of maps";
        case Type::functions:
            return "a map of functions";
        case Type::destinations:
            return "{before: ADDRESS} or {after: ADDRESS}, or a list of such";
        case Type::settings:
            return "a map {ADDRESS.KEY: VALUE}";
        case Type::factors:
            return "a map {ADDRESS: FACTOR}";
        case Type::rows:
            return "a list of lists of values";
        case Type::platform:
            return "a name, a path, a map {sockets:, cores:, like:} or a map of ranges of CPUs";
    }
    return "";
}

}  // namespace forksim::language
