// Reads numbers, times and distributions.
#include <algorithm>
#include <cmath>

#include "scenarios/value_readers.hpp"

namespace forksim::language {
namespace {

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

}  // namespace

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

}  // namespace forksim::language
