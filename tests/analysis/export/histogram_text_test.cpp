#include "analysis/export/histogram_text.hpp"

#include <doctest/doctest.h>

#include "sim/error.hpp"
#include "tests/analysis/export/made_up.hpp"

using namespace forksim;

TEST_CASE("bars look like those of bpftrace's hist(), 72 columns wide") {
    Histogram h;
    for (const int ns : {4, 5, 9, 40}) h.record(Time::from_ns(ns));
    const std::string bar(45, '@');
    const std::string half(22, '@');
    CHECK(histogram_text({"css_set_lock", "wait", h}) ==
          "@css_set_lock wait, ns:\n"
          "[4, 8)                 2 |" +
              bar + "|\n" + "[8, 16)                1 |" + half + std::string(23, ' ') + "|\n" +
              "[16, 32)               0 |" + std::string(45, ' ') + "|\n" + "[32, 64)               1 |" + half +
              std::string(23, ' ') + "|\n");
}

TEST_CASE("octaves begin below one nanosecond, and kilo is 1024") {
    Histogram h;
    h.record(Time{0});
    h.record(Time{1'000});
    h.record(Time::from_ns(2048));
    const std::vector<Bar> bars = octaves_of(h);
    REQUIRE(bars.size() == 13);
    CHECK(bars[0].from == 0);
    CHECK(bars[0].to == 1);
    CHECK(bars[1].from == 1);
    CHECK(bars[1].to == 2);
    CHECK(bars[2].from == 2);
    CHECK(bars[12].from == 2048);
    CHECK(bars[12].count == 1);
    CHECK(histogram_text({"p", "latency", h}).find("[2K, 4K) ") != std::string::npos);
}

TEST_CASE("no duration is lost between the bars") {
    Histogram h;
    for (std::int64_t ps = 1; ps < 4'000'000'000; ps += 1 + ps / 7) h.record({ps});
    std::uint64_t total = 0;
    for (const Bar& bar : octaves_of(h)) total += bar.count;
    CHECK(total == h.count());
}

TEST_CASE("a histogram is found by the name of a lock, a site or a path; others get the nearest name") {
    const Program p = made_up::program();
    const ModelSpec m = made_up::model();
    const Topology t = made_up::topology();
    const RunSubject subject{p, m, t};
    const Record record = made_up::record();
    const auto pid = histograms_of("pid", subject, record);
    REQUIRE(pid.size() == 2);
    CHECK(pid[0].of == "wait");
    CHECK(pid[0].histogram.count() == 2);
    CHECK(pid[1].of == "hold");
    CHECK(pid[1].histogram.count() == 251);
    CHECK(histograms_of("release/unhash", subject, record)[1].histogram.count() == 101);
    CHECK(histograms_of("turn", subject, record)[0].of == "latency");
    CHECK(histograms_of("unused", subject, record)[0].histogram.count() == 0);
    CHECK_THROWS_WITH_AS(
        histograms_of("release/unhsh", subject, record),
        "--histogram: no lock, site or path is called 'release/unhsh' (did you mean 'release/unhash'?)", InputError);
}
