// Reads single values, by the type that their key describes.
#include <algorithm>
#include <cmath>

#include "scenarios/reader.hpp"

namespace forksim {
namespace {

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

/// The expression in `node`, or nothing after reporting a fault.
std::optional<Quantity> read_quantity(Reading& reading, const Key& key, const Node& node) {
    if (!is_plain(node) || node.quoted) {
        wrong_value(reading, key, node);
        return {};
    }
    const Evaluated result = evaluate(node.text, reading.let);
    if (!result.value) {
        const std::string hint = result.hint.empty() ? "expected " + expectation(key) : result.hint;
        reading.faults.add(node.mark, shown(node.text) + ": " + result.message, hint);
    }
    return result.value;
}

/// A time within the limits.
std::optional<Quantity> read_time(Reading& reading, const Key& key, const Node& node) {
    std::optional<Quantity> value = read_quantity(reading, key, node);
    if (!value) return {};
    if (!value->is_time) {
        reading.faults.add(node.mark, "the time " + shown(node.text) + " has no unit", "expected " + expectation(key));
        return {};
    }
    if (value->ps < 0 || value->jiffies < 0) {
        reading.faults.add(node.mark, "the time " + shown(node.text) + " is negative");
        return {};
    }
    if (value->ps > static_cast<double>(time_limit.ps) || value->jiffies > 4e7) {
        reading.faults.add(node.mark, "the time " + shown(node.text) + " is absurd", "at most 4000s");
        return {};
    }
    return value;
}

/// A plain number within the limits of its key.
std::optional<double> read_plain(Reading& reading, const Key& key, const Node& node) {
    const std::optional<Quantity> value = read_quantity(reading, key, node);
    if (!value) return {};
    const bool whole = key.type != Type::integer || value->number == std::floor(value->number);
    const double high = key.type == Type::fraction ? 1 : key.high;
    if (value->is_time || !whole || value->number < key.low || value->number > high) {
        wrong_value(reading, key, node);
        return {};
    }
    return value->number;
}

/// "low..high"; the unit may stand at the end only. A single value is both.
std::optional<std::pair<Quantity, Quantity>> read_range(Reading& reading, const Key& key, const Node& node) {
    if (!is_plain(node)) {
        wrong_value(reading, key, node);
        return {};
    }
    const std::size_t dots = node.text.find("..");
    Node low = node;
    Node high = node;
    if (dots != std::string::npos) {
        low.text = node.text.substr(0, dots);
        high.text = node.text.substr(dots + 2);
    }
    const std::optional<Quantity> last = read_quantity(reading, key, high);
    const Evaluated alone = evaluate(low.text, reading.let);
    if (last && last->is_time && alone.value && !alone.value->is_time) {
        low.text += high.text.substr(std::min(high.text.find_last_of("0123456789.") + 1, high.text.size()));
    }
    const std::optional<Quantity> first = read_quantity(reading, key, low);
    if (!first || !last) return {};
    const bool ordered = first->is_time == last->is_time && first->number <= last->number && first->ps <= last->ps &&
                         first->jiffies <= last->jiffies && first->number >= 0 && first->ps >= 0;
    if (!ordered) {
        reading.faults.add(node.mark, shown(node.text) + " is not a range", "expected LOW..HIGH with LOW <= HIGH");
        return {};
    }
    return std::pair(*first, *last);
}

std::optional<Number> read_number(Reading& reading, const Key& key, const Node& node) {
    Number number;
    number.source = reading.source;
    if (node.kind != Node::Kind::map) {
        const std::optional<double> value = read_plain(reading, key, node);
        if (!value) return {};
        number.value = *value;
        return number;
    }
    const std::size_t before = reading.faults.size();
    const Fields fields = read_fields(reading, number_table(), node);
    if (const Node* value = node.find("value"); value != nullptr) {
        number.value = read_plain(reading, key, *value).value_or(0);
    }
    if (const Node* range = node.find("range"); range != nullptr) {
        const auto limits = read_range(reading, key, *range);
        if (limits && limits->first.is_time) wrong_value(reading, key, *range);
        if (limits) number.range = {limits->first.number, limits->second.number};
    }
    if (fields.find("src") != nullptr) number.source = read_source(fields.word("src"));
    if (reading.faults.size() != before) return {};
    return number;
}

/// Puts the parameters of one distribution, already read by its table, into `duration`.
void take_shape(Duration& duration, const std::string& shape, const Fields& fields) {
    const auto time = [&](std::string_view key) {
        const auto* inner = fields.get<Duration>(key);
        return inner != nullptr ? inner->a : Quantity{0, 0, 0, true};
    };
    if (shape == "uniform") {
        duration.shape = Duration::Shape::uniform;
        duration.a = time("from");
        duration.b = time("to");
    } else if (shape == "bimodal") {
        duration.shape = Duration::Shape::bimodal;
        duration.a = time("a");
        duration.b = time("b");
        duration.parameter = fields.number("p_b", 0);
    } else {
        duration.shape = shape == "exponential" ? Duration::Shape::exponential
                         : shape == "gamma"     ? Duration::Shape::gamma
                                                : Duration::Shape::lognormal;
        duration.a = time("mean");
        duration.parameter = fields.number("cv", 0);
    }
}

std::optional<Duration> read_duration(Reading& reading, const Key& key, const Node& node) {
    Duration duration;
    duration.source = reading.source;
    if (node.kind != Node::Kind::map) {
        const std::optional<Quantity> time = read_time(reading, key, node);
        if (!time) return {};
        duration.a = *time;
        return duration;
    }
    const std::size_t before = reading.faults.size();
    const Fields fields = read_fields(reading, duration_table(), node);
    int shapes = 0;
    for (const Attribute& attribute : fields.list) {
        const std::string name(attribute.key->name);
        if (name == "src") {
            duration.source = read_source(std::get<std::string>(attribute.value));
        } else if (name == "range") {
            duration.range = read_range(reading, key, *node.find("range"));
        } else if (++shapes; name == "t") {
            duration.a = std::get<Duration>(attribute.value).a;
        } else if (name == "empirical") {
            duration.shape = Duration::Shape::empirical;
            for (const Node& item : node.find("empirical")->items) {
                if (const auto value = read_time(reading, key, item)) duration.values.push_back(*value);
            }
            if (duration.values.empty()) wrong_value(reading, *attribute.key, *node.find("empirical"));
        } else {
            take_shape(duration, name, *fields.nested(name));
        }
    }
    if (reading.faults.size() != before) return {};
    if (shapes != 1) {
        reading.faults.add(node.mark, shapes == 0 ? "a time is missing" : "more than one time",
                           "expected exactly one of t, uniform, exponential, lognormal, gamma, bimodal, empirical");
        return {};
    }
    if (duration.shape == Duration::Shape::uniform && duration.a.ps > duration.b.ps) {
        reading.faults.add(node.mark, "`from` is above `to`");
        return {};
    }
    return duration;
}

std::optional<std::string> read_choice(Reading& reading, const Key& key, const Node& node) {
    const std::vector<std::string> words = split(key.choices, '|');
    if (is_plain(node) && std::find(words.begin(), words.end(), node.text) != words.end()) return node.text;
    const std::string near = is_plain(node) ? nearest(node.text, words) : "";
    const std::string hint = near.empty() ? "" : "; did you mean '" + near + "'?";
    reading.faults.add(node.mark, what_it_is(node) + " is no value of " + shown(key.name),
                       "expected " + expectation(key) + hint);
    return {};
}

std::optional<bool> read_boolean(Reading& reading, const Key& key, const Node& node) {
    if (is_plain(node) && (node.text == "true" || node.text == "false")) return node.text == "true";
    wrong_value(reading, key, node);
    return {};
}

std::optional<std::vector<std::string>> read_words(Reading& reading, const Key& key, const Node& node) {
    std::vector<std::string> words;
    if (is_plain(node)) return std::vector<std::string>{node.text};
    if (node.kind != Node::Kind::list) {
        wrong_value(reading, key, node);
        return {};
    }
    for (const Node& item : node.items) {
        if (is_plain(item)) {
            words.push_back(item.text);
        } else {
            wrong_value(reading, key, item);
        }
    }
    return words;
}

/// "write", "2 store"; r, w and the like are not worth a second spelling.
bool read_access(const std::string& text, TouchItem& item) {
    const std::size_t blank = text.find(' ');
    const std::string word = blank == std::string::npos ? text : text.substr(text.find_last_of(' ') + 1);
    const std::vector<std::string> words = {"read", "write", "peek", "store"};
    const auto it = std::find(words.begin(), words.end(), word);
    if (it == words.end()) return false;
    item.access = static_cast<Access>(it - words.begin());
    if (blank == std::string::npos) return true;
    const Evaluated count = evaluate(text.substr(0, blank), {});
    const double n = count.value ? count.value->number : 0;
    if (n < 1 || n > 255 || n != std::floor(n)) return false;
    item.count = static_cast<std::uint8_t>(n);
    return true;
}

/// A map is taken in the order of its names, because YAML gives its keys no order; a list keeps its own.
std::optional<std::vector<TouchItem>> read_touch(Reading& reading, const Key& key, const Node& node) {
    const std::size_t before = reading.faults.size();
    std::vector<TouchItem> items;
    const auto read_map = [&](const Node& map) {
        std::vector<const Node*> entries;
        for (const Node& entry : map.items) entries.push_back(&entry);
        std::sort(entries.begin(), entries.end(), [](const Node* a, const Node* b) { return a->key < b->key; });
        for (const Node* entry : entries) {
            TouchItem item{entry->key, Access::read, 1, entry->key_mark};
            if (!is_plain(*entry) || !read_access(entry->text, item)) {
                reading.faults.add(entry->mark, what_it_is(*entry) + " is no access",
                                   "expected read, write, peek or store, or a count before it: '2 store'");
            }
            items.push_back(item);
        }
    };
    if (node.kind == Node::Kind::map) {
        read_map(node);
    } else if (node.kind == Node::Kind::list) {
        for (const Node& item : node.items) {
            if (item.kind == Node::Kind::map) {
                read_map(item);
            } else {
                wrong_value(reading, key, item);
            }
        }
    } else {
        wrong_value(reading, key, node);
    }
    if (reading.faults.size() != before) return {};
    return items;
}

std::optional<Condition> read_condition(Reading& reading, const Key& key, const Node& node) {
    Condition condition;
    std::string text = is_plain(node) ? node.text : "";
    if (text.rfind("not ", 0) == 0) {
        condition.negated = true;
        text = text.substr(4);
    }
    for (const std::string comparison : {"==", "!="}) {
        const std::size_t at = text.find(" " + comparison + " ");
        if (at == std::string::npos || condition.negated) continue;
        condition.negated = comparison == "!=";
        condition.value = text.substr(at + 4);
        text = text.substr(0, at);
    }
    if (text.rfind("config.", 0) != 0 || text.find(' ') != std::string::npos) {
        wrong_value(reading, key, node);
        return {};
    }
    condition.key = text.substr(7);
    if (config_table().find(condition.key) == nullptr) {
        reading.faults.add(node.mark, "unknown configuration " + shown(condition.key),
                           suggestion(condition.key, config_table().names()));
        return {};
    }
    return condition;
}

std::optional<ScopeSpec> read_scope(Reading& reading, const Key& key, const Node& node) {
    if (node.kind == Node::Kind::map && node.items.size() == 1 && node.items.front().key == "cpus") {
        const Key every{"cpus", Type::integer, "", true, {}, {}, 1, 4096};
        const std::optional<double> n = read_plain(reading, every, node.items.front());
        if (!n) return {};
        return ScopeSpec{Scope::cpus, static_cast<std::uint32_t>(*n)};
    }
    // One user and one cgroup so far: what belongs to them is global.
    const std::vector<std::pair<std::string, Scope>> words = {
        {"global", Scope::global}, {"process", Scope::process}, {"cpu", Scope::cpu},      {"node", Scope::node},
        {"task", Scope::task},     {"uid", Scope::global},      {"cgroup", Scope::global}};
    const auto it = std::find_if(words.begin(), words.end(), [&](const auto& w) { return w.first == node.text; });
    if (is_plain(node) && it != words.end()) return ScopeSpec{it->second, 1};
    wrong_value(reading, key, node);
    return {};
}

std::optional<IntegerRange> read_integers(Reading& reading, const Key& key, const Node& node) {
    const auto range = read_range(reading, key, node);
    if (!range) return {};
    const auto fits = [&](const Quantity& q) {
        return !q.is_time && q.number == std::floor(q.number) && q.number >= key.low && q.number <= key.high;
    };
    if (!fits(range->first) || !fits(range->second)) {
        wrong_value(reading, key, node);
        return {};
    }
    return IntegerRange{static_cast<std::uint32_t>(range->first.number),
                        static_cast<std::uint32_t>(range->second.number)};
}

/// "0-47" or "96" or several of them with commas; appends to `cpus`.
bool read_cpu_list(const std::string& text, std::vector<std::pair<std::uint32_t, std::uint32_t>>& cpus) {
    for (const std::string& part : split(text, ',')) {
        const std::vector<std::string> ends = split(part, '-');
        const auto is_number = [](const std::string& s) {
            return !s.empty() && s.size() <= 6 && s.find_first_not_of("0123456789") == std::string::npos;
        };
        if (ends.size() > 2 || !std::all_of(ends.begin(), ends.end(), is_number)) return false;
        const auto first = static_cast<std::uint32_t>(std::stoul(ends.front()));
        const auto last = static_cast<std::uint32_t>(std::stoul(ends.back()));
        if (last < first) return false;
        cpus.emplace_back(first, last);
    }
    return true;
}

std::optional<Affinity> read_affinity(Reading& reading, const Key& key, const Node& node) {
    Affinity affinity;
    if (is_plain(node) && (node.text == "any" || node.text == "core" || node.text == "pu")) {
        affinity.kind = node.text == "any"    ? Affinity::Kind::any
                        : node.text == "core" ? Affinity::Kind::core
                                              : Affinity::Kind::pu;
        return affinity;
    }
    affinity.kind = Affinity::Kind::cpus;
    const Node* cpus = node.kind == Node::Kind::map && node.items.size() == 1 ? node.find("cpus") : nullptr;
    bool good = cpus != nullptr;
    if (good && is_plain(*cpus)) good = read_cpu_list(cpus->text, affinity.cpus);
    if (good && cpus->kind == Node::Kind::list) {
        for (const Node& item : cpus->items) good = good && is_plain(item) && read_cpu_list(item.text, affinity.cpus);
    }
    if (good && !affinity.cpus.empty()) return affinity;
    reading.faults.add(node.mark, "this is no affinity", "expected " + expectation(key));
    return {};
}

std::optional<TaskCount> read_task_count(Reading& reading, const Key& key, const Node& node) {
    if (node.kind == Node::Kind::map) {
        const Node* per = node.find("per");
        if (node.items.size() == 1 && per != nullptr && is_plain(*per) && per->text == "cpu") return TaskCount{true, 1};
        wrong_value(reading, key, node);
        return {};
    }
    const std::optional<Quantity> value = read_quantity(reading, key, node);
    if (!value) return {};
    if (!value->is_time && value->number == 0) {
        reading.faults.add(node.mark, "no tasks: the count is 0", "expected " + expectation(key));
        return {};
    }
    if (value->is_time || value->number != std::floor(value->number) || value->number < 1 || value->number > key.high) {
        wrong_value(reading, key, node);
        return {};
    }
    return TaskCount{false, static_cast<std::uint32_t>(value->number)};
}

template <class T>
std::optional<Value> wrap(std::optional<T> value) {
    if (!value) return {};
    return Value(std::move(*value));
}

}  // namespace

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
    for (const Key& key : table.keys) {
        if (key.required && key.name != skip && node.find(key.name) == nullptr) {
            reading.faults.add(node.mark, "the key " + shown(key.name) + " of " + shown(table.name) + " is missing",
                               "expected " + expectation(key));
        }
    }
    reading.source = outer;
    return fields;
}

}  // namespace forksim
