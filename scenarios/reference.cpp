// The tables of the language as Markdown.
#include <sstream>

#include "scenarios/describe.hpp"
#include "scenarios/listing.hpp"
#include "scenarios/steps.hpp"

namespace forksim {

using namespace language;

namespace {

std::string takes(const Key& key) {
    if (key.type == Type::choice) {
        std::string list;
        for (const std::string& word : split(key.choices, '|')) {
            if (!list.empty()) list += ", ";
            list += "`" + word + "`";
        }
        return list;
    }
    if (key.type == Type::mapping && key.nested != nullptr) return "a map: " + std::string(key.nested().name);
    if (key.type == Type::named || key.type == Type::listed) {
        return std::string(key.type == Type::named ? "by name: " : "list of: ") + std::string(key.nested().name);
    }
    return expectation(key);
}

/// "a|b" as "a, b".
std::string listed(std::string_view words) {
    std::string text;
    for (const char c : words) text += c == '|' ? std::string(", ") : std::string(1, c);
    return text;
}

void write_table(std::ostream& out, const Table& table) {
    out << "| key | takes | default | meaning |\n|---|---|---|---|\n";
    for (const Key& key : table.keys) {
        out << "| " << (key.free ? "*" : "`") << key.name << (key.free ? "*" : "`") << " | ";
        for (const char c : takes(key)) out << (c == '|' ? "\\|" : std::string(1, c));
        out << " | " << (key.required ? "needed" : std::string(key.fallback)) << " | " << key.doc << " |\n";
    }
    out << '\n';
}

}  // namespace

std::string reference_tables() {
    std::ostringstream out;
    out << "### Steps\n\n";
    for (const StepKind* kind : step_kinds()) {
        out << "#### `" << kind->name() << "`\n\n" << kind->table.doc << "\n\n";
        write_table(out, kind->table);
    }
    out << "### Lock kinds\n\n| kind | modes | a waiter | keys beside per, line | models |\n|---|---|---|---|---|\n";
    for (const LockKindTable& kind : lock_kinds()) {
        out << "| `" << kind.name << "` | " << listed(kind.modes) << " | " << (kind.sleeps ? "sleeps" : "spins")
            << " | " << listed(kind.keys) << " | " << kind.doc << " |\n";
    }
    out << "\n### Kinds of object\n\n| kind | operations | keys of its own | models |\n|---|---|---|---|\n";
    for (const ObjectKindTable& kind : object_kinds()) {
        std::string ops;
        for (const ObjectOpTable& op : object_ops()) {
            if (op.kind != kind.kind) continue;
            ops += (ops.empty() ? "`" : "; `") + std::string(op.name) + "` " + std::string(op.doc);
        }
        std::string keys;
        for (const std::string& key : split(kind.keys, '|')) keys += (keys.empty() ? "`" : ", `") + key + "`";
        out << "| `" << kind.name << "` | " << ops << " | " << keys << " | " << kind.doc << " |\n";
    }
    out << "\n### Documents, blocks and forms of values\n\n";
    for (const Table* table : all_tables()) {
        out << "#### " << table->name << "\n\n" << table->doc << "\n\n";
        write_table(out, *table);
    }
    return out.str();
}

}  // namespace forksim
