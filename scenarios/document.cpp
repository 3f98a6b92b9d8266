#include "scenarios/document.hpp"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <system_error>

namespace forksim::language {
namespace {

/// Thrown after a fault behind which nothing can be trusted.
struct Stop {};

/// Builds nodes from the events of the YAML parser, and refuses what this language does not use.
class Builder : public YAML::EventHandler {
  public:
    Builder(const std::string& text, std::shared_ptr<const std::string> file, Diagnostics& faults)
        : text_(text), file_(std::move(file)), faults_(faults) {}

    std::vector<Node> documents;

    void OnDocumentStart(const YAML::Mark& mark) override {
        const bool marked = text_.compare(static_cast<std::size_t>(std::max(mark.pos, 0)), 3, "---") == 0;
        if (!documents.empty() && !marked) {
            faults_.add(at(mark), "text after the end of the document", "documents are separated by a line '---'");
            throw Stop{};
        }
        documents.emplace_back();
        documents.back().mark = at(mark);
    }
    void OnDocumentEnd() override {}
    void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override { leaf(mark, anchor, Node::Kind::null, {}); }
    void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override {
        faults_.add(at(mark), "aliases (*name) are not allowed");
        leaf(mark, 0, Node::Kind::null, {});
    }
    void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  const std::string& value) override {
        const bool in_quotes = tag == "!";
        if (!in_quotes) refuse_tag(mark, tag);
        const bool none = !in_quotes && (value == "~" || value.empty());
        leaf(mark, anchor, none ? Node::Kind::null : Node::Kind::scalar, value);
        if (last_ != nullptr) last_->quoted = in_quotes;
    }
    void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                         YAML::EmitterStyle::value) override {
        open(mark, tag, anchor, Node::Kind::list);
    }
    void OnSequenceEnd() override { close(); }
    void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                    YAML::EmitterStyle::value) override {
        open(mark, tag, anchor, Node::Kind::map);
    }
    void OnMapEnd() override { close(); }

    Mark at(const YAML::Mark& mark) const {
        if (mark.is_null()) return {file_, 1, 1};
        return {file_, static_cast<std::uint32_t>(mark.line + 1), static_cast<std::uint32_t>(mark.column + 1)};
    }

  private:
    struct Level {
        Node node;
        bool has_key = false;  // of a map: a key waits for its value
        std::string key;
        Mark key_mark;
        std::map<std::string, std::uint32_t> lines;  // of a map: its keys and where they stand
    };

    void refuse_tag(const YAML::Mark& mark, const std::string& tag) {
        if (!tag.empty() && tag != "?") faults_.add(at(mark), "tags (" + shown(tag) + ") are not allowed");
    }
    void refuse_anchor(const YAML::Mark& mark, YAML::anchor_t anchor) {
        if (anchor != 0) faults_.add(at(mark), "anchors (&name) are not allowed");
    }

    void open(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor, Node::Kind kind) {
        refuse_tag(mark, tag);
        refuse_anchor(mark, anchor);
        if (levels_.size() >= static_cast<std::size_t>(max_document_depth)) {
            faults_.add(at(mark), "nested deeper than " + std::to_string(max_document_depth) + " levels");
            throw Stop{};
        }
        levels_.emplace_back();
        levels_.back().node.kind = kind;
        levels_.back().node.mark = at(mark);
    }
    void close() {
        Node node = std::move(levels_.back().node);
        levels_.pop_back();
        place(std::move(node));
    }
    void leaf(const YAML::Mark& mark, YAML::anchor_t anchor, Node::Kind kind, const std::string& text) {
        refuse_anchor(mark, anchor);
        Node node;
        node.kind = kind;
        node.mark = at(mark);
        node.text = text;
        place(std::move(node));
    }

    /// Puts a finished node where it belongs: a key, the value of a key, an item of a list, the document.
    void place(Node node) {
        last_ = nullptr;
        if (levels_.empty()) {
            documents.back() = std::move(node);
            last_ = &documents.back();
            return;
        }
        Level& level = levels_.back();
        if (level.node.kind == Node::Kind::map && !level.has_key) {
            take_key(level, node);
            return;
        }
        if (level.node.kind == Node::Kind::map) {
            level.has_key = false;
            node.key = level.key;
            node.key_mark = level.key_mark;
            if (node.key == "<<") return;
            const auto [first, is_new] = level.lines.try_emplace(node.key, node.key_mark.line);
            if (!is_new) {
                faults_.add(node.key_mark, "duplicate key " + shown(node.key),
                            "first at line " + std::to_string(first->second));
                return;
            }
        }
        level.node.items.push_back(std::move(node));
        last_ = &level.node.items.back();
    }
    void take_key(Level& level, const Node& node) {
        level.has_key = true;
        level.key = node.text;
        level.key_mark = node.mark;
        if (node.kind != Node::Kind::scalar) {
            faults_.add(node.mark, "a key must be a word", node.kind == Node::Kind::null ? "" : "not a list or a map");
        } else if (node.text == "<<") {
            faults_.add(node.mark, "merge keys (<<) are not allowed");
        }
    }

    const std::string& text_;
    std::shared_ptr<const std::string> file_;
    Diagnostics& faults_;
    std::vector<Level> levels_;
    Node* last_ = nullptr;  // placed last, while it may still be changed
};

