// Worlds: sets of values that the numbers of a kernel which nobody has measured may have together.
#include "scenarios/worlds.hpp"

#include <algorithm>
#include <utility>

namespace forksim::language {
namespace {

constexpr std::string_view machine_prefix = "platform.";

/// "platform.MACHINE.KEY": both names may have dots, of which the last one separates them.
std::pair<std::string, std::string> machine_and_key(const std::string& address) {
    const std::string rest = address.substr(machine_prefix.size());
    const std::size_t dot = rest.rfind('.');
    if (dot == std::string::npos) return {};
    return {rest.substr(0, dot), rest.substr(dot + 1)};
}

bool is_of_machine(const std::string& address) { return address.rfind(machine_prefix, 0) == 0; }

}  // namespace

WorldsDocument read_worlds(Reading& reading, const Node& node) {
    WorldsDocument worlds;
    worlds.mark = node.mark;
    const Fields fields = read_fields(reading, worlds_table(), node);
    worlds.name = fields.word("worlds");
    for (auto [key, columns] : {std::pair("set", &worlds.set), std::pair("scale", &worlds.scale)}) {
        const auto* names = fields.get<std::vector<std::string>>(key);
        if (names == nullptr) continue;
        const Node& list = *node.find(key);
        for (std::size_t i = 0; i < names->size(); ++i) {
            const Mark mark = i < list.items.size() ? list.items[i].mark : list.mark;
            columns->push_back({(*names)[i], mark});
            const bool machine = columns == &worlds.set && is_of_machine((*names)[i]);
            if (machine && machine_and_key((*names)[i]).second.empty())
                reading.faults.add(mark, shown((*names)[i]) + " names no machine", "expected platform.MACHINE.KEY");
        }
    }
    const Node* rows = fields.raw("rows");
    if (rows == nullptr) return worlds;
    if (rows->kind != Node::Kind::list) {
        wrong_value(reading, *worlds_table().find("rows"), *rows);
        return worlds;
    }
    const std::size_t width = worlds.set.size() + worlds.scale.size();
    for (const Node& row : rows->items) {
        if (row.kind != Node::Kind::list || row.items.size() != width) {
            reading.faults.add(
                row.mark, "a row of " + std::to_string(row.kind == Node::Kind::list ? row.items.size() : 1) + " values",
                "expected " + std::to_string(width) + ": one for each of `set`, then of `scale`");
            continue;
        }
        worlds.rows.push_back(row.items);
    }
    if (rows->items.empty()) reading.faults.add(rows->mark, "no rows: at least one world is needed");
    return worlds;
}

void apply_world(const KernelDocument& kernel, Library& library, Resolved& resolved, Diagnostics& faults) {
    const WorldsDocument* worlds = library.worlds(kernel.worlds, kernel.worlds_mark);
    if (worlds == nullptr || worlds->rows.empty()) return;  // reported
    const std::uint32_t world = resolved.world.value_or(0);
    resolved.worlds = static_cast<std::uint32_t>(worlds->rows.size());
    if (world >= resolved.worlds) {
        faults.add(worlds->mark, "no world " + std::to_string(world),
                   "there are " + std::to_string(resolved.worlds) + ", from 0");
        return;
    }
    const std::vector<Node>& row = worlds->rows[world];
    Edit set;
    set.verb = Edit::Verb::set;
    set.source = Source::estimated;
    Edit scale;
    scale.verb = Edit::Verb::scale;
    for (std::size_t i = 0; i < worlds->set.size(); ++i) {
        const auto& [address, mark] = worlds->set[i];
        if (is_of_machine(address)) {
            const auto [machine, key] = machine_and_key(address);
            resolved.machine_settings.push_back({machine, {key, row[i].text}});
        } else {
            set.settings.push_back({address, mark, row[i]});
        }
    }
    Reading reading{faults, {}, Source::estimated};
    for (std::size_t i = 0; i < worlds->scale.size(); ++i) {
        const auto& [address, mark] = worlds->scale[i];
        const Key factor{address, Type::number, "", true, {}, {}, 0, 1e6};
        const std::optional<Value> value = read_value(reading, factor, row[worlds->set.size() + i]);
        if (value) scale.factors.push_back({address, mark, std::get<Number>(*value).value});
    }
    const Editable editable{{resolved.define, "kernel " + kernel.name, {}, resolved.past},
                            resolved.config,
                            resolved.rcu,
                            resolved.spin,
                            resolved.conditions,
                            {},
                            nullptr};
    apply_edits(editable, {set, scale}, faults);
}

}  // namespace forksim::language
