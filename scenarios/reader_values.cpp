// Reads single values by the type that their key describes, and maps by their table.
#include <algorithm>

#include "scenarios/value_readers.hpp"

namespace forksim::language {
namespace {

template <class T>
std::optional<Value> wrap(std::optional<T> value) {
    if (!value) return {};
    return Value(std::move(*value));
}

}  // namespace

bool is_plain(const Node& node) { return node.kind == Node::Kind::scalar; }

std::string what_it_is(const Node& node) {
    switch (node.kind) {
        case Node::Kind::null:
            return "nothing";
        case Node::Kind::scalar:
            return shown(node.text);
        case Node::Kind::list:
            return "a list";
        case Node::Kind::map:
            break;
    }
    return "a map";
}

Source read_source(const std::string& word) {
    return word == "counted"     ? Source::counted
           : word == "published" ? Source::published
           : word == "estimated" ? Source::estimated
                                 : Source::none;
}

bool is_word(std::string_view name) {
    const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
    if (name.empty() || name.size() > 100 || !letter(name.front())) return false;
    return std::all_of(name.begin(), name.end(),
                       [&](char c) { return letter(c) || (c >= '0' && c <= '9') || c == '.' || c == '-'; });
}

void wrong_value(Reading& reading, const Key& key, const Node& node, std::string_view why) {
    const std::string subject = node.kind == Node::Kind::null ? "the value of " + shown(key.name) + " is missing"
                                                              : what_it_is(node) + " is no value of " + shown(key.name);
    reading.faults.add(node.mark, subject + (why.empty() ? "" : ": " + std::string(why)),
                       "expected " + expectation(key));
}

std::optional<Value> read_value(Reading& reading, const Key& key, const Node& node) {
    switch (key.type) {
        case Type::none:
            if (node.kind != Node::Kind::null) wrong_value(reading, key, node);
            return Value(std::monostate{});
        case Type::duration:
            return wrap(read_duration(reading, key, node));
        case Type::time: {
            std::optional<Duration> time = read_duration(reading, key, node);
            if (time && time->shape != Duration::Shape::constant) {
                wrong_value(reading, key, node, "it must be constant");
                return {};
            }
            return wrap(std::move(time));
        }
        case Type::number:
        case Type::integer:
        case Type::fraction:
            return wrap(read_number(reading, key, node));
        case Type::integers:
            return wrap(read_integers(reading, key, node));
        case Type::boolean:
            return wrap(read_boolean(reading, key, node));
        case Type::choice:
            return wrap(read_choice(reading, key, node));
        case Type::words:
        case Type::addresses:
        case Type::bases:
            return wrap(read_words(reading, key, node));
        case Type::touch:
            return wrap(read_touch(reading, key, node));
        case Type::condition:
            return wrap(read_condition(reading, key, node));
        case Type::scope:
            return wrap(read_scope(reading, key, node));
        case Type::affinity:
            return wrap(read_affinity(reading, key, node));
        case Type::tasks:
            return wrap(read_task_count(reading, key, node));
        case Type::mapping: {
            if (key.scalar && node.kind == Node::Kind::scalar) {
                Node map;
                map.kind = Node::Kind::map;
                map.mark = node.mark;
                map.items.push_back(node);
                map.items.back().key = std::string(key.nested().keys.front().name);
                return Value(std::vector<Fields>{read_fields(reading, key.nested(), map)});
            }
            return Value(std::vector<Fields>{read_fields(reading, key.nested(), node)});
        }
        case Type::word:
            if (!is_plain(node) || !is_word(node.text)) {
                wrong_value(reading, key, node);
                return {};
            }
            return Value(node.text);
        case Type::text:
        case Type::lock:
        case Type::line:
        case Type::pool:
        case Type::function:
        case Type::signal:
        case Type::handle:
        case Type::address:
            if (!is_plain(node)) {
                wrong_value(reading, key, node);
                return {};
            }
            return Value(node.text);
        default:
            return Value(Raw{&node});
    }
}

Fields read_fields(Reading& reading, const Table& table, const Node& node, std::string_view skip) {
    Fields fields;
    fields.table = &table;
    fields.mark = node.mark;
    if (node.kind != Node::Kind::map) {
        reading.faults.add(node.mark, what_it_is(node) + " where a map is needed",
                           "expected the keys of " + shown(table.name));
        return fields;
    }
    const Source outer = reading.source;
    if (const Node* src = node.find("src"); src != nullptr && table.find("src") != nullptr) {
        if (const Source own = read_source(src->text); own != Source::none) reading.source = own;
    }
    for (const Node& item : node.items) {
        if (item.key == skip) continue;
        const Key* key = table.find(item.key);
        if (key == nullptr) {
            if (item.kind != Node::Kind::scalar) reading.faults.mark_incomplete();
            reading.faults.add(item.key_mark, "unknown key " + shown(item.key) + " of " + shown(table.name),
                               suggestion(item.key, table.names()));
            continue;
        }
        std::optional<Value> value = read_value(reading, *key, item);
        if (value) fields.list.push_back({key, item.mark, {}, item.key_mark, std::move(*value)});
    }
    // The order of keys in the file has no meaning: from here on it is that of the table.
    std::stable_sort(fields.list.begin(), fields.list.end(),
                     [](const Attribute& a, const Attribute& b) { return a.key < b.key; });
    for (const Key& key : table.keys) {
        if (key.required && key.name != skip && node.find(key.name) == nullptr) {
            reading.faults.add(node.mark, "the key " + shown(key.name) + " of " + shown(table.name) + " is missing",
                               "expected " + expectation(key));
        }
    }
    reading.source = outer;
    return fields;
}

}  // namespace forksim::language
