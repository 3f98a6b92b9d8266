#include "analysis/export/json_writer.hpp"

#include "analysis/export/numbers.hpp"
#include "sim/check.hpp"

namespace forksim {

JsonWriter& JsonWriter::begin(char open, char close, Layout layout) {
    separate();
    const bool inside_line = !levels_.empty() && levels_.back().one_line;
    levels_.push_back({close, layout == Layout::one_line || inside_line, true});
    out_ += open;
    return *this;
}

JsonWriter& JsonWriter::end() {
    FORKSIM_CHECK(!levels_.empty() && !after_key_, "JSON: nothing to end here");
    const Level level = levels_.back();
    levels_.pop_back();
    if (!level.empty && !level.one_line) new_line();
    out_ += level.close;
    return *this;
}

JsonWriter& JsonWriter::key(std::string_view name) {
    FORKSIM_CHECK(!levels_.empty() && levels_.back().close == '}' && !after_key_, "JSON: no key belongs here");
    separate();
    quote(name);
    out_ += ": ";
    after_key_ = true;
    return *this;
}

JsonWriter& JsonWriter::string(std::string_view value) {
    separate();
    quote(value);
    return *this;
}

JsonWriter& JsonWriter::real(double value) { return raw(number_12(value)); }

JsonWriter& JsonWriter::raw(std::string_view number) {
    separate();
    out_ += number;
    return *this;
}

std::string JsonWriter::text() const {
    FORKSIM_CHECK(levels_.empty() && !after_key_, "JSON: not complete");
    return out_ + '\n';
}

void JsonWriter::separate() {
    if (after_key_) {
        after_key_ = false;
        return;
    }
    if (levels_.empty()) return;
    Level& level = levels_.back();
    if (!level.empty) out_ += level.one_line ? ", " : ",";
    level.empty = false;
    if (!level.one_line) new_line();
}

void JsonWriter::new_line() {
    out_ += '\n';
    out_.append(2 * levels_.size(), ' ');
}

void JsonWriter::quote(std::string_view value) {
    constexpr std::string_view hex = "0123456789abcdef";
    out_ += '"';
    for (const char c : value) {
        const auto code = static_cast<unsigned char>(c);
        if (c == '"' || c == '\\') {
            out_ += '\\';
            out_ += c;
        } else if (code < 0x20) {
            out_ += "\\u00";
            out_ += hex[code >> 4];
            out_ += hex[code & 15];
        } else {
            out_ += c;
        }
    }
    out_ += '"';
}

}  // namespace forksim
