#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "models/spec.hpp"
#include "scenarios/describe.hpp"
#include "scenarios/diagnostics.hpp"
#include "scenarios/document.hpp"
#include "scenarios/published.hpp"
#include "scenarios/values.hpp"

namespace forksim::language {

// Documents as they were read: every value is typed and keeps its place, names are not resolved yet.

/// One access of a step to a line, or operation on an object, by name.
struct TouchItem {
    std::string line;  ///< or object
    Access access = Access::read;
    std::uint8_t count = 1;
    Mark mark;            ///< of the name
    bool object = false;  ///< an operation
    ObjectOp op = ObjectOp::insert;
    Whose whose = Whose::self;
    std::string handle;  ///< Whose::handle: the child's name, `parent`, `victim` or `self`
    Mark what_mark;      ///< of the access or operation
};

/// A condition on the kernel's configuration or on who called, known when a scenario is compiled.
struct Condition {
    std::string key;             ///< of `config:`; empty: see `caller`
    std::string caller;          ///< a function that has called the one in which the step stands, directly or not
    bool negated = false;        ///< `not` or `!=`
    std::string value = "true";  ///< compared as text
};

/// Fewest and most.
struct IntegerRange {
    std::uint32_t low = 0;
    std::uint32_t high = 0;
};

/// Which CPUs a task may use.
struct Affinity {
    enum class Kind : std::uint8_t { any, core, pu, cpus } kind = Kind::any;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> cpus;  ///< ranges, first <= last
};

/// How many tasks: a number, or one per logical CPU.
struct TaskCount {
    bool per_cpu = false;
    std::uint32_t count = 1;
};

/// `siglock@parent`: the name of a lock, and whose instance is meant if not one's own.
struct Owned {
    std::string name;
    std::string owner;  ///< empty: one's own
};
Owned owned(const std::string& text);

struct Fields;

/// A value that is read by the reader of its document.
struct Raw {
    const Node* node = nullptr;  ///< valid while the document is being read
};

using Value =
    std::variant<std::monostate, bool, Duration, Number, std::string, std::vector<std::string>, std::vector<TouchItem>,
                 Condition, ScopeSpec, IntegerRange, Affinity, TaskCount, std::vector<Fields>, Raw>;

/// One key with its value.
struct Attribute {
    const Key* key = nullptr;
    Mark mark;          ///< of the value
    std::string label;  ///< a free key: the user's word
    Mark label_mark;
    Value value;
};

/// The keys of one map, by table.
struct Fields {
    const Table* table = nullptr;
    Mark mark;
    std::vector<Attribute> list;

    const Attribute* find(std::string_view key) const;
    Attribute* find(std::string_view key);
    /// The value of `key`, or null if it is absent.
    template <class T>
    const T* get(std::string_view key) const {
        const Attribute* attribute = find(key);
        return attribute == nullptr ? nullptr : std::get_if<T>(&attribute->value);
    }
    /// The word given for `key`, else `fallback`.
    std::string word(std::string_view key, std::string_view fallback = {}) const;
    double number(std::string_view key, double fallback) const;
    bool flag(std::string_view key) const;
    /// The map given for a key of Type::mapping, or null.
    const Fields* nested(std::string_view key) const;
    const Node* raw(std::string_view key) const;
    /// Replaces or adds.
    void put(Attribute attribute);
};

struct StepKind;
struct Step;

/// The steps inside a step.
struct Block {
    const Key* key = nullptr;
    Mark mark;
    std::string label;  ///< a free key: the user's word
    std::vector<Step> steps;
};

/// One step of a function.
struct Step {
    const StepKind* kind = nullptr;
    Mark mark;
    std::string name;        ///< unique in its function; given by the user, or kind and ordinal
    bool named = false;      ///< given by the user
    std::string site;        ///< FUNCTION/NAME where it was defined; stays when it is moved, so draws stay too
    std::string put_by;      ///< the patch that put it there in place of another step; empty: none did
    bool unwrapped = false;  ///< takes no lock any more; what it does inside stays
    Fields fields;
    std::vector<Block> blocks;

