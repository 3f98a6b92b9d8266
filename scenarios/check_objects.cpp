// Objects as they are declared, and what steps do with them, reached or not.
#include <algorithm>

#include "scenarios/resolve.hpp"

namespace forksim::language {
namespace {

constexpr double fewest_ids = 32768;  // of ObjectTable's default

std::string listed(const std::vector<std::string>& words) {
    std::string text;
    for (std::size_t i = 0; i < words.size(); ++i) {
        text += (i == 0 ? "" : i + 1 == words.size() ? " or " : ", ") + words[i];
    }
    return text;
}

bool has(const std::vector<std::string>& list, std::string_view word) {
    return std::find(list.begin(), list.end(), word) != list.end();
}

ScopeSpec scope_of(const Declared& declared) {
    const auto* scope = declared.fields.get<ScopeSpec>("per");
    return scope != nullptr ? *scope : ScopeSpec{};
}

/// The line of a root or head exists once per instance of its object.
void check_line(const Definitions& define, const Declared& object, Diagnostics& faults) {
    const Attribute* key = object.fields.find("line");
    const std::string name = object.fields.word("line", "own");
    if (key == nullptr || name == "own") return;
    const Declared* line = find_declared(define.lines, name);
    if (line == nullptr) {
        faults.add(key->mark, "unknown line " + shown(name), suggestion(name, names_of(define.lines)));
        return;
    }
    const ScopeSpec own = scope_of(object);
    const ScopeSpec other = scope_of(*line);
    if (own.scope != other.scope || own.every != other.every) {
        faults.add(key->mark, shown(object.name) + " and its line " + shown(name) + " have different scopes",
                   "both need the same `per`");
    }
    if (line->fields.flag("far")) faults.add(key->mark, "the line " + shown(name) + " is far: it is always another");
}

void check_declared(const Definitions& define, const Declared& object, Diagnostics& faults) {
    const std::string kind_name = object.fields.word("kind");
    const ObjectKindTable* kind = find_object_kind(kind_name);
    if (kind == nullptr) return;  // reported by the reader
    if (find_declared(define.lines, object.name) != nullptr) {
        faults.add(object.mark, "the object " + shown(object.name) + " bears the name of a line",
                   "steps could not say which they touch");
    }
    const std::vector<std::string> own = split(kind->keys, '|');
    for (const char* key : {"line", "head", "ids"}) {
        const Attribute* given = object.fields.find(key);
        if (given == nullptr || has(own, key)) continue;
        faults.add(given->label_mark, "the key " + shown(key) + " of an object of kind " + kind_name,
                   "of its own it has " + listed(own));
    }
    check_line(define, object, faults);
    const double resident = object.fields.number("resident", 0);
    const double ids = object.fields.number("ids", fewest_ids);
    if (kind->kind == ObjectKind::idr && resident + 1 >= ids) {
        const Attribute* given = object.fields.find("ids");
        faults.add((given != nullptr ? given : object.fields.find("resident"))->mark,
                   "no number is left: " + number_text(resident) + " of those below " + number_text(ids) +
                       " are taken for ever",
                   "ids must be at least " + number_text(resident + 2));
    }
}

}  // namespace

void check_objects(const Definitions& define, Diagnostics& faults) {
    for (const Declared& object : define.objects) check_declared(define, object, faults);
}

void check_touch(const Definitions& define, const TouchItem& touch, Diagnostics& faults) {
    const Declared* object = find_declared(define.objects, touch.line);
    const Declared* line = find_declared(define.lines, touch.line);
    const ObjectKindTable* kind = object != nullptr ? find_object_kind(object->fields.word("kind")) : nullptr;
    if (!touch.object) {
        if (line != nullptr) return;
        if (kind != nullptr) {
            faults.add(touch.what_mark, shown(touch.line) + " is an object: it is not read or written as a line",
                       "expected " + listed(ops_of(kind->kind)));
        } else if (object == nullptr) {
            std::vector<std::string> known = names_of(define.lines);
            for (const std::string& name : names_of(define.objects)) known.push_back(name);
            faults.add(touch.mark, "unknown line " + shown(touch.line), suggestion(touch.line, known));
        }
        return;
    }
    const std::string op(table_of(touch.op).name);
    if (object == nullptr && line != nullptr) {
        faults.add(touch.what_mark, shown(touch.line) + " is a line: " + shown(op) + " is an operation on an object",
                   "expected read, write, peek or store");
    } else if (object == nullptr) {
        faults.add(touch.mark, "unknown object " + shown(touch.line), suggestion(touch.line, names_of(define.objects)));
    } else if (kind != nullptr && table_of(touch.op).kind != kind->kind) {
        faults.add(
            touch.what_mark,
            shown(op) + " is no operation on " + shown(touch.line) + ", which is of kind " + std::string(kind->name),
            "expected " + listed(ops_of(kind->kind)));
    }
}

}  // namespace forksim::language