/// Length of the UTF-8 sequence that starts at `i`, or 0 if it is not one (RFC 3629).
std::size_t utf8_length(const std::string& text, std::size_t i) {
    const auto byte = [&](std::size_t k) { return k < text.size() ? static_cast<unsigned char>(text[k]) : 0u; };
    const unsigned lead = byte(i);
    if (lead < 0x80) return 1;
    const std::size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
    if (lead < 0xC2 || lead > 0xF4) return 0;
    for (std::size_t k = 1; k < length; ++k) {
        if ((byte(i + k) & 0xC0) != 0x80) return 0;
    }
    const unsigned second = byte(i + 1);
    const bool overlong = (lead == 0xE0 && second < 0xA0) || (lead == 0xF0 && second < 0x90);
    const bool beyond = (lead == 0xED && second > 0x9F) || (lead == 0xF4 && second > 0x8F);
    return overlong || beyond ? 0 : length;
}

/// Whether `text` is what a YAML file may be made of; else reports the first place where it is not.
bool is_plain_text(const std::string& text, const std::shared_ptr<const std::string>& file, Diagnostics& faults) {
    Mark mark{file, 1, 1};
    for (std::size_t i = 0; i < text.size();) {
        const auto c = static_cast<unsigned char>(text[i]);
        const std::size_t length = utf8_length(text, i);
        if (length == 0) {
            faults.add(mark, "not UTF-8 text");
            return false;
        }
        if ((c < 0x20 && c != '\n' && c != '\r' && c != '\t') || c == 0x7F) {
            faults.add(mark, "control character (code " + std::to_string(c) + ") in the text", "is this a text file?");
            return false;
        }
        if (c == '\n') {
            ++mark.line;
            mark.column = 1;
        } else {
            ++mark.column;
        }
        i += length;
    }
    return true;
}

void parse(const std::string& text, Builder& builder, Diagnostics& faults) {
    try {
        std::istringstream stream(text);
        YAML::Parser parser(stream);
        while (parser.HandleNextDocument(builder)) {
        }
    } catch (const Stop&) {
    } catch (const YAML::Exception& error) {
        faults.add(builder.at(error.mark), "not valid YAML: " + error.msg);
    }
}

}  // namespace

const Node* Node::find(std::string_view wanted) const {
    const auto it = std::find_if(items.begin(), items.end(), [&](const Node& item) { return item.key == wanted; });
    return it == items.end() ? nullptr : &*it;
}

std::vector<Node> parse_documents(const std::string& text, const std::string& file, Diagnostics& faults) {
    const auto name = std::make_shared<const std::string>(file);
    if (text.size() > max_document_bytes) {
        faults.add({name, 0, 0}, "larger than " + std::to_string(max_document_bytes) + " bytes");
        return {};
    }
    if (!is_plain_text(text, name, faults)) return {};
    for (std::size_t i = 0, line = 1; i != std::string::npos && i < text.size(); ++line) {
        if (text[i] == '%') {
            faults.add({name, static_cast<std::uint32_t>(line), 1}, "directives (%...) are not allowed");
            return {};
        }
        i = text.find('\n', i);
        if (i != std::string::npos) ++i;
    }
    Builder builder(text, name, faults);
    const std::size_t before = faults.size();
    parse(text, builder, faults);
    const auto is_empty = [](const Node& node) { return node.kind == Node::Kind::null; };
    std::vector<Node> documents = std::move(builder.documents);
    documents.erase(std::remove_if(documents.begin(), documents.end(), is_empty), documents.end());
    if (documents.empty() && faults.size() == before) faults.add({name, 1, 1}, "the file is empty");
    return documents;
}

std::vector<Node> read_documents(const std::string& path, Diagnostics& faults) {
    const Mark mark{std::make_shared<const std::string>(path), 0, 0};
    std::error_code failure;
    const auto status = std::filesystem::status(path, failure);
    if (!std::filesystem::exists(status)) {
        faults.add(mark, "no such file");
        return {};
    }
    if (std::filesystem::is_directory(status)) {
        faults.add(mark, "is a directory, not a file");
        return {};
    }
    std::ifstream stream(path, std::ios::binary);
    std::string text(max_document_bytes + 1, '\0');
    if (stream) stream.read(text.data(), static_cast<std::streamsize>(text.size()));
    if (stream.bad() || (!stream && stream.gcount() == 0 && !stream.eof())) {
        faults.add(mark, "cannot be read");
        return {};
    }
    text.resize(static_cast<std::size_t>(stream.gcount()));
    return parse_documents(text, path, faults);
}

Node parse_value(const std::string& text, const std::string& origin, Diagnostics& faults) {
    if (text.empty()) {
        faults.add({std::make_shared<const std::string>(origin), 0, 0}, "a value is missing");
        return {};
    }
    std::vector<Node> documents = parse_documents(text, origin, faults);
    return documents.size() == 1 ? std::move(documents.front()) : Node{};
}

}  // namespace forksim::language
