#include "analysis/cli/cpu_list.hpp"

#include <algorithm>
#include <set>

#include "sim/error.hpp"

namespace forksim {

std::vector<std::optional<std::uint32_t>> read_cpu_list(const std::string& text, const std::string& command) {
    if (text.empty()) return {std::nullopt};
    std::vector<std::optional<std::uint32_t>> counts;
    std::set<std::uint32_t> seen;
    for (std::size_t from = 0; from <= text.size();) {
        const std::size_t to = std::min(text.find(',', from), text.size());
        const std::string one = text.substr(from, to - from);
        if (one.empty() || one.size() > 6 || one.find_first_not_of("0123456789") != std::string::npos)
            throw InputError(command + ": --cpus " + text + ": expected whole numbers such as 20,40,80");
        const auto count = static_cast<std::uint32_t>(std::stoul(one));
        if (!seen.insert(count).second)
            throw InputError(command + ": --cpus " + text + ": " + one + " stands there twice");
        counts.emplace_back(count);
        from = to + 1;
    }
    return counts;
}

}  // namespace forksim
