#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace forksim {

/// Writes JSON text: objects and arrays in the order of the calls, indented by two, numbers as the caller wrote
/// them. Small objects and arrays can stand on one line.
/// REQUIRES calls in the grammar of JSON: key() before each value in an object, each begin closed by its end.
class JsonWriter {
  public:
    enum class Layout : std::uint8_t { lines, one_line };

    JsonWriter& begin_object(Layout layout = Layout::lines) { return begin('{', '}', layout); }
    JsonWriter& begin_array(Layout layout = Layout::lines) { return begin('[', ']', layout); }
    JsonWriter& end();
    JsonWriter& key(std::string_view name);

    JsonWriter& string(std::string_view value);
    JsonWriter& integer(std::uint64_t value) { return raw(std::to_string(value)); }
    JsonWriter& boolean(bool value) { return raw(value ? "true" : "false"); }
    JsonWriter& real(double value);  ///< number_12(): null unless finite
    JsonWriter& raw(std::string_view number);
    JsonWriter& null() { return raw("null"); }

    /// The text so far, ending in a newline. REQUIRES every begin closed.
    std::string text() const;

  private:
    struct Level {
        char close;
        bool one_line;
        bool empty;
    };
    JsonWriter& begin(char open, char close, Layout layout);
    void separate();
    void new_line();
    void quote(std::string_view value);

    std::string out_;
    std::vector<Level> levels_;
    bool after_key_ = false;
};

}  // namespace forksim
