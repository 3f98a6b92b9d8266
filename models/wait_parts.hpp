#pragma once
#include <string_view>
#include <vector>

#include "models/spec.hpp"

namespace forksim {

/// What the parts are called into which waits for a lock of this kind are divided, in the order of
/// SiteRecord::wait_part_ps; empty if they are not.
std::vector<std::string_view> wait_part_names(LockKind kind);

}  // namespace forksim
