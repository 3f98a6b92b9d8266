// Reads `edits:`, the verbs of patches and versions.
#include <algorithm>
#include <array>
#include <utility>

#include "scenarios/reader.hpp"

namespace forksim::language {
namespace {

using Verb = Edit::Verb;

struct VerbRow {
    std::string_view name;
    Verb verb;
    std::string_view needs;  ///< keys that must stand beside it
    std::string_view may;    ///< keys that may
};
constexpr std::array<VerbRow, 10> verbs = {{
    {"move", Verb::move, "to", "with"},
    {"copy", Verb::copy, "", "to|name"},
    {"merge", Verb::merge, "name", ""},
    {"wrap", Verb::wrap, "in", ""},
    {"replace", Verb::replace, "with", ""},
    {"insert", Verb::insert, "", "before|after"},
    {"remove", Verb::remove, "", ""},
    {"unwrap", Verb::unwrap, "", ""},
    {"set", Verb::set, "", ""},
    {"scale", Verb::scale, "", ""},
}};

std::vector<std::string> verb_names() {
    std::vector<std::string> names;
    for (const VerbRow& row : verbs) names.emplace_back(row.name);
    return names;
}

bool has(std::string_view list, std::string_view word) {
    const std::vector<std::string> words = split(list, '|');
    return std::find(words.begin(), words.end(), word) != words.end();
}

/// The verb of an edit, after refusing what does not belong to it.
const VerbRow* verb_of(Reading& reading, const Node& node) {
    const VerbRow* row = nullptr;
    for (const VerbRow& candidate : verbs) {
        const Node* item = node.find(candidate.name);
        if (item == nullptr) continue;
        if (row != nullptr) {
            reading.faults.add(item->key_mark,
                               "two verbs in one edit: " + shown(row->name) + " and " + shown(candidate.name),
                               "begin each edit with '- '");
            return nullptr;
        }
        row = &candidate;
    }
    if (row == nullptr) {
        const Node* first = node.items.empty() ? nullptr : &node.items.front();
        reading.faults.add(first != nullptr ? first->key_mark : node.mark, "no verb in this edit",
                           first != nullptr ? suggestion(first->key, verb_names()) : "");
        return nullptr;
    }
    for (const Node& item : node.items) {
        if (item.key == row->name || item.key == "when" || has(row->needs, item.key) || has(row->may, item.key))
            continue;
        if (edit_table().find(item.key) == nullptr) continue;  // reported as unknown by read_fields
        reading.faults.add(item.key_mark, shown(item.key) + " does not belong to " + shown(row->name));
    }
    for (const std::string& needed : split(row->needs, '|')) {
        if (!needed.empty() && node.find(needed) == nullptr) {
            reading.faults.add(node.mark, shown(row->name) + " needs " + shown(needed),
                               "expected " + expectation(*edit_table().find(needed)));
        }
    }
    if (row->verb == Verb::insert && (node.find("before") == nullptr) == (node.find("after") == nullptr)) {
        reading.faults.add(node.mark, "'insert' needs either 'before' or 'after'");
    }
    if (row->verb == Verb::copy && (node.find("to") == nullptr) == (node.find("name") == nullptr)) {
        reading.faults.add(node.mark, "'copy' needs either 'to' or 'name'",
                           "expected {copy: FUNCTION/STEP, to: ...} or {copy: FUNCTION, name: NAME}");
    }
    return row;
}

std::vector<Destination> read_destinations(Reading& reading, const Node& node) {
    std::vector<Destination> result;
    const auto read_one = [&](const Node& item) {
        const bool good = item.kind == Node::Kind::map && item.items.size() == 1 &&
                          (item.items[0].key == "before" || item.items[0].key == "after") &&
                          item.items[0].kind == Node::Kind::scalar;
        if (!good) {
            wrong_value(reading, *edit_table().find("to"), item);
            return;
        }
        result.push_back({item.items[0].key == "after", item.items[0].text, item.items[0].mark});
    };
    if (node.kind == Node::Kind::list) {
        for (const Node& item : node.items) read_one(item);
    } else {
        read_one(node);
    }
    return result;
}

std::vector<Factor> read_factors(Reading& reading, const Node& node) {
    std::vector<Factor> result;
    if (node.kind != Node::Kind::map) {
        wrong_value(reading, *edit_table().find("scale"), node);
        return result;
    }
    for (const Node& item : node.items) {
        const std::optional<Value> value = read_value(reading, factor_key(), item);
        if (value) result.push_back({item.key, item.key_mark, std::get<Number>(*value).value});
    }
    std::sort(result.begin(), result.end(), [](const Factor& a, const Factor& b) { return a.address < b.address; });
    return result;
}

std::vector<Setting> read_settings(Reading& reading, const Node& node) {
    std::vector<Setting> result;
    if (node.kind != Node::Kind::map) {
        wrong_value(reading, *edit_table().find("set"), node);
        return result;
    }
    for (const Node& item : node.items) result.push_back({item.key, item.key_mark, item});
    std::sort(result.begin(), result.end(), [](const Setting& a, const Setting& b) { return a.address < b.address; });
    return result;
}

std::optional<Edit> read_edit(Reading& reading, const Node& node) {
    if (node.kind != Node::Kind::map) {
        reading.faults.add(node.mark, "this is no edit", "expected a map such as {remove: alloc_pid/init}");
        return {};
    }
    const std::size_t before = reading.faults.size();
    const Fields fields = read_fields(reading, edit_table(), node);
    const VerbRow* row = reading.faults.size() == before ? verb_of(reading, node) : nullptr;
    if (row == nullptr || reading.faults.size() != before) return {};

    Edit edit;
    edit.verb = row->verb;
    edit.let = reading.let;
    edit.source = reading.source;
    const Node& subject = *node.find(row->name);
    edit.mark = subject.key_mark;
    edit.address_mark = subject.mark;
    if (const auto* address = fields.get<std::string>(row->name); address != nullptr) edit.address = *address;
    if (const auto* several = fields.get<std::vector<std::string>>(row->name); several != nullptr) {
        edit.addresses = *several;
        if (several->size() < 2) reading.faults.add(subject.mark, "'merge' needs two sections or more");
    }
    if (const Attribute* when = fields.find("when"); when != nullptr) {
        edit.when = std::get<Condition>(when->value);
        if (!edit.when->caller.empty()) {
            reading.faults.add(when->mark, "an edit is made whoever calls", "expected a condition on config.KEY");
            edit.when.reset();
        }
    }
    if (edit.verb == Verb::set) edit.settings = read_settings(reading, subject);
    if (edit.verb == Verb::scale) edit.factors = read_factors(reading, subject);
    if (const Node* to = fields.raw("to"); to != nullptr) edit.to = read_destinations(reading, *to);
    for (const std::string_view place : {"before", "after"}) {
        const Attribute* address = fields.find(place);
        if (address == nullptr) continue;
        edit.to.push_back({place == "after", std::get<std::string>(address->value), address->mark});
    }
    edit.name = fields.word("name");
    const Node* steps = edit.verb == Verb::insert ? &subject : fields.raw("with");
    if (edit.verb == Verb::wrap) steps = fields.raw("in");
    if (steps != nullptr) {
        edit.has_with = true;
        edit.with = read_steps(reading, *steps);
    }
    for (const Setting& setting : edit.settings) {
        if (!edit.when || setting.address.rfind("config.", 0) != 0) continue;
        reading.faults.add(setting.mark, "configuration cannot depend on configuration",
                           "an edit with `when` sets no config.KEY");
    }
    if (edit.verb == Verb::wrap && edit.with.size() != 1) {
        reading.faults.add(subject.mark, "'wrap' needs exactly one step in 'in'");
    }
    if (reading.faults.size() != before) return {};
    return edit;
}

}  // namespace

const Key& factor_key() {
    static const Key key{"scale", Type::number, "", true, {}, {}, 0, 1e6};
    return key;
}

std::vector<Edit> read_edits(Reading& reading, const Node& node) {
    std::vector<Edit> edits;
    if (node.kind != Node::Kind::list) {
        wrong_value(reading, Key{"edits", Type::listed, ""}, node);
        return edits;
    }
    for (const Node& item : node.items) {
        if (std::optional<Edit> edit = read_edit(reading, item)) edits.push_back(std::move(*edit));
    }
    return edits;
}

}  // namespace forksim::language
