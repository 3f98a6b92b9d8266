// Reads what a step touches: accesses to lines, operations on objects.
#include <algorithm>
#include <cmath>

#include "scenarios/value_readers.hpp"

namespace forksim::language {
namespace {

const std::vector<std::string>& access_words() {
    static const std::vector<std::string> words = {"read", "write", "peek", "store"};
    return words;
}

/// "write", "2 store", "store @victim"; r, w and the like are not worth a second spelling.
bool read_access(std::string text, TouchItem& item) {
    if (const std::size_t at = text.find(" @"); at != std::string::npos) {
        item.handle = text.substr(at + 2);
        if (!is_word(item.handle)) return false;
        item.whose = Whose::handle;
        text.resize(text.find_last_not_of(' ', at) + 1);
    }
    const std::size_t blank = text.find(' ');
    const std::string word = blank == std::string::npos ? text : text.substr(text.find_last_of(' ') + 1);
    const std::vector<std::string>& words = access_words();
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

/// "embryo", "@kid"
bool read_whose(const std::string& text, TouchItem& item) {
    if (text == "embryo") {
        item.whose = Whose::embryo;
        return true;
    }
    if (text.empty() || text.front() != '@' || !is_word(text.substr(1))) return false;
    item.whose = Whose::handle;
    item.handle = text.substr(1);
    return true;
}

/// "insert", "insert embryo", "remove @kid". False if it begins with no operation.
bool read_operation(Reading& reading, const Node& entry, TouchItem& item) {
    const std::size_t blank = entry.text.find(' ');
    const std::string word = entry.text.substr(0, blank);
    const auto ops = object_ops();
    const auto it = std::find_if(ops.begin(), ops.end(), [&](const ObjectOpTable& op) { return op.name == word; });
    if (it == ops.end()) return false;
    item.object = true;
    item.op = it->op;
    if (blank == std::string::npos) return true;
    const std::string whose = entry.text.substr(std::min(entry.text.find_first_not_of(' ', blank), entry.text.size()));
    if (!read_whose(whose, item)) {
        reading.faults.add(entry.mark, shown(whose) + " is nobody's element",
                           "expected " + word + ", " + word + " embryo or " + word + " @CHILD");
    }
    return true;
}

void read_entry(Reading& reading, const Node& entry, std::vector<TouchItem>& items) {
    TouchItem item;
    item.line = entry.key;
    item.mark = entry.key_mark;
    item.what_mark = entry.mark;
    if (!is_plain(entry) || (!read_access(entry.text, item) && !read_operation(reading, entry, item))) {
        std::vector<std::string> known = access_words();
        std::string list;
        for (const ObjectOpTable& op : object_ops()) {
            known.emplace_back(op.name);
            list += (list.empty() ? "" : ", ") + std::string(op.name);
        }
        const std::string near = is_plain(entry) ? nearest(entry.text.substr(0, entry.text.find(' ')), known) : "";
        reading.faults.add(entry.mark, what_it_is(entry) + " is no access and no operation",
                           "expected read, write, peek or store, or a count before it: '2 store'; of an object " +
                               list + (near.empty() ? "" : "; did you mean '" + near + "'?"));
    }
    items.push_back(std::move(item));
}

void read_map(Reading& reading, const Node& map, std::vector<TouchItem>& items) {
    std::vector<const Node*> entries;
    for (const Node& entry : map.items) entries.push_back(&entry);
    std::sort(entries.begin(), entries.end(), [](const Node* a, const Node* b) { return a->key < b->key; });
    for (const Node* entry : entries) read_entry(reading, *entry, items);
}

}  // namespace

std::optional<std::vector<TouchItem>> read_touch(Reading& reading, const Key& key, const Node& node) {
    const std::size_t before = reading.faults.size();
    std::vector<TouchItem> items;
    if (node.kind == Node::Kind::map) {
        read_map(reading, node, items);
    } else if (node.kind == Node::Kind::list) {
        for (const Node& item : node.items) {
            if (item.kind == Node::Kind::map) {
                read_map(reading, item, items);
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

}  // namespace forksim::language
