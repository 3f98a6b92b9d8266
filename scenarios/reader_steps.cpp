// Reads steps: which kind a map is, its keys, and the steps inside it.
#include <algorithm>
#include <map>
#include <set>

#include "scenarios/reader.hpp"

namespace forksim::language {
namespace {

/// A value of these types that cannot be read leaves the rest of the step as it is.
bool is_number(Type type) {
    return type == Type::duration || type == Type::time || type == Type::number || type == Type::integer ||
           type == Type::fraction || type == Type::boolean || type == Type::touch;
}

/// Reads one key of a step into `step`: a value, or a block of steps.
void read_key(Reading& reading, Step& step, const Key& key, const Node& item) {
    const std::string label = key.free ? item.key : "";
    if (key.type == Type::steps) {
        step.blocks.push_back({&key, item.mark, label, read_steps(reading, item)});
        return;
    }
    std::optional<Value> value = read_value(reading, key, item);
    if (!value && !is_number(key.type)) reading.faults.mark_incomplete();
    if (value) step.fields.list.push_back({&key, item.mark, label, item.key_mark, std::move(*value)});
}

/// The keys in the map behind the kind: those marked `inside`, and at most one chosen by the user.
void read_inside(Reading& reading, Step& step, const Node& map) {
    const Table& table = step.kind->table;
    const auto free = std::find_if(table.keys.begin(), table.keys.end(), [](const Key& k) { return k.free; });
    if (map.kind != Node::Kind::map) {
        wrong_value(reading, table.keys.front(), map);
        return;
    }
    std::vector<std::string> known;
    for (const Key& key : table.keys) {
        if (key.inside && !key.free) known.emplace_back(key.name);
    }
    int chosen = 0;
    for (const Node& item : map.items) {
        const Key* key = table.find(item.key);
        if (key != nullptr && key->inside) {
            read_key(reading, step, *key, item);
        } else if (free != table.keys.end() && chosen == 0) {
            ++chosen;
            read_key(reading, step, *free, item);
        } else {
            if (item.kind != Node::Kind::scalar) reading.faults.mark_incomplete();
            reading.faults.add(item.key_mark, "unknown key " + shown(item.key) + " of step " + shown(step.kind->name()),
                               suggestion(item.key, known));
        }
    }
    for (const Key& key : table.keys) {
        const bool there = key.free ? chosen > 0 : map.find(key.name) != nullptr;
        if (key.inside && key.required && !there) {
            reading.faults.add(map.mark, "step " + shown(step.kind->name()) + " lacks " + shown(key.name),
                               "expected " + expectation(key));
        }
    }
}

/// The keys beside the kind.
void read_beside(Reading& reading, Step& step, const Node& node) {
    const Table& table = step.kind->table;
    for (const Node& item : node.items) {
        if (item.key == step.kind->name()) continue;
        if (item.key == "name") {
            if (const auto value = read_value(reading, *step_table().find("name"), item)) {
                step.name = std::get<std::string>(*value);
                step.named = true;
            }
            continue;
        }
        const Key* key = table.find(item.key);
        if (key == nullptr || key->inside) key = step_table().find(item.key);
        if (key == nullptr) {
            if (item.kind != Node::Kind::scalar) reading.faults.mark_incomplete();
            std::vector<std::string> known = step_table().names();
            for (const Key& own : table.keys) {
                if (!own.inside && !own.free) known.emplace_back(own.name);
            }
            const bool misplaced = table.find(item.key) != nullptr;
            const std::string hint = misplaced ? "it stands inside '" + std::string(step.kind->name()) + ": {...}'"
                                               : suggestion(item.key, known);
            reading.faults.add(item.key_mark, "unknown key " + shown(item.key) + " of step " + shown(step.kind->name()),
                               hint);
            continue;
        }
        read_key(reading, step, *key, item);
    }
    for (const Key& key : table.keys) {
        if (!key.required || key.inside || key.name == step.kind->name() || node.find(key.name) != nullptr) continue;
        reading.faults.add(node.mark, "step " + shown(step.kind->name()) + " lacks " + shown(key.name),
                           "expected " + expectation(key));
    }
}

const StepKind* kind_of(Reading& reading, const Node& node) {
    const StepKind* kind = nullptr;
    for (const Node& item : node.items) {
        const StepKind* found = find_step_kind(item.key);
        if (found == nullptr) continue;
        if (kind != nullptr && kind->table.find(item.key) != nullptr) continue;
        if (kind != nullptr && found->table.find(kind->name()) == nullptr) {
            reading.faults.add(item.key_mark,
                               "two steps in one map: " + shown(kind->name()) + " and " + shown(item.key),
                               "begin each step with '- '");
            return nullptr;
        }
        kind = found;
    }
    if (kind == nullptr) {
        const Mark mark = node.items.empty() ? node.mark : node.items.front().key_mark;
        const std::string word = node.items.empty() ? "" : node.items.front().key;
        reading.faults.add(mark, "unknown step " + shown(word), suggestion(word, step_kind_names()));
    }
    return kind;
}

/// `hold: 40ns` and `lines: 2` of a section stand for a body of one part named `hold` that touches lines named after
/// the lock, so that they travel with the lock.
void expand_shorthand(Reading& reading, Step& step) {
    const Attribute* hold = step.fields.find("hold");
    const Attribute* lines = step.fields.find("lines");
    if (hold == nullptr && lines == nullptr) return;
    if (step.block("body") != nullptr || hold == nullptr) {
        reading.faults.add(step.mark, hold == nullptr ? "`lines` without `hold`" : "`hold` and `body` in one section");
        return;
    }
    Step part;
    part.kind = &work_kind();
    part.mark = hold->mark;
    part.name = "hold-of-" + (step.named ? step.name : step.fields.word("section"));
    part.named = true;
    const std::vector<Key>& keys = part.kind->table.keys;
    part.fields.table = &part.kind->table;
    part.fields.mark = hold->mark;
    part.fields.list.push_back({&keys.front(), hold->mark, {}, hold->mark, hold->value});
    if (lines != nullptr) {
        std::vector<TouchItem> touch;
        for (int i = 1; i <= static_cast<int>(std::get<Number>(lines->value).value); ++i) {
            const Owned lock = owned(step.fields.word("section"));
            touch.push_back({data_line(lock.name, i), Access::write, 1, lines->mark, false, ObjectOp::insert,
                             lock.owner.empty() ? Whose::self : Whose::handle, lock.owner, lines->mark});
        }
        part.fields.list.push_back({part.kind->table.find("touch"), lines->mark, {}, lines->mark, std::move(touch)});
    }
    const Mark mark = hold->mark;
    std::vector<Attribute>& list = step.fields.list;
    const auto is_short = [](const Attribute& a) { return a.key->name == "hold" || a.key->name == "lines"; };
    list.erase(std::remove_if(list.begin(), list.end(), is_short), list.end());
    step.blocks.push_back({step.kind->table.find("body"), mark, {}, {std::move(part)}});
}

/// A loop has turns of one sort.
void check_repeat(Reading& reading, const Node& map) {
    int given = 0;
    for (const char* key : {"n", "each", "take"}) given += map.find(key) != nullptr ? 1 : 0;
    if (map.kind != Node::Kind::map || given == 1) return;
    const std::string expected =
        "expected " + expectation(*repeat_kind().table.find("n")) + ", or `each` or `take` and a set of children";
    reading.faults.add(map.mark, given == 0 ? "step 'repeat' lacks 'n'" : "two of 'n', 'each' and 'take' in one loop",
                       expected);
}

/// The order of keys in the file has no meaning: from here on it is that of the table.
void in_table_order(Step& step) {
    const std::vector<Key>& keys = step.kind->table.keys;
    const auto place = [&](const Key* key) {
        const auto it = std::find_if(keys.begin(), keys.end(), [&](const Key& k) { return &k == key; });
        return it - keys.begin();
    };
    const auto earlier = [&](const auto& a, const auto& b) { return place(a.key) < place(b.key); };
    std::stable_sort(step.fields.list.begin(), step.fields.list.end(), earlier);
    std::stable_sort(step.blocks.begin(), step.blocks.end(), earlier);
}

std::optional<Step> read_step(Reading& reading, const Node& node) {
    Step step;
    step.mark = node.mark;
    step.fields.mark = node.mark;
    if (node.kind == Node::Kind::scalar) {
        step.kind = find_step_kind(node.text);
        if (step.kind == nullptr) {
            reading.faults.add(node.mark, "unknown step " + shown(node.text), suggestion(node.text, step_kind_names()));
            return {};
        }
        step.fields.table = &step.kind->table;
        if (step.kind->table.keys.front().type != Type::none && !step.kind->may_be_bare) {
            wrong_value(reading, step.kind->table.keys.front(),
                        Node{Node::Kind::null, node.mark, {}, false, {}, {}, {}});
            return {};
        }
        return step;
    }
    if (node.kind != Node::Kind::map) {
        reading.faults.add(node.mark, "this is no step", "expected a map such as {work: 60ns, name: init}");
        return {};
    }
    step.kind = kind_of(reading, node);
    if (step.kind == nullptr) return {};
    step.mark = node.find(step.kind->name())->key_mark;
    step.fields.table = &step.kind->table;
    const Node& value = *node.find(step.kind->name());
    const bool bare = value.kind == Node::Kind::null && step.kind->may_be_bare;
    if (bare) {
        // the word alone, beside a name or a condition
    } else if (!step.kind->is_map) {
        read_key(reading, step, step.kind->table.keys.front(), value);
    } else {
        read_inside(reading, step, value);
    }
    read_beside(reading, step, node);
    if (step.kind == &repeat_kind()) check_repeat(reading, value);
    if (step.kind == &section_kind()) expand_shorthand(reading, step);
    in_table_order(step);
    return step;
}

using Counts = std::map<std::string, int>;

void collect_names(const std::vector<Step>& steps, std::set<std::string>& used) {
    for (const Step& step : steps) {
        if (!step.name.empty()) used.insert(step.name);
        for (const Block& block : step.blocks) collect_names(block.steps, used);
    }
}

/// `seen` holds the names met so far and where; `used` all names of the function.
void name_steps(const std::string& function, std::vector<Step>& steps, std::map<std::string, Mark>& seen,
                std::set<std::string>& used, Counts& counts, Diagnostics& faults) {
    for (Step& step : steps) {
        if (step.name.empty()) {
            // A call goes by the name of its function, f, f2, f3; the rest is numbered from the first on.
            const bool is_call = step.kind == &call_kind();
            const std::string base = is_call ? step.fields.word("call") : std::string(step.kind->name());
            do {
                const int number = ++counts[base];
                step.name = is_call && number == 1 ? base : base + std::to_string(number);
            } while (!used.insert(step.name).second);
        }
        const auto [it, is_new] = seen.try_emplace(step.name, step.mark);
        if (!is_new) {
            faults.add(step.mark, "a second step named " + shown(step.name) + " in " + shown(function),
                       "the first stands at line " + std::to_string(it->second.line));
        }
        if (step.site.empty()) step.site = function + "/" + step.name;
        for (Block& block : step.blocks) name_steps(function, block.steps, seen, used, counts, faults);
    }
}

}  // namespace

std::vector<Step> read_steps(Reading& reading, const Node& node) {
    std::vector<Step> steps;
    const auto read_one = [&](const Node& item) {
        if (std::optional<Step> step = read_step(reading, item)) {
            steps.push_back(std::move(*step));
        } else {
            reading.faults.mark_incomplete();
        }
    };
    if (node.kind != Node::Kind::list) {
        read_one(node);
    } else {
        for (const Node& item : node.items) read_one(item);
    }
    return steps;
}

void assign_names(Function& function, Diagnostics& faults) {
    std::set<std::string> used;
    collect_names(function.steps, used);
    std::map<std::string, Mark> seen;
    Counts counts;
    name_steps(function.name, function.steps, seen, used, counts, faults);
}

std::string data_line(const std::string& lock, int ordinal) { return lock + ".data." + std::to_string(ordinal); }

}  // namespace forksim::language
