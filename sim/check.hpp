#pragma once
#include <string_view>

namespace forksim {

/// Throws InternalError with "file:line: message (condition)". Meant to be called by FORKSIM_CHECK only.
[[noreturn]] void check_failed(std::string_view file, int line, std::string_view condition, std::string_view message);

}  // namespace forksim

/// An assertion that stays on in release builds: throws InternalError when `condition` is false.
/// `message` (anything that a string_view is made from) is evaluated only then.
/// In a noexcept function the failure ends the process by std::terminate.
#define FORKSIM_CHECK(condition, message)                                     \
    do {                                                                      \
        if (!(condition)) [[unlikely]]                                        \
            ::forksim::check_failed(__FILE__, __LINE__, #condition, message); \
    } while (false)
