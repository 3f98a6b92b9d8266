#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace forksim {

/// Mails get quoted: no line of text output is wider.
inline constexpr std::size_t text_width = 72;

std::string padded_left(std::string_view text, std::size_t width);   ///< right-justified
std::string padded_right(std::string_view text, std::size_t width);  ///< left-justified

/// `text` if it fits, else with its middle replaced by "..": both ends tell names apart. REQUIRES width >= 4.
std::string shortened(std::string_view text, std::size_t width);

/// Words of `text` on lines of at most text_width, each behind `first` or, from the second line on, behind as
/// many blanks; a `first` wider than half a line stands on a line of its own. No blanks at the end of a line. Words too
/// long for a line are shortened. Ends in a newline.
std::string wrapped(std::string_view first, std::string_view text);

/// A table whose first column is a name and whose other columns are numbers, right-justified. A name too long for
/// its column stands on a line of its own. No line is wider than text_width, whatever the cells hold, as long as
/// the numbers of a row leave room.
class TextTable {
  public:
    explicit TextTable(std::vector<std::string> heading) : rows_{{std::move(heading), false}} {}

    /// `cells` as many as the heading has.
    void add(std::vector<std::string> cells) { rows_.push_back({std::move(cells), false}); }
    /// A line without numbers, such as the lock to which the next rows belong.
    void add_title(std::string title) { rows_.push_back({{std::move(title)}, true}); }

    bool empty() const { return rows_.size() == 1; }
    std::string text() const;

  private:
    struct Row {
        std::vector<std::string> cells;
        bool is_title;
    };
    std::vector<Row> rows_;  // the first is the heading
};

}  // namespace forksim
