#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "scenarios/ast.hpp"
#include "scenarios/steps.hpp"

namespace forksim::language {

/// What the readers share while they read one document. They report faults and go on with what they could read.
struct Reading {
    Diagnostics& faults;
    Names let;                     ///< names for expressions
    Source source = Source::none;  ///< where numbers come from that do not say so themselves
};

/// The value of `key`, or nothing after reporting a fault.
std::optional<Value> read_value(Reading& reading, const Key& key, const Node& node);

/// A map with the keys of `table`: refuses unknown keys and misses required ones.
/// `skip` is a key that was dealt with already.
Fields read_fields(Reading& reading, const Table& table, const Node& node, std::string_view skip = {});

/// A list of steps, or one step.
std::vector<Step> read_steps(Reading& reading, const Node& node);

/// Gives every unnamed step its name (kind and ordinal), every step its site, and refuses a second step of a name.
void assign_names(Function& function, Diagnostics& faults);

/// The documents of one file. Unknown kinds of document are faults.
struct DocumentSet {
    std::vector<KernelDocument> kernels;
    std::vector<PatchDocument> patches;
    std::vector<ScenarioDocument> scenarios;
    std::vector<PlatformDocument> platforms;
    std::vector<WorldsDocument> worlds;
    std::vector<PublishedDocument> published;
};
DocumentSet read_document_set(const std::vector<Node>& nodes, Diagnostics& faults);

// Parts of the above, one file each.
KernelDocument read_kernel(Reading& reading, const Node& node);
PatchDocument read_patch(Reading& reading, const Node& node);
WorldsDocument read_worlds(Reading& reading, const Node& node);
PublishedDocument read_published(Reading& reading, const Node& node);
ScenarioDocument read_scenario(Reading& reading, const Node& node);
Definitions read_definitions(Reading& reading, const Fields& fields, bool user_mode);
Function read_function(Reading& reading, const std::string& name, const Node& node, bool user_mode);
std::vector<Edit> read_edits(Reading& reading, const Node& node);

/// The factor of `scale`.
const Key& factor_key();
Names read_let(const Node& node, Diagnostics& faults);

/// Reports a value of the wrong kind: "'x' is not a whole number ..." at the node.
void wrong_value(Reading& reading, const Key& key, const Node& node, std::string_view why = {});

/// The line that `lines: N` of a section stands for: the ordinal-th, from 1, that travels with `lock`.
std::string data_line(const std::string& lock, int ordinal);

/// Whether `name` may name something.
bool is_word(std::string_view name);

}  // namespace forksim::language
