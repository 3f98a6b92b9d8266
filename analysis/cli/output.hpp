#pragma once
#include <string>
#include <string_view>

namespace forksim {

/// Throws InputError unless `file`, the value of `option`, can be written: asked before work begins, not after. "" and
/// "-" always can.
void require_writable(const std::string& file, std::string_view option = "-o");

/// Writes a result: to standard output for "" or "-", else to `file`. A regular file is written beside its place and
/// renamed at the end, so that it is whole or as it was before, even if the user interrupts. Throws InputError.
void write_output(const std::string& file, std::string_view text, std::string_view option = "-o");

}  // namespace forksim
