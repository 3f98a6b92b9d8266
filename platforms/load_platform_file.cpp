#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>

#include "platforms/library.hpp"
#include "platforms/topology_text.hpp"
#include "sim/error.hpp"

namespace forksim {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t most_output = std::size_t{64} << 20;  // ten times the largest topology

/// The two ends of a pipe, closed when it goes.
struct Pipe {
    std::array<int, 2> ends{-1, -1};
    Pipe() {
        if (pipe2(ends.data(), O_CLOEXEC) != 0) {
            throw InputError(std::string("no pipe to the helper: ") + std::strerror(errno));
        }
    }
    Pipe(const Pipe&) = delete;
    Pipe& operator=(const Pipe&) = delete;
    ~Pipe() {
        close_end(0);
        close_end(1);
    }
    void close_end(std::size_t end) {
        if (ends[end] >= 0) close(ends[end]);
        ends[end] = -1;
    }
};

/// What a finished child left behind.
struct Finished {
    int status = 0;  ///< as waitpid gives it
    std::string output;
    std::string errors;
    bool stopped = false;  ///< it took too long or printed too much, and was killed
};

pid_t start(const std::string& helper, const std::string& file, const Pipe& output, const Pipe& errors) {
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, output.ends[1], STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, errors.ends[1], STDERR_FILENO);
    std::string program = helper;
    std::string command = "topology";
    std::string argument = file;
    char* arguments[] = {program.data(), command.data(), argument.data(), nullptr};
    pid_t child = -1;
    const int error = posix_spawn(&child, program.c_str(), &actions, nullptr, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (error != 0) throw InputError("the helper '" + helper + "' does not start: " + std::strerror(error));
    return child;
}

/// Appends what is there; false when the other end is closed.
bool drain(int from, std::string& text) {
    std::array<char, 65536> buffer;
    const ssize_t n = read(from, buffer.data(), buffer.size());
    if (n > 0) text.append(buffer.data(), static_cast<std::size_t>(n));
    return n > 0 || (n < 0 && errno == EINTR);
}

/// Reads both pipes until they are closed; false when the deadline passes or too much comes.
bool collect(Pipe& output, Pipe& errors, Clock::time_point deadline, Finished& result) {
    std::array<pollfd, 2> waits{pollfd{output.ends[0], POLLIN, 0}, pollfd{errors.ends[0], POLLIN, 0}};
    while (waits[0].fd >= 0 || waits[1].fd >= 0) {
        const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
        if (left <= 0) return false;
        if (poll(waits.data(), waits.size(), static_cast<int>(left)) < 0 && errno != EINTR) return false;
        if (waits[0].revents != 0 && !drain(waits[0].fd, result.output)) waits[0].fd = -1;
        if (waits[1].revents != 0 && !drain(waits[1].fd, result.errors)) waits[1].fd = -1;
        if (result.output.size() + result.errors.size() > most_output) return false;
        waits[0].revents = waits[1].revents = 0;
    }
    return true;
}

Finished run_helper(const std::string& helper, const std::string& file, std::chrono::milliseconds limit) {
    Finished result;
    Pipe output;
    Pipe errors;
    const Clock::time_point deadline = Clock::now() + limit;
    const pid_t child = start(helper, file, output, errors);
    output.close_end(1);
    errors.close_end(1);
    result.stopped = !collect(output, errors, deadline, result);
    if (result.stopped) kill(child, SIGKILL);
    while (waitpid(child, &result.status, 0) < 0 && errno == EINTR) {
    }
    return result;
}

}  // namespace

Topology load_platform_file(const std::filesystem::path& path, const std::filesystem::path& helper,
                            std::chrono::milliseconds limit) {
    const std::string file = path.string();
    const Finished helped = run_helper(helper.string(), file, limit);
    if (helped.stopped) {
        throw InputError(file + ": not read within " + std::to_string(limit.count()) + " ms, or far too large");
    }
    const std::string complaint = helped.errors.substr(0, helped.errors.find('\n'));
    if (WIFEXITED(helped.status) && WEXITSTATUS(helped.status) == 2) throw InputError(complaint);
    if (!WIFEXITED(helped.status) || WEXITSTATUS(helped.status) != 0) {
        throw InputError(file + ": SimGrid gives up on it: " + (complaint.empty() ? "no reason given" : complaint));
    }
    try {
        return parse_topology(helped.output);
    } catch (const InputError& e) {
        throw InputError(file + ": the helper's answer is wrong, " + e.what());
    }
}

}  // namespace forksim
