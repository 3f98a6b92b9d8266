#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/topology.hpp"

namespace forksim {

/// One key of `--set platform.KEY=VALUE`; the table in settings.cpp is all that there are.
struct PlatformKey {
    std::string_view name;
    std::string_view unit;   ///< "duration", "fraction", "node", "name" or "idle states"
    std::string_view range;  ///< in words, such as "0..1s"
    std::string_view doc;    ///< one sentence
};

/// All keys, in the order in which their settings take effect.
std::span<const PlatformKey> platform_keys();

/// A key and the text of its value, as typed.
struct PlatformSetting {
    std::string key;
    std::string value;
};

/// Changes `topology` by all `settings` together: the order in which they stand does not matter.
///
/// Distances are given as what a dirty transfer costs, for a line whose home is on one of the two sockets. When `llc`,
/// `socket` or `cross_socket` takes effect, the distances to memory follow: each node's memory then lies halfway
/// between the LLCs of its socket. Returns the keys that reach nothing on this machine, such as `cross_socket` on one
/// socket. Throws InputError "platform.KEY: ..." for an unknown key, one given twice, a value out of range, and with
/// `coherence: home` for a transfer across sockets cheaper than half of one within the socket.
std::vector<std::string> apply_platform_settings(Topology& topology, std::span<const PlatformSetting> settings);

}  // namespace forksim
