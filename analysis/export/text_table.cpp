#include "analysis/export/text_table.hpp"

#include <algorithm>

namespace forksim {

std::string padded_left(std::string_view text, std::size_t width) {
    return std::string(width - std::min(width, text.size()), ' ') + std::string(text);
}

std::string padded_right(std::string_view text, std::size_t width) {
    return std::string(text) + std::string(width - std::min(width, text.size()), ' ');
}

std::string shortened(std::string_view text, std::size_t width) {
    if (text.size() <= width) return std::string(text);
    const std::size_t tail = (width - 2) / 2;
    const std::size_t head = width - 2 - tail;
    return std::string(text.substr(0, head)) + ".." + std::string(text.substr(text.size() - tail));
}

std::string wrapped(std::string_view first, std::string_view text) {
    if (first.size() > text_width / 2) {
        const std::size_t blanks = std::min(first.find_first_not_of(' '), text_width / 2 - 4);
        return shortened(first.substr(0, first.find_last_not_of(' ') + 1), text_width) + '\n' +
               (text.empty() ? "" : wrapped(std::string(blanks + 4, ' '), text));
    }
    const std::size_t room = text_width - first.size();
    std::string out;
    std::string line;
    const auto flush = [&] {
        line.insert(0, out.empty() ? std::string(first) : std::string(first.size(), ' '));
        out += line.substr(0, line.find_last_not_of(' ') + 1) + '\n';
        line.clear();
    };
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find(' ', at), text.size());
        const std::string word = shortened(text.substr(at, end - at), room);
        if (!line.empty() && line.size() + 1 + word.size() > room) flush();
        if (!line.empty()) line += ' ';
        line += word;
        at = end + 1;
    }
    flush();
    return out;
}

std::string TextTable::text() const {
    const std::size_t columns = rows_.front().cells.size();
    std::vector<std::size_t> widths(columns, 0);
    std::size_t numbers = 0;
    for (std::size_t c = 1; c < columns; ++c) {
        for (const Row& row : rows_) {
            if (!row.is_title) widths[c] = std::max(widths[c], row.cells[c].size());
        }
        numbers += widths[c] + 1;
    }
    // What the names leave over goes between the columns of numbers, two blanks at most.
    const std::size_t name_room = text_width - std::min(numbers, text_width - 4);
    std::size_t name_width = 0;
    for (const Row& row : rows_) {
        if (!row.is_title && row.cells[0].size() <= name_room) name_width = std::max(name_width, row.cells[0].size());
    }
    const std::size_t gap = name_room - name_width >= columns - 1 ? 2 : 1;

    std::string out;
    for (const Row& row : rows_) {
        std::string line = shortened(row.cells[0], text_width);
        if (!row.is_title) {
            if (line.size() > name_width) {
                out += line + '\n';
                line.clear();
            }
            line = padded_right(line, name_width);
            for (std::size_t c = 1; c < columns; ++c) line += padded_left(row.cells[c], widths[c] + gap);
        }
        out += line + '\n';
    }
    return out;
}

}  // namespace forksim
