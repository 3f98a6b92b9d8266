#include "analysis/cli/interrupt.hpp"

#include <unistd.h>

#include <atomic>
#include <csignal>
#include <string_view>

#include "analysis/cli/command.hpp"

namespace forksim {
namespace {

// A signal finds no object: this is all that its handler knows.
std::atomic<bool> has_result{false};
std::atomic<bool> was_interrupted{false};
static_assert(std::atomic<bool>::is_always_lock_free);
struct sigaction before;

void on_interrupt(int) {
    if (!has_result) {
        constexpr std::string_view message = "forksim: interrupted before the first replication ended; no result\n";
        [[maybe_unused]] const auto written = write(STDERR_FILENO, message.data(), message.size());
        _exit(exit_interrupted);
    }
    was_interrupted = true;
}

}  // namespace

InterruptWatch::InterruptWatch() {
    has_result = was_interrupted = false;
    sigaction(SIGINT, nullptr, &before);
    if (before.sa_handler == SIG_IGN) return;
    struct sigaction action = {};
    action.sa_handler = on_interrupt;
    action.sa_flags = SA_RESTART | static_cast<int>(SA_RESETHAND);  // the next one is on its own
    sigaction(SIGINT, &action, nullptr);
}

InterruptWatch::~InterruptWatch() { sigaction(SIGINT, &before, nullptr); }

void InterruptWatch::something_to_show() { has_result = true; }

bool InterruptWatch::interrupted() const { return was_interrupted; }

}  // namespace forksim
