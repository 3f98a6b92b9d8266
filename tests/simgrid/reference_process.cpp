#include "tests/simgrid/reference_process.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <functional>
#include <iostream>
#include <sstream>
#include <stdexcept>

#include "sim/error.hpp"

namespace forksim {
namespace {

/// Forks, and collects what `child` writes to the descriptor that it is given, and its exit status.
ReferenceRun run_in_child(const std::function<int(int output)>& child) {
    int ends[2];
    if (pipe(ends) != 0) throw std::runtime_error("no pipe");
    std::cout.flush();  // else the child, ended by SimGrid, might say it again
    std::fflush(nullptr);
    const pid_t pid = fork();
    if (pid < 0) throw std::runtime_error("no process");
    if (pid == 0) _exit(child(ends[1]));
    close(ends[1]);
    ReferenceRun run;
    char buffer[4096];
    for (ssize_t n; (n = read(ends[0], buffer, sizeof buffer)) > 0;)
        run.output.append(buffer, static_cast<std::size_t>(n));
    close(ends[0]);
    int status = 0;
    waitpid(pid, &status, 0);
    run.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    return run;
}

int put(int output, const std::string& text, int status) {
    for (std::size_t done = 0; done < text.size();) {
        const ssize_t n = write(output, text.data() + done, text.size() - done);
        if (n <= 0) return 1;
        done += static_cast<std::size_t>(n);
    }
    return status;
}

}  // namespace

ReferenceRun run_reference(const Case& c, std::uint64_t stream) {
    return run_in_child([&](int output) {
        try {
            return put(output, format_answer(reference::run(c.program, c.model, c.topology, c.config, stream)), 0);
        } catch (const InputError& e) {
            return put(output, e.what(), 2);
        } catch (const ModelStuck& e) {
            return put(output, e.what(), 3);
        } catch (const std::exception& e) {
            return put(output, e.what(), 70);
        }
    });
}

ReferenceRun run_helper(const std::vector<std::string>& arguments) {
    return run_in_child([&](int output) {
        std::vector<std::string> words{FORKSIM_HELPER};
        words.insert(words.end(), arguments.begin(), arguments.end());
        std::vector<char*> argv;
        for (std::string& word : words) argv.push_back(word.data());
        argv.push_back(nullptr);
        dup2(output, STDOUT_FILENO);
        dup2(output, STDERR_FILENO);
        execv(FORKSIM_HELPER, argv.data());
        return 127;
    });
}

std::string numbers_of(const std::string& answer) {
    // Instrumented by a sanitizer, the helper warns on the same stream before it answers.
    const std::size_t begin = answer.find("forksim-reference/");
    std::istringstream lines(begin == std::string::npos ? answer : answer.substr(begin));
    std::string numbers;
    for (std::string line; std::getline(lines, line);)
        if (!line.starts_with("events ") && !line.starts_with("ties ")) numbers += line + '\n';
    return numbers;
}

std::string numbers_of(const Record& record) {
    reference::Answer answer;
    answer.window = record.window;
    answer.counts = record.counts;
    for (const SiteRecord& s : record.sites)
        answer.sites.push_back({s.acquisitions, s.contended, s.wait.sum_ps(), s.hold.sum_ps()});
    return numbers_of(format_answer(answer));
}

std::uint64_t ties_of(const std::string& answer) {
    const std::size_t at = answer.find("\nties ");
    return at == std::string::npos ? 0 : std::stoull(answer.substr(at + 6));
}

}  // namespace forksim
