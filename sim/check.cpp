#include "sim/check.hpp"

#include <string>

#include "sim/error.hpp"

namespace forksim {

void check_failed(std::string_view file, int line, std::string_view condition, std::string_view message) {
    // The compiler names files relative to the build directory; the reader knows them from the project root.
    while (file.starts_with("../")) file.remove_prefix(3);
    std::string text(file);
    text += ':' + std::to_string(line) + ": ";
    text.append(message).append(" (").append(condition) += ')';
    throw InternalError(text);
}

}  // namespace forksim
