// Time has no scale of its own: with every duration doubled, of scenario, kernel, machine, windows and timers,
// everything happens at twice the time, to the picosecond.
#include <doctest/doctest.h>

#include <algorithm>
#include <regex>
#include <sstream>

#include "tests/system/runs.hpp"

namespace forksim::test {
namespace {

/// Each number with a unit of time times `factor`, and `hz` divided by it.
std::string stretched(const std::string& text, int factor) {
    static const std::regex token(R"(\bhz: (\d+)|[A-Za-z_]\w*|(\d+(?:\.\d+)?)(ns|us|ms|s)\b)");
    std::string result;
    auto from = text.begin();
    for (std::sregex_iterator it(text.begin(), text.end(), token), end; it != end; ++it) {
        result.append(from, text.begin() + it->position());
        std::ostringstream value;
        if ((*it)[1].matched) {
            value << "hz: " << std::stoi((*it)[1]) / factor;
        } else if ((*it)[2].matched) {
            value << std::stod((*it)[2]) * factor << (*it)[3];
        } else {
            value << it->str();  // a name, which may have digits in it
        }
        result += value.str();
        from = text.begin() + it->position() + it->length();
    }
    return result.append(from, text.end());
}

/// The machine's own times as settings, times `factor`.
std::vector<std::string> machine_settings(const Topology& machine, int factor) {
    const auto time = [&](Time t) {
        std::ostringstream out;
        out.precision(15);
        out << static_cast<double>(t.ps * factor) / 1000 << "ns";
        return out.str();
    };
    std::vector<std::string> sets = {"platform.llc=" + time(machine.within_llc[0]),
                                     "platform.llc_hit=" + time(machine.llc_hit),
                                     "platform.pause=" + time(machine.pause)};
    if (machine.cores < machine.cpu_count()) sets.push_back("platform.smt=" + time(machine.smt));
    if (machine.llcs > 1) sets.push_back("platform.cross_socket=" + time(machine.between_llcs[1]));
    std::string states;
    for (const IdleState& state : machine.idle_states)
        states += (states.empty() ? "" : " ") + time(state.after) + ':' + time(state.exit);
    if (!states.empty()) sets.push_back("platform.idle_states=" + states);
    return sets;
}

struct Case {
    std::string platform;
    std::uint32_t cpus;
    std::string cv;
};

/// Where a fraction of a time is taken, it is rounded to whole picoseconds, once per event: of the wait for a line by
/// accesses that overlap with others, and of work beside a sibling. All or nothing of it is exact.
const std::vector<std::string> no_fractions = {"config.overlap=1", "platform.smt_speed_busy=1",
                                               "platform.smt_speed_spin=1"};

Request request_for(const Case& c, const std::vector<std::string>& sets, const TempFolder& folder, int factor) {
    Request whole;
    whole.scenario = "threadspawn1";
    whole.platform = c.platform;
    whole.as_written = true;
    const Topology machine = compile(whole).topology;

    const std::string sub = "times" + std::to_string(factor) + '/';
    folder.write(sub + "linux.yaml", stretched(shipped_text("scenarios/kernels/linux-6.19.yaml"), factor));
    Request request;
    request.as_written = true;  // worlds set times
    request.scenario = folder.write(
        sub + "threadspawn.yaml",
        stretched(replaced(shipped_text("scenarios/threadspawn1.yaml"), "kernel: linux-6.19\n", "kernel: linux.yaml\n"),
                  factor));
    request.platform = c.platform;
    request.cpus = c.cpus;
    request.sets = machine_settings(machine, factor);
    std::erase_if(request.sets, [&](const std::string& known) {  // what is set here wins
        const std::string key = known.substr(0, known.find('=') + 1);
        return std::ranges::any_of(sets, [&](const std::string& other) { return other.starts_with(key); });
    });
    request.sets.push_back("config.cv=" + c.cv);
    request.sets.push_back("config.slice=" + std::to_string(3 * factor) + "ms");
    request.sets.insert(request.sets.end(), sets.begin(), sets.end());
    request.warmup = std::to_string(10 * factor) + "ms";
    request.duration = std::to_string(20 * factor) + "ms";
    return request;
}

void check_doubled(const Histogram& once, const Histogram& twice) {
    CHECK(twice.count() == once.count());
    CHECK((twice.sum_ps() == once.sum_ps() * 2));
    CHECK(twice.min().ps == once.min().ps * 2);
    CHECK(twice.max().ps == once.max().ps * 2);
}

void check_doubled(const Compiled& compiled, const Record& once, const Record& twice) {
    CHECK(once.counts[0] > 300);
    CHECK(twice.window.ps == once.window.ps * 2);
    CHECK(twice.counts == once.counts);
    CHECK(twice.census_counts == once.census_counts);
    CHECK(twice.events == once.events);
    CHECK(twice.ties == once.ties);
    CHECK(twice.transfers == once.transfers);
    CHECK(twice.wakes == once.wakes);
    CHECK(twice.tasks_created == once.tasks_created);
    for (std::size_t i = 0; i < cpu_use_count; ++i) CHECK(twice.cpu_use_ps[i] == once.cpu_use_ps[i] * 2);
    CHECK(twice.critical_length_ps == once.critical_length_ps * 2);
    REQUIRE(twice.sites.size() == once.sites.size());
    for (std::size_t i = 0; i < once.sites.size(); ++i) {
        CAPTURE(compiled.program.sites[i].name);
        CHECK(twice.sites[i].acquisitions == once.sites[i].acquisitions);
        CHECK(twice.sites[i].contended == once.sites[i].contended);
        CHECK(twice.sites[i].handoff_ps == once.sites[i].handoff_ps * 2);
        check_doubled(once.sites[i].wait, twice.sites[i].wait);
        check_doubled(once.sites[i].hold, twice.sites[i].hold);
    }
    for (std::size_t i = 0; i < once.paths.size(); ++i) check_doubled(once.paths[i], twice.paths[i]);
}

}  // namespace

TEST_CASE("doubling every duration halves the throughput exactly") {
    const TempFolder folder;
    for (const Case& c :
         {Case{"uniform-8", 8, "0"}, Case{"uniform-20", 20, "0.3"}, Case{"cascadelake-2s-20c-smt", 40, "0"},
          Case{"cascadelake-2s-20c-smt", 40, "0.3"}, Case{"cascadelake-2s-20c-smt", 80, "0.3"}}) {
        CAPTURE(c.platform);
        CAPTURE(c.cpus);
        CAPTURE(c.cv);
        const Compiled once = compile(request_for(c, no_fractions, folder, 1));
        const Compiled twice = compile(request_for(c, no_fractions, folder, 2));
        check_doubled(once, replications(once, 1)[0], replications(twice, 1)[0]);
    }
}

TEST_CASE("where fractions of times are taken, doubling is exact up to their rounding to picoseconds") {
    const TempFolder folder;
    const std::vector<std::string> no_pause{"platform.pause=0ns"};  // looks come at whole numbers of pauses
    const Case c{"cascadelake-2s-20c-smt", 80, "0.3"};
    const Record once = replications(compile(request_for(c, no_pause, folder, 1)), 1)[0];
    const Record twice = replications(compile(request_for(c, no_pause, folder, 2)), 1)[0];
    CHECK(static_cast<double>(twice.counts[0]) == doctest::Approx(static_cast<double>(once.counts[0])).epsilon(0.001));
    for (std::size_t i = 0; i < cpu_use_count; ++i) {
        CHECK(static_cast<double>(twice.cpu_use_ps[i]) ==
              doctest::Approx(static_cast<double>(once.cpu_use_ps[i] * 2)).epsilon(0.001));
    }
}

TEST_CASE("the test's own stretching of times leaves nothing out and touches nothing else") {
    CHECK(stretched("hz: 1000\nwork: 1.2us, range: 1..2.5us, cv: 0.3, name: a20s  # 3ms\n 0ns 15ms 1s", 2) ==
          "hz: 500\nwork: 2.4us, range: 1..5us, cv: 0.3, name: a20s  # 6ms\n 0ns 30ms 2s");
    CHECK(stretched(shipped_text("scenarios/threadspawn1.yaml"), 1) == shipped_text("scenarios/threadspawn1.yaml"));
}

}  // namespace forksim::test
