#include "analysis/export/text.hpp"

#include <doctest/doctest.h>

#include <sstream>
#include <string>

#include "analysis/export/text_table.hpp"
#include "tests/analysis/export/made_up.hpp"

using namespace forksim;

namespace {

void check_width(const std::string& text) {
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) CHECK_MESSAGE(line.size() <= 72, line);
}

/// Does the text hold `part`, wherever its lines were broken?
bool has(const std::string& text, const std::string& part) {
    std::string unbroken;
    for (const char c : text) {
        if (c == '\n' || c == ' ') {
            if (!unbroken.empty() && unbroken.back() != ' ') unbroken += ' ';
        } else {
            unbroken += c;
        }
    }
    return unbroken.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("the text begins with the seed and names all that is needed to repeat the run") {
    const std::string text = to_text(made_up::result(), {});
    CHECK(text.starts_with("seed       42 "));
    for (const char* part : {"sample-scenario", "linux-sample + first, preempt lazy", "second, third",
                             "20 CPUs: 1 socket x 20 cores", "0123456789abcdef", "1.000ms after 200.0us of warm-up"})
        CHECK_MESSAGE(has(text, part), part);
}

TEST_CASE("the throughput comes with its labelled interval and the reason for its end") {
    const std::string text = throughput_text(made_up::result());
    CHECK(has(text, "throughput 50000 threads/s +-12706 (25.41 %): 95 % sampling interval, n 2 as many"));
    Result capped = made_up::result();
    capped.stopped = StopReason::cap;
    CHECK(has(throughput_text(capped), "1 % was wanted and not reached"));
}

TEST_CASE("leading demands within 15 % of each other are not put in order") {
    // pid 1055.06 ns, tasks (101 000 000 + 50 000) / 100 = 1010.5 ns per operation.
    Result r = made_up::result();
    CHECK(has(demand_text(r), "pid leads with 1.055us per operation: at most 947813 threads/s"));
    CHECK(has(demand_text(r), "which lock is first is not resolved: within 15 % of pid lies tasks"));
    r.locks.push_back(r.locks[2]);
    r.locks.back().lock = "other";
    r.locks.back().usage.serial_ps_per_op = 1'055'060 / 1.14;
    CHECK(has(demand_text(r), "not resolved: within 15 % of pid lie tasks, other"));
    r.locks[2].usage.serial_ps_per_op = 1'055'060 / 1.16;
    CHECK(has(demand_text(r), "not resolved: within 15 % of pid lies other"));
    r.locks.pop_back();
    CHECK_FALSE(has(demand_text(r), "not resolved"));
}

TEST_CASE("tables fit a mail") { check_width(to_text(made_up::result(), {})); }

TEST_CASE("text fits a mail whatever the names and numbers are") {
    Result r = made_up::result();
    const std::string name(300, 'x');
    r.run.scenario = r.run.platform = r.run.kernel = r.run.patches[0] = name;
    r.run.patches.assign(40, "a-patch-with-a-longish-name");
    r.unit = name;
    r.paths[0].path = name;
    r.paths[0].latency.count = ~std::uint64_t{0};
    r.warnings = {name + " and " + name};
    for (LockResult& lock : r.locks) {
        lock.usage.per_op = 1.23456789e-7;
        lock.usage.wait.sum_ps = ~uint128{0};
        lock.usage.contended = lock.usage.acquisitions;
        lock.usage.serial_ps_per_op = 3.2e21;
    }
    for (SiteResult& site : r.sites) site.site += name;
    Histogram many;
    many.record(Time{1});
    many.record(time_limit);
    check_width(to_text(r, std::vector<NamedHistogram>{{name, "wait", many}}));
}

TEST_CASE("a table keeps names beside their numbers and long names above them") {
    TextTable table({"locks", "n", "wait"});
    table.add({"a", "1", "12ns"});
    table.add_title("title");
    table.add({std::string(70, 'y'), "22", "3ns"});
    CHECK(table.text() ==
          "locks   n  wait\n"
          "a       1  12ns\n"
          "title\n" +
              std::string(70, 'y') +
              "\n"
              "       22   3ns\n");
}

TEST_CASE("long names lose their middle") {
    CHECK(shortened("abcdefghij", 10) == "abcdefghij");
    CHECK(shortened("abcdefghijk", 10) == "abcd..hijk");
}
