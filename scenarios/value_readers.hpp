#pragma once
#include <optional>
#include <string>
#include <vector>

#include "scenarios/reader.hpp"

namespace forksim::language {

// One reader for each type of value; each reports a fault and returns nothing if the node does not hold one.

std::optional<Number> read_number(Reading& reading, const Key& key, const Node& node);
std::optional<Duration> read_duration(Reading& reading, const Key& key, const Node& node);
std::optional<IntegerRange> read_integers(Reading& reading, const Key& key, const Node& node);
std::optional<TaskCount> read_task_count(Reading& reading, const Key& key, const Node& node);
std::optional<std::string> read_choice(Reading& reading, const Key& key, const Node& node);
std::optional<bool> read_boolean(Reading& reading, const Key& key, const Node& node);
std::optional<std::vector<std::string>> read_words(Reading& reading, const Key& key, const Node& node);
/// A map is taken in the order of its names, because YAML gives its keys no order; a list keeps its own.
std::optional<std::vector<TouchItem>> read_touch(Reading& reading, const Key& key, const Node& node);
std::optional<Condition> read_condition(Reading& reading, const Key& key, const Node& node);
std::optional<ScopeSpec> read_scope(Reading& reading, const Key& key, const Node& node);
std::optional<Affinity> read_affinity(Reading& reading, const Key& key, const Node& node);

/// The plain number in `node`, within the limits of its key.
std::optional<double> read_plain(Reading& reading, const Key& key, const Node& node);
/// The expression in `node`.
std::optional<Quantity> read_quantity(Reading& reading, const Key& key, const Node& node);

/// Source::none for any other word.
Source read_source(const std::string& word);
/// "'text'", "a list", "a map" or "nothing".
std::string what_it_is(const Node& node);
bool is_plain(const Node& node);

}  // namespace forksim::language
