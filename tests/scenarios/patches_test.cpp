// The patches of the library: where each applies, in which stacks, and how the rest is refused.
#include <doctest/doctest.h>

#include <algorithm>

#include "scenarios/listing.hpp"
#include "tests/scenarios/kernel_stacks.hpp"

namespace forksim {

using test::faults_on;
using test::Stack;
using test::threads_on;

namespace {

struct Applies {
    std::string patch;
    std::vector<std::string> kernels;  // a version each, or a stack: "6.14 + free-pid-outside-tasklist"
};

const std::vector<std::string> versions = {"6.12", "6.14", "6.15", "6.18", "6.19", "7.0"};

/// The table of README.md.
std::vector<Applies> table() {
    return {
        {"pidfs-rbtree", {"6.12"}},
        {"random-outside-tasklist", {"6.12", "6.14"}},
        {"get-pid-hoist", {"6.12", "6.14"}},
        {"free-pid-outside-tasklist", {"6.12", "6.14"}},
        {"pidmap-no-irqsave", {"6.12 + free-pid-outside-tasklist", "6.14 + free-pid-outside-tasklist"}},
        {"siglock-merge", {"6.12", "6.14", "6.15"}},
        {"per-threadgroup-rwsem", {"6.12", "6.14", "6.15"}},
        {"task-dead-in-finish-switch", {"6.12", "6.14", "6.15", "6.18"}},
        {"pidmap-once", {"6.12", "6.14", "6.15", "6.18", "6.19"}},
        {"pidfs-rhashtable", {"6.12 + pidfs-rbtree", "6.14", "6.15", "6.18", "6.19"}},
        {"css-set-aligned", versions},
        {"css-set-rwlock", versions},
        {"css-set-seqcount", versions},
        {"tasklist-exit-once", versions},
    };
}

Stack stack_of(const std::string& text) {
    const std::size_t plus = text.find(" + ");
    Stack stack{"linux-" + text.substr(0, plus), {}};
    if (plus != std::string::npos) stack.patches.push_back(text.substr(plus + 3));
    return stack;
}

bool says(const Diagnostic& fault, const std::string& part) { return fault.text().find(part) != std::string::npos; }

}  // namespace

TEST_CASE("every patch of the library stands in the table") {
    std::vector<std::string> listed;
    for (const ListedFile& file : list_patches()) listed.push_back(file.name);
    std::vector<std::string> known;
    for (const Applies& row : table()) known.push_back(row.patch);
    std::sort(known.begin(), known.end());
    CHECK(listed == known);
}

TEST_CASE("every patch applies to each kernel that it names, and changes it") {
    for (const Applies& row : table()) {
        for (const std::string& kernel : row.kernels) {
            Stack stack = stack_of(kernel);
            const std::string before = threads_on(stack, {"config.favordynmods=true"}).hash;
            stack.patches.push_back(row.patch);
            const std::string name = stack.text();
            CAPTURE(name);
            CHECK(threads_on(stack, {"config.favordynmods=true"}).hash != before);
        }
    }
}

TEST_CASE("on any other kernel a patch is refused, and the message names both") {
    for (const Applies& row : table()) {
        for (const std::string& version : versions) {
            if (std::find(row.kernels.begin(), row.kernels.end(), version) != row.kernels.end()) continue;
            CAPTURE(row.patch);
            CAPTURE(version);
            const std::vector<Diagnostic> faults = faults_on({"linux-" + version, {row.patch}});
            REQUIRE(faults.size() == 1);
            CHECK(faults[0].file == "--patch " + row.patch);
            CHECK(says(faults[0], "'" + row.patch + "'"));
            CHECK(says(faults[0], "linux-" + version));
        }
    }
}

TEST_CASE("the patches of all versions stack on the oldest and on each later one") {
    const std::vector<std::string> always = {"css-set-rwlock", "css-set-aligned", "tasklist-exit-once"};
    for (const std::string& version : versions) {
        Stack stack{"linux-" + version, {}};
        for (const Applies& row : table()) {
            const bool listed = std::any_of(row.kernels.begin(), row.kernels.end(), [&](const std::string& kernel) {
                return kernel.substr(0, kernel.find(" + ")) == version;
            });
            if (listed && row.patch != "css-set-seqcount") stack.patches.push_back(row.patch);
        }
        const std::string name = stack.text();
        CAPTURE(name);
        CHECK(faults_on(stack).empty());
        // The same program as 7.0 with what no version has.
        CHECK(threads_on(stack).hash == threads_on({"linux-7.0", always}).hash);
    }
}

TEST_CASE("the order of patches that touch different places, or the same one, does not matter") {
    const auto same_in_any_order = [](const std::string& kernel, std::vector<std::string> patches) {
        std::sort(patches.begin(), patches.end());
        const std::string expected = threads_on({kernel, patches}).hash;
        while (std::next_permutation(patches.begin(), patches.end())) {
            const Stack stack{kernel, patches};
            const std::string name = stack.text();
            CAPTURE(name);
            CHECK(threads_on(stack).hash == expected);
        }
    };
    same_in_any_order("linux-6.14", {"random-outside-tasklist", "get-pid-hoist", "free-pid-outside-tasklist"});
    same_in_any_order("linux-6.14", {"pidmap-once", "pidfs-rhashtable", "free-pid-outside-tasklist"});
    same_in_any_order("linux-6.12", {"pidfs-rbtree", "pidmap-once"});
    same_in_any_order("linux-6.19", {"css-set-rwlock", "css-set-aligned", "tasklist-exit-once", "pidmap-once"});
    same_in_any_order("linux-7.0", {"css-set-seqcount", "css-set-aligned", "tasklist-exit-once"});
    same_in_any_order("linux-6.15", {"siglock-merge", "per-threadgroup-rwsem", "task-dead-in-finish-switch"});
}

TEST_CASE("a stack in the wrong order or without what a patch needs is refused, and the message names both patches") {
    struct Wrong {
        Stack stack;
        std::string refused;
        std::string because;
    };
    const std::vector<Wrong> stacks = {
        {{"linux-6.14", {"pidmap-no-irqsave"}}, "pidmap-no-irqsave", "'free-pid-outside-tasklist'"},
        {{"linux-6.14", {"pidmap-no-irqsave", "free-pid-outside-tasklist"}},
         "pidmap-no-irqsave",
         "'free-pid-outside-tasklist'"},
        {{"linux-6.12", {"pidfs-rhashtable", "pidfs-rbtree"}}, "pidfs-rhashtable", "'pidfs-rbtree'"},
        {{"linux-6.19", {"css-set-seqcount", "css-set-rwlock"}},
         "css-set-rwlock",
         "'css-set-seqcount' has replaced it"},
        {{"linux-6.19", {"css-set-rwlock", "css-set-seqcount"}},
         "css-set-seqcount",
         "'css-set-rwlock' has replaced it"},
        {{"linux-6.19", {"pidmap-once", "pidmap-once"}}, "pidmap-once", "applied twice"},
        {{"linux-7.0", {"pidmap-once"}}, "pidmap-once", "'linux-7.0' has the patch"},
        {{"linux-7.0", {"pidfs-rhashtable"}}, "pidfs-rhashtable", "'linux-7.0' has the patch"},
    };
    for (const Wrong& wrong : stacks) {
        const std::string name = wrong.stack.text();
        CAPTURE(name);
        const std::vector<Diagnostic> faults = faults_on(wrong.stack);
        REQUIRE(!faults.empty());
        CHECK(says(faults[0], wrong.refused));
        CHECK(says(faults[0], wrong.because));
    }
}

}  // namespace forksim
