#include "models/wait_parts.hpp"

#include "models/lock_table.hpp"

namespace forksim {
namespace {

template <class Kind>
void add_names(LockKind kind, std::vector<std::string_view>& names) {
    if constexpr (requires { Kind::wait_parts; }) {
        static_assert(Kind::wait_parts.size() <= max_wait_parts);
        if (Kind::kind == kind) names.assign(Kind::wait_parts.begin(), Kind::wait_parts.end());
    }
}

template <class... Kinds>
std::vector<std::string_view> names_among(LockKind kind, const LockPools<Kinds...>*) {
    std::vector<std::string_view> names;
    (add_names<Kinds>(kind, names), ...);
    return names;
}

}  // namespace

std::vector<std::string_view> wait_part_names(LockKind kind) {
    return names_among(kind, static_cast<const AllLockPools*>(nullptr));
}

}  // namespace forksim
