#include "sim/check.hpp"

#include <string>

#include "sim/error.hpp"

namespace forksim {

void check_failed(std::string_view file, int line, std::string_view condition, std::string_view message) {
    std::string text(file);
    text += ':' + std::to_string(line) + ": ";
    text.append(message).append(" (").append(condition) += ')';
    throw InternalError(text);
}

}  // namespace forksim
