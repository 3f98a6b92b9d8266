#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace forksim {

/// The value of `--cpus` of a subcommand that compares: "20,40,80"; empty: one entry, the scenario's own number.
/// Throws InputError, naming `command`.
std::vector<std::optional<std::uint32_t>> read_cpu_list(const std::string& text, const std::string& command);

}  // namespace forksim
