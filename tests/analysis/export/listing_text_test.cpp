#include "analysis/export/listing_text.hpp"

#include <doctest/doctest.h>

#include <sstream>
#include <string>
#include <vector>

using namespace forksim;

namespace {

Listing listing() {
    Listing l;
    l.banner.scenario = "made-up";
    l.banner.kernel = "linux-x";
    l.banner.patches = {"some-patch"};
    l.banner.platform = "uniform-2";
    l.banner.composition = "2 CPUs: 1 socket x 2 cores";
    l.measure.warmup = Time::from_ms(20);
    l.measure.duration = Time::from_ms(100);
    l.hash = "abc";
    l.config = {{"hz", "1000"}};
    l.objects = {{"lock", "pid", {{"kind", "spinlock"}}}, {"line", "idr", {}}};
    ShownStep section;
    section.kind = "section";
    section.name = "alloc";
    section.lock = "pid";
    ShownStep work;
    work.depth = 1;
    work.kind = "work";
    work.name = "cyclic";
    work.value = "60ns";
    work.source = "estimated";
    work.range = "40ns..90ns";
    work.touches = "idr write";
    work.when = "config.psi";
    ShownStep miss;
    miss.depth = 1;
    miss.block = "miss";
    miss.kind = "resched";
    l.functions = {{"parent", "alloc_pid", {"clone", "fork"}, {section, work, miss}}, {"softirq", "later", {}, {}}};
    l.sites = {{"alloc_pid/alloc", "clone", "pid", ""}};
    return l;
}

}  // namespace

TEST_CASE("a listing shows functions by context, each value with its source, and sites") {
    const std::string text = listing_text(listing());
    CHECK(text.starts_with("scenario   made-up\nbase       linux-x\npatches    some-patch\n"));
    CHECK(text.find("100.0ms after 20.00ms of warm-up, 10..40 replications,\n") != std::string::npos);
    CHECK(text.find("\nlocks\n  pid kind spinlock\n\nlines\n  idr\n"
                    "\nin the context of: parent\n"
                    "  alloc_pid, called by clone, fork\n"
                    "    section alloc: pid\n"
                    "      work cyclic: 60ns (estimated 40ns..90ns); touches idr write; when\n"
                    "           config.psi\n"
                    "     miss:\n"
                    "      resched\n"
                    "\nin the context of: softirq\n"
                    "  later\n"
                    "\nsites\n"
                    "  alloc_pid/alloc  pid, called by clone\n") != std::string::npos);
}

TEST_CASE("a listing fits a mail whatever it holds") {
    Listing l = listing();
    const std::string name(200, 'n');
    for (ShownStep& step : l.functions[0].steps) {
        step.name = step.lock = step.value = step.touches = name;
        step.depth = 40;
        step.block = name;
    }
    l.sites.push_back({name, name, name, "write"});
    l.objects.push_back({"pool", name, {{name, name}}});
    l.functions[0].name = name;
    std::istringstream lines(listing_text(l));
    for (std::string line; std::getline(lines, line);) CHECK_MESSAGE(line.size() <= 72, line);
}

TEST_CASE("what a file is about stands beside its name") {
    const std::vector<ListedFile> files{{"a", "First thing"}, {"longer", ""}};
    CHECK(files_text(files, 2) == "  a       First thing\n  longer\n");
}
