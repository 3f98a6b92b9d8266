// Reads whole documents: kernels, patches, scenarios, platforms.
#include <algorithm>
#include <set>

#include "scenarios/resolve.hpp"
#include "scenarios/value_readers.hpp"

namespace forksim::language {
namespace {

/// {NAME: map}: locks, lines, objects, pools.
std::vector<Declared> read_named(Reading& reading, const Table& table, const Node* node) {
    std::vector<Declared> result;
    if (node == nullptr) return result;
    if (node->kind != Node::Kind::map) {
        if (node->kind != Node::Kind::null) wrong_value(reading, Key{table.name, Type::named, ""}, *node);
        return result;
    }
    for (const Node& item : node->items) {
        if (!is_word(item.key)) {
            reading.faults.add(item.key_mark, shown(item.key) + " is no name of a " + std::string(table.name),
                               "expected " + expectation({"", Type::word, ""}));
            continue;
        }
        Node map = item;
        if (map.kind == Node::Kind::null) map.kind = Node::Kind::map;
        result.push_back({item.key, item.key_mark, read_fields(reading, table, map)});
    }
    return result;
}

/// The part of "1..20: machine" before the colon.
bool read_cpu_range(const std::string& text, PlatformChoice& choice) {
    const std::size_t dots = text.find("..");
    const auto number = [](const std::string& digits) -> std::uint32_t {
        const bool good =
            !digits.empty() && digits.size() <= 6 && digits.find_first_not_of("0123456789") == std::string::npos;
        return good ? static_cast<std::uint32_t>(std::stoul(digits)) : 0;
    };
    choice.low = number(text.substr(0, dots));
    choice.high = dots == std::string::npos ? choice.low : number(text.substr(dots + 2));
    return choice.low >= 1 && choice.high >= choice.low;
}

bool is_range_map(const Node& node) {
    const auto digit_first = [](const Node& item) {
        return !item.key.empty() && item.key[0] >= '0' && item.key[0] <= '9';
    };
    return node.kind == Node::Kind::map && std::any_of(node.items.begin(), node.items.end(), digit_first);
}

/// A shape is either uniform or built like a known machine.
void check_shape(Reading& reading, const Fields& shape) {
    const bool uniform = shape.find("uniform") != nullptr;
    for (const Attribute& attribute : shape.list) {
        const std::string_view key = attribute.key->name;
        const bool of_uniform = key == "uniform" || key == "distance";
        if (key != "platform" && of_uniform != uniform) {
            reading.faults.add(attribute.label_mark, shown(key) + (uniform ? " beside" : " without") + " 'uniform'");
        }
    }
    for (const std::string_view key : {"cores", "like"}) {
        if (uniform || shape.find(key) != nullptr) continue;
        reading.faults.add(shape.mark, "the key " + shown(key) + " of 'platform' is missing",
                           "expected " + expectation(*platform_table().find(key)));
    }
}

std::optional<PlatformChoice> read_platform_choice(Reading& reading, const Node& node) {
    PlatformChoice choice;
    choice.mark = node.mark;
    if (node.kind == Node::Kind::scalar) {
        choice.name = node.text;
        return choice;
    }
    if (node.kind != Node::Kind::map) {
        wrong_value(reading, *scenario_table().find("platform"), node);
        return {};
    }
    // `platform:` names a document; a shape inside a scenario has no name.
    choice.shape = read_fields(reading, platform_table(), node, "platform");
    check_shape(reading, *choice.shape);
    return choice;
}

std::vector<PlatformChoice> read_platforms(Reading& reading, const Node& node, bool& by_range) {
    std::vector<PlatformChoice> choices;
    by_range = is_range_map(node);
    if (!by_range) {
        if (auto choice = read_platform_choice(reading, node)) choices.push_back(std::move(*choice));
        return choices;
    }
    for (const Node& item : node.items) {
        std::optional<PlatformChoice> choice = read_platform_choice(reading, item);
        if (!choice) continue;
        if (!read_cpu_range(item.key, *choice)) {
            reading.faults.add(item.key_mark, shown(item.key) + " is no range of CPUs", "expected LOW..HIGH");
            continue;
        }
        const auto overlaps = [&](const PlatformChoice& other) {
            return other.low <= choice->high && choice->low <= other.high;
        };
        if (std::any_of(choices.begin(), choices.end(), overlaps)) {
            reading.faults.add(item.key_mark, "the range " + shown(item.key) + " overlaps another");
        }
        choices.push_back(std::move(*choice));
    }
    std::sort(choices.begin(), choices.end(), [](const auto& a, const auto& b) { return a.low < b.low; });
    return choices;
}

/// `forever:` beside `do:` is the step of that name.
Step forever_step(Reading& reading, const Node& node) {
    Step loop;
    loop.kind = &forever_kind();
    loop.mark = node.key_mark;
    loop.fields.table = &loop.kind->table;
    loop.blocks.push_back({&loop.kind->table.keys.front(), node.mark, {}, read_steps(reading, node)});
    return loop;
}

TasksEntry read_tasks_entry(Reading& reading, const Node& node) {
    TasksEntry entry;
    entry.fields = read_fields(reading, tasks_table(), node);
    entry.function.name = entry.fields.word("tasks");
    entry.function.mark = node.mark;
    entry.function.user = true;
    entry.function.is_task = true;
    const Node* once = entry.fields.raw("do");
    const Node* forever = entry.fields.raw("forever");
    const int bodies = (once != nullptr) + (forever != nullptr) + (entry.fields.find("use") != nullptr);
    if (node.kind == Node::Kind::map && bodies != 1) {
        reading.faults.add(node.mark, bodies == 0 ? "these tasks do nothing" : "these tasks have more than one body",
                           "expected exactly one of do, forever, use");
    }
    if (once != nullptr) entry.function.steps = read_steps(reading, *once);
    if (forever != nullptr) entry.function.steps.push_back(forever_step(reading, *forever));
    assign_names(entry.function, reading.faults);
    return entry;
}

/// `edits:` and the like: a list of maps, or one map.
std::vector<const Node*> list_of_maps(Reading& reading, const Key& key, const Node& node) {
    std::vector<const Node*> result;
    if (node.kind == Node::Kind::map) return {&node};
    if (node.kind != Node::Kind::list) {
        wrong_value(reading, key, node);
        return result;
    }
    for (const Node& item : node.items) result.push_back(&item);
    return result;
}

/// `patches:`, each with its place.
std::vector<std::pair<std::string, Mark>> read_patch_names(const Fields& fields, const Node& node) {
    std::vector<std::pair<std::string, Mark>> patches;
    const auto* names = fields.get<std::vector<std::string>>("patches");
    if (names == nullptr) return patches;
    const Node& list = *node.find("patches");
    for (std::size_t i = 0; i < names->size(); ++i) {
        patches.emplace_back((*names)[i], i < list.items.size() ? list.items[i].mark : list.mark);
    }
    return patches;
}

/// `applies_to:`, a kernel or a kernel with patches: "linux-6.14 + free-pid-outside-tasklist".
std::vector<PatchBase> read_bases(Reading& reading, const Node& node) {
    std::vector<PatchBase> bases;
    const auto read_one = [&](const Node& item) {
        if (item.kind != Node::Kind::scalar) return;  // reported by read_fields
        PatchBase base;
        base.mark = item.mark;
        for (const std::string& part : split(item.text, '+')) {
            const std::size_t begin = part.find_first_not_of(' ');
            const std::string name =
                begin == std::string::npos ? "" : part.substr(begin, part.find_last_not_of(' ') + 1 - begin);
            if (!is_word(name)) {
                reading.faults.add(item.mark, shown(item.text) + " is no kernel with patches",
                                   "expected KERNEL or KERNEL + PATCH + ...");
                return;
            }
            if (base.kernel.empty()) {
                base.kernel = name;
            } else {
                base.patches.push_back(name);
            }
        }
        bases.push_back(std::move(base));
    };
    if (node.kind == Node::Kind::list) {
        for (const Node& item : node.items) read_one(item);
    } else {
        read_one(node);
    }
    return bases;
}

}  // namespace

Names read_let(const Node& node, Diagnostics& faults) {
    Names names;
    if (node.kind != Node::Kind::map) {
        faults.add(node.mark, "this is no map of names", "expected {NAME: EXPRESSION, ...}");
        return names;
    }
    // Names may use each other whatever their order: evaluate until nothing more can be.
    std::vector<const Node*> open;
    for (const Node& item : node.items) open.push_back(&item);
    while (true) {
        const std::size_t before = open.size();
        const auto done = [&](const Node* item) {
            const Evaluated result = evaluate(item->text, names);
            if (result.value) names[item->key] = *result.value;
            return result.value.has_value();
        };
        open.erase(std::remove_if(open.begin(), open.end(), done), open.end());
        if (open.size() == before) break;
    }
    for (const Node* item : open) {
        const Evaluated result = evaluate(item->text, names);
        faults.add(item->mark, shown(item->text) + ": " + result.message, result.hint);
    }
    return names;
}

Function read_function(Reading& reading, const std::string& name, const Node& node, bool user_mode) {
    Function function;
    function.name = name;
    function.mark = node.key_mark;
    function.user = user_mode;
    const Node* first = node.kind == Node::Kind::map && !node.items.empty() ? &node : nullptr;
    const bool is_step = first != nullptr && std::any_of(node.items.begin(), node.items.end(), [](const Node& item) {
                             return item.key != "forever" && find_step_kind(item.key) != nullptr;
                         });
    if (first == nullptr || is_step) {
        if (node.kind != Node::Kind::null) function.steps = read_steps(reading, node);
    } else {
        const Fields fields = read_fields(reading, function_table(), node);
        const Source outer = reading.source;
        if (const Node* src = node.find("src"); src != nullptr) {
            if (const Source own = read_source(src->text); own != Source::none) reading.source = own;
        }
        if (fields.find("user") != nullptr) function.user = fields.flag("user");
        const Node* forever = fields.raw("forever");
        if (const Node* steps = fields.raw("do"); steps != nullptr) function.steps = read_steps(reading, *steps);
        if (forever != nullptr) function.steps.push_back(forever_step(reading, *forever));
        reading.source = outer;
    }
    assign_names(function, reading.faults);
    return function;
}

Definitions read_definitions(Reading& reading, const Fields& fields, bool user_mode) {
    Definitions define;
    define.locks = read_named(reading, lock_table(), fields.raw("locks"));
    for (const Declared& lock : define.locks) {
        for (const Attribute& attribute : lock.fields.list) check_lock_key(lock.fields, attribute, reading.faults);
    }
    define.lines = read_named(reading, line_table(), fields.raw("lines"));
    define.objects = read_named(reading, object_table(), fields.raw("objects"));
    define.pools = read_named(reading, pool_table(), fields.raw("pools"));
    const Node* functions = fields.raw("functions");
    if (functions == nullptr) return define;
    if (functions->kind != Node::Kind::map) {
        wrong_value(reading, Key{"functions", Type::functions, ""}, *functions);
        return define;
    }
    for (const Node& item : functions->items) {
        if (!is_word(item.key)) {
            reading.faults.add(item.key_mark, shown(item.key) + " is no name of a function",
                               "expected " + expectation({"", Type::word, ""}));
            continue;
        }
        define.functions.push_back(read_function(reading, item.key, item, user_mode));
    }
    return define;
}

KernelDocument read_kernel(Reading& reading, const Node& node) {
    KernelDocument kernel;
    kernel.mark = node.mark;
    if (const Node* let = node.find("let"); let != nullptr) reading.let = read_let(*let, reading.faults);
    const Fields fields = read_fields(reading, kernel_table(), node);
    kernel.name = fields.word("kernel");
    kernel.like = fields.word("like");
    if (const Attribute* like = fields.find("like"); like != nullptr) kernel.like_mark = like->mark;
    kernel.patches = read_patch_names(fields, node);
    kernel.worlds = fields.word("worlds");
    if (const Attribute* worlds = fields.find("worlds"); worlds != nullptr) kernel.worlds_mark = worlds->mark;
    if (const auto* words = fields.get<std::vector<std::string>>("unmodelled"); words != nullptr)
        kernel.unmodelled = *words;
    if (const Fields* config = fields.nested("config"); config != nullptr) kernel.config = *config;
    if (const Fields* rcu = fields.nested("rcu"); rcu != nullptr) kernel.rcu = *rcu;
    if (const Fields* spin = fields.nested("spin"); spin != nullptr) kernel.spin = *spin;
    kernel.define = read_definitions(reading, fields, false);
    if (const Fields* add = fields.nested("add"); add != nullptr) kernel.add = read_definitions(reading, *add, false);
    if (const Node* edits = fields.raw("edits"); edits != nullptr) kernel.edits = read_edits(reading, *edits);
    if (kernel.like.empty() && !kernel.patches.empty()) {
        reading.faults.add(node.find("patches")->key_mark, "patches without `like`",
                           "a version is its neighbour, patches and edits");
        kernel.patches.clear();
    }
    return kernel;
}

PatchDocument read_patch(Reading& reading, const Node& node) {
    PatchDocument patch;
    patch.mark = node.mark;
    if (const Node* let = node.find("let"); let != nullptr) reading.let = read_let(*let, reading.faults);
    const Fields fields = read_fields(reading, patch_table(), node);
    patch.name = fields.word("patch");
    patch.origin = fields.word("commit", fields.word("origin"));
    if (const Node* bases = node.find("applies_to"); bases != nullptr) patch.applies_to = read_bases(reading, *bases);
    reading.source = read_source(fields.word("src"));
    if (const Fields* add = fields.nested("add"); add != nullptr) patch.add = read_definitions(reading, *add, false);
    if (const Node* edits = fields.raw("edits"); edits != nullptr) patch.edits = read_edits(reading, *edits);
    return patch;
}

ScenarioDocument read_scenario(Reading& reading, const Node& node) {
    ScenarioDocument scenario;
    scenario.mark = node.mark;
    if (const Node* let = node.find("let"); let != nullptr) reading.let = read_let(*let, reading.faults);
    const Fields fields = read_fields(reading, scenario_table(), node);
    scenario.name = fields.word("scenario");
    scenario.kernel = fields.word("kernel", "bare");
    scenario.kernel_mark = node.mark;
    if (const Attribute* kernel = fields.find("kernel"); kernel != nullptr) scenario.kernel_mark = kernel->mark;
    scenario.patches = read_patch_names(fields, node);
    if (const Node* platform = fields.raw("platform"); platform != nullptr) {
        scenario.platforms = read_platforms(reading, *platform, scenario.by_range);
    }
    if (const Fields* config = fields.nested("config"); config != nullptr) scenario.config = *config;
    if (const Fields* rcu = fields.nested("rcu"); rcu != nullptr) scenario.rcu = *rcu;
    if (const Fields* spin = fields.nested("spin"); spin != nullptr) scenario.spin = *spin;
    if (const Fields* measure = fields.nested("measure"); measure != nullptr) scenario.measure = *measure;
    scenario.define = read_definitions(reading, fields, true);
    if (const Node* workload = fields.raw("workload"); workload != nullptr) {
        for (const Node* entry : list_of_maps(reading, *scenario_table().find("workload"), *workload)) {
            scenario.workload.push_back(read_tasks_entry(reading, *entry));
        }
        if (scenario.workload.empty() && workload->kind == Node::Kind::list) {
            reading.faults.add(workload->mark, "no tasks: the workload is empty");
        }
    }
    return scenario;
}

DocumentSet read_document_set(const std::vector<Node>& nodes, Diagnostics& faults) {
    DocumentSet set;
    const std::string begins_with = "it begins with kernel:, patch:, scenario:, platform:, worlds: or published:";
    const std::vector<std::string> kinds = {"kernel", "patch", "scenario", "platform", "worlds", "published"};
    for (const Node& node : nodes) {
        if (node.kind != Node::Kind::map || node.items.empty()) {
            faults.add(node.mark, "a document must be a map", begins_with);
            continue;
        }
        Reading reading{faults, {}, Source::none};
        // The kind of a document is its first key.
        const std::string& kind = node.items.front().key;
        if (kind == "kernel") {
            set.kernels.push_back(read_kernel(reading, node));
        } else if (kind == "patch") {
            set.patches.push_back(read_patch(reading, node));
        } else if (kind == "scenario") {
            set.scenarios.push_back(read_scenario(reading, node));
        } else if (kind == "platform") {
            const Fields fields = read_fields(reading, platform_table(), node);
            check_shape(reading, fields);
            set.platforms.push_back({fields.word("platform"), fields});
        } else if (kind == "worlds") {
            set.worlds.push_back(read_worlds(reading, node));
        } else if (kind == "published") {
            set.published.push_back(read_published(reading, node));
        } else {
            faults.add(node.items.front().key_mark, "unknown kind of document " + shown(kind),
                       suggestion(kind, kinds).empty() ? begins_with : suggestion(kind, kinds));
        }
    }
    return set;
}

}  // namespace forksim::language
