// Published figures as documents, and what kernels say that they do not model.
#include "scenarios/published.hpp"

#include <doctest/doctest.h>

#include "scenarios/listing.hpp"
#include "tests/scenarios/scratch.hpp"

namespace forksim {
namespace {

std::string faults_in(const std::string& text) {
    const test::Scratch scratch;
    Request request;
    request.scenario = scratch.file("published.yaml", text);
    try {
        check(request);
        return "";
    } catch (const LanguageError& error) {
        std::string all;
        for (const Diagnostic& one : error.diagnostics) {
            all += std::to_string(one.line) + ':' + std::to_string(one.column) + ' ' + one.message + " (" + one.hint +
                   ")\n";
        }
        return all;
    }
}

const std::string own =
    "\n---\nscenario: s\nplatform: uniform-2\nworkload: [{tasks: t, forever: [{work: 5us}, {count: n}]}]\n";

std::string figure(const std::string& more) {
    return "published: mine\nscenario: s\nread_in: a mail\nrole: predicted\nvalue: 7\n" + more + own;
}

Compiled kernel_like(const std::string& like, const std::string& more) {
    return test::compile_text("kernel: k\nlike: " + like + "\n" + more + "---\nscenario: s\nkernel: k\n" +
                              "platform: xeon-1s-20c\nworkload: [{tasks: t, use: threadspawn1/spawner}]\n");
}

}  // namespace

TEST_CASE("the library holds the three published figures that worlds were fitted to") {
    const std::vector<PublishedCase> cases = published_cases();
    REQUIRE(cases.size() == 3);
    CHECK(cases[0].name == "C1");
    CHECK(cases[0].value == 465'000);
    CHECK(!cases[0].spread);
    CHECK(cases[1].value == 740'000);
    CHECK(cases[1].patches == std::vector<std::string>{"pidmap-once", "pidfs-rhashtable"});
    CHECK(cases[2].value == 293'830);
    CHECK(cases[2].spread == 1'136);
    CHECK(cases[2].cpus == 80);
    for (const PublishedCase& one : cases) {
        CHECK(one.fitted);
        CHECK(one.unit == "threads/s");
        Request request;
        request.scenario = one.name;
        CHECK(check(request) == std::vector<std::string>{"published " + one.name});
    }
}

TEST_CASE("a figure must be of the kernel, machine and counter that its scenario has") {
    CHECK(faults_in(figure("kernel: bare\ncpus: 2\nunit: n/s\n")) == "");
    CHECK(faults_in(figure("kernel: linux-6.18\ncpus: 4\nunit: m/s\n")) ==
          "6:9 'linux-6.18' is not the kernel of 's' (expected bare)\n"
          "7:7 '4' is not the cpus of 's' (expected 2)\n"
          "8:7 'm/s' is not the unit of 's' (expected n/s)\n");
    CHECK(faults_in("published: mine\nrole: fitted\n" + own).find("1:1 ") == 0);
    CHECK(faults_in(figure("kernel: bare\ncpus: 2\nunit: n/s\nsprad: 3\n")).find("'spread'") != std::string::npos);
}

TEST_CASE("what a kernel does not model is inherited and added to, and changes no number") {
    const std::vector<std::string> known = kernel_like("linux-6.19", "").origin.unmodelled;
    CHECK(!known.empty());
    CHECK(kernel_like("linux-6.12", "").origin.unmodelled == known);
    CHECK(kernel_like("linux-7.0", "").origin.unmodelled == known);
    const Compiled more = kernel_like("linux-6.12", "unmodelled: [a lock]\n");
    CHECK(more.origin.unmodelled.size() == known.size() + 1);
    CHECK(more.origin.unmodelled.back() == "a lock");
    CHECK(more.origin.family == "linux-6.12");
    CHECK(more.hash == kernel_like("linux-6.12", "").hash);
}

TEST_CASE("versions of the library are counted in the order of their numbers") {
    CHECK(version_steps("linux-6.19", "linux-6.19") == 0);
    CHECK(version_steps("linux-6.12", "linux-7.0") == 5);
    CHECK(version_steps("linux-7.0", "linux-6.18") == 2);
    CHECK(!version_steps("linux-6.19", "mine"));
}

}  // namespace forksim
