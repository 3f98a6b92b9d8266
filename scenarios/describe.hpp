#pragma once
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "models/spec.hpp"

/// The language of scenarios inside: what scenario.hpp and listing.hpp are made of.
namespace forksim::language {

/// What the value of a key may be. Reader, messages, JSON Schema and reference tables follow from it.
enum class Type : std::uint8_t {
    none,       ///< no value: a step that is a word
    duration,   ///< a time with a unit, or a distribution of times
    time,       ///< a time with a unit
    number,     ///< plain number
    integer,    ///< whole number
    fraction,   ///< 0.01 or 1%
    integers,   ///< 10..40, or one whole number
    boolean,    ///< true or false
    choice,     ///< one of a few words
    text,       ///< any text, kept as it is
    word,       ///< a new name: letters, digits, _ . -
    words,      ///< a name, or a list of names
    lock,       ///< name of a lock
    line,       ///< name of a line
    pool,       ///< name of a pool
    function,   ///< name of a function
    signal,     ///< name of a signal
    handle,     ///< name given to a child by `as:`
    address,    ///< FUNCTION/STEP[/PART...] or a bare STEP
    addresses,  ///< list of addresses
    touch,      ///< {LINE: [COUNT] read|write|peek|store, OBJECT: OPERATION [embryo|@CHILD], ...}, or a list of such
    bases,      ///< list of KERNEL or KERNEL + PATCH + ..., or one of them
    condition,  ///< config.KEY, not config.KEY, config.KEY == VALUE, config.KEY != VALUE, [not] called_by FUNCTION
    scope,      ///< global, process, cpu, node, task, uid, cgroup, or {cpus: N}
    affinity,   ///< any, core, pu, or {cpus: LIST}
    tasks,      ///< whole number, or {per: cpu}
    mapping,    ///< a map with the keys of another table
    // From here on a value is kept as it stands, and read by the reader of its document.
    durations,     ///< list of times
    steps,         ///< list of steps, or one step
    let,           ///< {NAME: EXPRESSION, ...}
    named,         ///< {NAME: a map with the keys of another table, ...}
    listed,        ///< list of maps with the keys of another table
    functions,     ///< {NAME: steps, or a map with the keys of `function`}
    destinations,  ///< {before: ADDRESS} or {after: ADDRESS}, or a list of such
    settings,      ///< {ADDRESS.KEY: VALUE, ...}
    factors,       ///< {ADDRESS: FACTOR, ...}
    rows,          ///< list of lists of values
    platform,      ///< a name, a path, a map with the keys of `platform`, or {LOW..HIGH: one of these, ...}
};

struct Table;

/// One key of a table: what it takes and what it means.
struct Key {
    std::string_view name;  ///< a `free` key: what the user's own word stands for, in capitals
    Type type = Type::none;
    std::string_view doc;
    bool required = false;
    std::string_view fallback = {};  ///< what holds when it is absent, as text; empty: nothing
    std::string_view choices = {};   ///< Type::choice: "read|write"
    double low = 0;                  ///< numbers: smallest allowed
    double high = std::numeric_limits<double>::infinity();
    const Table& (*nested)() = nullptr;  ///< mapping, named, listed: the keys inside
    bool scalar = false;                 ///< mapping: a plain value stands for its first key
    bool inside = false;                 ///< steps: stands in the map behind the kind, not beside it
    bool free = false;                   ///< the key itself is a name chosen by the user
    bool is_option = false;              ///< a plain number that needs no source (a choice, not a measured value)
};

/// The description of one step kind, lock kind, block or document.
struct Table {
    std::string_view name;
    std::string_view doc;
    std::vector<Key> keys;  ///< of a step kind: the first is the kind itself

    const Key* find(std::string_view key) const;
    std::vector<std::string> names() const;  ///< of the keys that are not free
};

/// The documents, by the key that they begin with.
const Table& kernel_table();
const Table& patch_table();
const Table& scenario_table();
const Table& platform_table();
const Table& worlds_table();
const Table& published_table();

/// Blocks of documents.
const Table& lock_table();
const Table& line_table();
const Table& object_table();
const Table& pool_table();
const Table& function_table();
const Table& config_table();
const Table& rcu_table();
const Table& spin_table();
const Table& add_table();
const Table& tasks_table();
const Table& measure_table();
const Table& edit_table();

/// Forms of values.
const Table& duration_table();
const Table& number_table();

/// A lock kind and the modes in which it is taken.
struct LockKindTable {
    std::string_view name;
    LockKind kind;
    std::string_view modes;  ///< "exclusive", "read|write", "read"
    bool sleeps;             ///< a waiter gives up its CPU, so it may not be taken under a spinning lock
    std::string_view keys;   ///< of lock_table(), beside kind, per, line and src: "irq|claim"
    std::string_view doc;
};
std::span<const LockKindTable> lock_kinds();
/// Does a lock of this kind take this key of lock_table()?
bool lock_takes(const LockKindTable& kind, std::string_view key);

/// A kind of object, and which of the keys that not all kinds have are its own.
struct ObjectKindTable {
    std::string_view name;
    ObjectKind kind;
    std::string_view keys;  ///< "line|head"
    std::string_view doc;
};
std::span<const ObjectKindTable> object_kinds();
/// The kind of this name, or null.
const ObjectKindTable* find_object_kind(std::string_view name);

/// An operation on objects of one kind.
struct ObjectOpTable {
    std::string_view name;
    ObjectOp op;
    ObjectKind kind;
    std::string_view doc;
};
std::span<const ObjectOpTable> object_ops();
const ObjectOpTable& table_of(ObjectOp op);
/// Their names, for messages.
std::vector<std::string> ops_of(ObjectKind kind);

/// Keys that every step may have beside its kind: name, when.
const Table& step_table();

/// Every table above, for the generators of schema and reference.
std::vector<const Table*> all_tables();

/// The words of a choice.
std::vector<std::string> split(std::string_view text, char separator);

/// What a value of this type looks like, for messages: "a time with a unit, such as 60ns".
std::string expectation(const Key& key);

}  // namespace forksim::language
