#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "scenarios/diagnostics.hpp"

namespace forksim::language {

/// A value of a YAML document, with the place it stands at. Nothing after document.cpp sees the YAML library.
struct Node {
    enum class Kind { null, scalar, list, map };
    Kind kind = Kind::null;
    Mark mark;
    std::string text;         ///< scalar: its text
    bool quoted = false;      ///< scalar: written in quotes, so never a number
    std::string key;          ///< an item of a map: its key
    Mark key_mark;            ///< an item of a map: where the key stands
    std::vector<Node> items;  ///< list or map; the keys of a map are distinct

    /// The item of a map with this key, or null.
    const Node* find(std::string_view wanted) const;
};

/// Limits that keep every input cheap to refuse.
inline constexpr std::size_t max_document_bytes = 1'000'000;
inline constexpr int max_document_depth = 64;

/// Reads the YAML documents in `text`, separated by lines that begin with "---". Anchors, aliases, tags, merge
/// keys, directives, duplicate keys, deep nesting, NUL and other control characters, invalid UTF-8, empty text and
/// text above the limit are faults. After a fault of syntax the rest of the text is not read.
std::vector<Node> parse_documents(const std::string& text, const std::string& file, Diagnostics& faults);

/// The same for a file; a missing or unreadable file or a directory is a fault too.
std::vector<Node> read_documents(const std::string& path, Diagnostics& faults);

/// One value as it is typed on a command line, with the same limits; `origin` names the option.
Node parse_value(const std::string& text, const std::string& origin, Diagnostics& faults);

}  // namespace forksim::language
