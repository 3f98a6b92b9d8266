#include "analysis/cli/output.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "sim/error.hpp"

namespace forksim {
namespace {

namespace fs = std::filesystem;

/// What was asked to be written: an option and its value.
struct Asked {
    std::string_view option;
    const std::string& file;
};

[[noreturn]] void fail(const Asked& asked, int error) {
    throw InputError(std::string(asked.option) + ' ' + asked.file + ": cannot be written: " + std::strerror(error));
}

bool to_stdout(const std::string& file) { return file.empty() || file == "-"; }

/// The file behind symbolic links, which stay.
fs::path target_of(const std::string& file) {
    std::error_code ignored;
    const fs::path target = fs::weakly_canonical(file, ignored);
    return target.empty() ? fs::path(file) : target;
}

/// Something that a rename must not replace: a device, a pipe.
bool is_special(const fs::path& target) {
    std::error_code ignored;
    const fs::file_status status = fs::status(target, ignored);
    return fs::exists(status) && !fs::is_regular_file(status);
}

/// Holds back the signals that end the program, so that it ends before or after but not amid.
class SignalsHeld {
  public:
    SignalsHeld() {
        sigset_t held;
        sigemptyset(&held);
        for (const int signal : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&held, signal);
        pthread_sigmask(SIG_BLOCK, &held, &before_);
    }
    SignalsHeld(const SignalsHeld&) = delete;
    SignalsHeld& operator=(const SignalsHeld&) = delete;
    ~SignalsHeld() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

  private:
    sigset_t before_;
};

/// Returns 0 or an errno.
int write_all(int fd, std::string_view text) {
    while (!text.empty()) {
        const ssize_t n = ::write(fd, text.data(), text.size());
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return errno;
        text.remove_prefix(static_cast<std::size_t>(n));
    }
    return 0;
}

/// The mode that the finished file will have: that of the file it replaces, else what the umask allows.
mode_t mode_of(const fs::path& target) {
    struct stat status;
    if (::stat(target.c_str(), &status) == 0) return status.st_mode & 0777;
    const mode_t mask = ::umask(0);
    ::umask(mask);
    return 0666 & ~mask;
}

void replace(const fs::path& target, std::string_view text, const Asked& asked) {
    const SignalsHeld held;
    std::string temporary = target.string() + ".XXXXXX";
    const int fd = ::mkstemp(temporary.data());
    if (fd < 0) fail(asked, errno);
    int error = write_all(fd, text);
    if (::fchmod(fd, mode_of(target)) != 0 && error == 0) error = errno;
    if (::close(fd) != 0 && error == 0) error = errno;
    if (error == 0 && ::rename(temporary.c_str(), target.c_str()) != 0) error = errno;
    if (error == 0) return;
    ::unlink(temporary.c_str());
    fail(asked, error);
}

void write_special(const fs::path& target, std::string_view text, const Asked& asked) {
    std::FILE* out = std::fopen(target.c_str(), "w");
    if (out == nullptr) fail(asked, errno);
    int error = write_all(::fileno(out), text);
    if (std::fclose(out) != 0 && error == 0) error = errno;
    if (error != 0) fail(asked, error);
}

}  // namespace

void require_writable(const std::string& file, std::string_view option) {
    if (to_stdout(file)) return;
    const Asked asked{option, file};
    std::error_code ignored;
    if (fs::is_directory(file, ignored)) fail(asked, EISDIR);
    const fs::path target = target_of(file);
    const fs::path folder = target.has_parent_path() ? target.parent_path() : fs::path(".");
    const fs::path written = is_special(target) ? target : folder;
    if (::access(written.c_str(), W_OK) != 0) fail(asked, errno);
}

void write_output(const std::string& file, std::string_view text, std::string_view option) {
    if (to_stdout(file)) {
        if (const int error = write_all(STDOUT_FILENO, text); error != 0)
            throw InputError(std::string("standard output: ") + std::strerror(error));
        return;
    }
    const fs::path target = target_of(file);
    if (is_special(target))
        write_special(target, text, {option, file});
    else
        replace(target, text, {option, file});
}

}  // namespace forksim