    const Block* block(std::string_view key) const;
    Block* block(std::string_view key);
};

/// A function, or an entry of the workload.
struct Function {
    std::string name;
    Mark mark;
    bool user = false;     ///< runs in user mode
    bool is_task = false;  ///< an entry of the workload
    std::vector<Step> steps;
};

/// A lock, line, object or pool with its keys.
struct Declared {
    std::string name;
    Mark mark;
    Fields fields;
};

/// What kernels, patches (`add:`) and scenarios declare.
struct Definitions {
    std::vector<Declared> locks;
    std::vector<Declared> lines;
    std::vector<Declared> objects;
    std::vector<Declared> pools;
    std::vector<Function> functions;
};

/// `before:` or `after:` a step.
struct Destination {
    bool after = false;
    std::string address;
    Mark mark;
};

/// One value of `set:`, read when the edit is applied, because its type depends on what it sets.
struct Setting {
    std::string address;  ///< with the key after the last dot
    Mark mark;
    Node value;
};

struct Factor {
    std::string address;
    Mark mark;
    double factor = 1;
};

/// One edit; `verb` says which members matter.
struct Edit {
    enum class Verb : std::uint8_t {
        move,
        copy,
        merge,
        wrap,
        replace,
        insert,
        remove,
        unwrap,
        set,
        scale
    } verb = Verb::remove;
    Mark mark;
    std::string address;                 ///< move, copy, wrap, replace, remove, unwrap
    std::vector<std::string> addresses;  ///< merge
    Mark address_mark;
    std::vector<Destination> to;  ///< move, copy, insert
    std::vector<Step> with;       ///< move, replace, insert, and wrap (`in`)
    bool has_with = false;
    std::string name;  ///< merge, copy of a function
    std::vector<Setting> settings;
    std::vector<Factor> factors;
    std::optional<Condition> when;
    Names let;                     ///< for `set`
    Source source = Source::none;  ///< for `set`: where its numbers come from
};

struct KernelDocument {
    std::string name;
    Mark mark;
    std::string like;
    Mark like_mark;
    std::vector<std::pair<std::string, Mark>> patches;
    std::string worlds;  ///< name of its table of worlds, or empty
    Mark worlds_mark;
    std::vector<std::string> unmodelled;  ///< beyond those of `like`
    Fields config;
    Fields rcu;
    Fields spin;
    Definitions define;
    Definitions add;
    std::vector<Edit> edits;
};

/// What a patch can be put on.
struct PatchBase {
    std::string kernel;
    std::vector<std::string> patches;  ///< that must be there already
    Mark mark;
};

/// A table of worlds: one row for each.
struct WorldsDocument {
    std::string name;
    Mark mark;
    std::vector<std::pair<std::string, Mark>> set;    ///< ADDRESS.KEY of the first columns
    std::vector<std::pair<std::string, Mark>> scale;  ///< ADDRESS of the others: factors
    std::vector<std::vector<Node>> rows;
};

/// A published figure.
struct PublishedDocument {
    std::string name;
    Mark mark;
    PublishedCase figure;
    std::vector<std::pair<std::string, Mark>>
        marks;  ///< of its keys kernel, cpus, unit, which the scenario must bear out
};

struct PatchDocument {
    std::string name;
    Mark mark;
    std::string origin;                 ///< commit or origin, for listings
    std::vector<PatchBase> applies_to;  ///< empty: whatever its edits match
    Definitions add;
    std::vector<Edit> edits;
};

/// A machine as a scenario names it.
struct PlatformChoice {
    std::string name;             ///< a name or a path; empty: see `shape`
    std::optional<Fields> shape;  ///< parametric
    Mark mark;
    std::uint32_t low = 1;   ///< CPUs that it is for, low..high; the whole range if the scenario has one machine
    std::uint32_t high = 0;  ///< 0: no limit
};

struct TasksEntry {
    Fields fields;
    Function function;  ///< its steps; empty if `use` names them
};

struct ScenarioDocument {
    std::string name;
    Mark mark;
    std::string kernel;
    Mark kernel_mark;
    std::vector<std::pair<std::string, Mark>> patches;
    std::vector<PlatformChoice> platforms;
    bool by_range = false;
    Fields config;
    Fields rcu;
    Fields spin;
    Definitions define;
    std::vector<TasksEntry> workload;
    Fields measure;
};

struct PlatformDocument {
    std::string name;
    Fields shape;
};

}  // namespace forksim::language
