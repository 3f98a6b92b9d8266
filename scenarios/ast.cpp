#include "scenarios/ast.hpp"

#include <algorithm>

namespace forksim::language {

Owned owned(const std::string& text) {
    const std::size_t at = text.find('@');
    if (at == std::string::npos) return {text, {}};
    return {text.substr(0, at), text.substr(at + 1)};
}

const Attribute* Fields::find(std::string_view key) const {
    const auto it = std::find_if(list.begin(), list.end(), [&](const Attribute& a) { return a.key->name == key; });
    return it == list.end() ? nullptr : &*it;
}

Attribute* Fields::find(std::string_view key) { return const_cast<Attribute*>(std::as_const(*this).find(key)); }

std::string Fields::word(std::string_view key, std::string_view fallback) const {
    const auto* text = get<std::string>(key);
    return text != nullptr ? *text : std::string(fallback);
}

double Fields::number(std::string_view key, double fallback) const {
    const auto* number = get<Number>(key);
    return number != nullptr ? number->value : fallback;
}

bool Fields::flag(std::string_view key) const {
    const auto* value = get<bool>(key);
    return value != nullptr && *value;
}

const Fields* Fields::nested(std::string_view key) const {
    const auto* inner = get<std::vector<Fields>>(key);
    return inner != nullptr && !inner->empty() ? &inner->front() : nullptr;
}

const Node* Fields::raw(std::string_view key) const {
    const auto* value = get<Raw>(key);
    return value != nullptr ? value->node : nullptr;
}

void Fields::put(Attribute attribute) {
    if (Attribute* there = find(attribute.key->name); there != nullptr) {
        *there = std::move(attribute);
    } else {
        list.push_back(std::move(attribute));
    }
}

const Block* Step::block(std::string_view key) const {
    const auto it = std::find_if(blocks.begin(), blocks.end(), [&](const Block& b) { return b.key->name == key; });
    return it == blocks.end() ? nullptr : &*it;
}

Block* Step::block(std::string_view key) { return const_cast<Block*>(std::as_const(*this).block(key)); }

}  // namespace forksim::language
