#include "platforms/simgrid/run_command.hpp"

#include <charconv>
#include <cstdint>
#include <limits>
#include <string_view>

#include "platforms/simgrid/reference.hpp"
#include "scenarios/scenario.hpp"
#include "sim/error.hpp"
#include "sim/random.hpp"

namespace forksim {
namespace {

struct Asked {
    Request request;
    std::uint32_t replication = 0;
};

template <class T>
T whole_number(std::string_view option, std::string_view text) {
    T value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (text.empty() || error != std::errc{} || end != text.data() + text.size()) {
        throw InputError("forksim-simgrid run: " + std::string(option) + " takes a whole number up to " +
                         std::to_string(std::numeric_limits<T>::max()) + ", not '" + std::string(text) + "'");
    }
    return value;
}

void set_option(Asked& asked, const std::string& option, const std::string& value) {
    Request& request = asked.request;
    if (option == "--platform") {
        request.platform = value;
    } else if (option == "--cpus") {
        request.cpus = whole_number<std::uint32_t>(option, value);
    } else if (option == "--base-patch") {
        request.base_patches.push_back(value);
    } else if (option == "--patch") {
        request.patches.push_back(value);
    } else if (option == "--set") {
        request.sets.push_back(value);
    } else if (option == "--seed") {
        request.seed = whole_number<std::uint64_t>(option, value);
    } else if (option == "--duration") {
        request.duration = value;
    } else if (option == "--warmup") {
        request.warmup = value;
    } else if (option == "--replication") {
        asked.replication = whole_number<std::uint32_t>(option, value);
    } else {
        throw InputError("forksim-simgrid run: unknown option " + option + "\n" + run_usage);
    }
}

Asked read_options(const std::vector<std::string>& words) {
    Asked asked;
    for (std::size_t i = 0; i < words.size(); ++i) {
        if (words[i].starts_with("--")) {
            if (i + 1 == words.size()) throw InputError("forksim-simgrid run: " + words[i] + " takes a value");
            set_option(asked, words[i], words[i + 1]);
            ++i;
        } else if (asked.request.scenario.empty()) {
            asked.request.scenario = words[i];
        } else {
            throw InputError("forksim-simgrid run: a second scenario, '" + words[i] + "'");
        }
    }
    if (asked.request.scenario.empty()) throw InputError(run_usage);
    return asked;
}

}  // namespace

std::string run_command(const std::vector<std::string>& words) {
    const Asked asked = read_options(words);
    const Compiled compiled = compile(asked.request);
    const std::uint64_t stream = mix(compiled.measure.seed, asked.replication);
    return format_answer(reference::run(compiled.program, compiled.model, compiled.topology, compiled.core, stream));
}

}  // namespace forksim
