#include "analysis/cli/helper_process.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "sim/error.hpp"

namespace forksim {
namespace {

[[noreturn]] void fail(const std::string& what, int error) { throw InternalError(what + ": " + std::strerror(error)); }

/// Memory that a child can write to as if it were a file: unlike a pipe it never fills up and needs no reader.
class OutputMemory {
  public:
    OutputMemory() : fd_(::memfd_create("forksim-helper", MFD_CLOEXEC)) {
        if (fd_ < 0) fail("memfd_create", errno);
    }
    OutputMemory(const OutputMemory&) = delete;
    OutputMemory& operator=(const OutputMemory&) = delete;
    ~OutputMemory() { ::close(fd_); }

    int fd() const { return fd_; }

    std::string text() const {
        struct stat status;
        if (::fstat(fd_, &status) != 0) fail("fstat", errno);
        std::string text(static_cast<std::size_t>(status.st_size), '\0');
        for (std::size_t at = 0; at < text.size();) {
            const ssize_t n = ::pread(fd_, text.data() + at, text.size() - at, static_cast<off_t>(at));
            if (n <= 0) fail("pread", n < 0 ? errno : EIO);
            at += static_cast<std::size_t>(n);
        }
        return text;
    }

  private:
    int fd_;
};

}  // namespace

HelperAnswer run_helper(const std::filesystem::path& program, const std::vector<std::string>& arguments) {
    const OutputMemory output;
    const OutputMemory errors;
    std::vector<std::string> words{program.string()};
    words.insert(words.end(), arguments.begin(), arguments.end());
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);

    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, output.fd(), STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, errors.fd(), STDERR_FILENO);
    pid_t child = -1;
    const int error = ::posix_spawn(&child, argv[0], &actions, nullptr, argv.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    if (error != 0) fail("the helper '" + program.string() + "' does not start", error);

    int status = 0;
    while (::waitpid(child, &status, 0) < 0) {
        if (errno != EINTR) fail("waitpid", errno);
    }
    return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), output.text(), errors.text()};
}

}  // namespace forksim
