#pragma once
#include <cstdint>
#include <memory>
#include <string_view>

namespace spdlog {
class logger;
}

namespace forksim {

enum class Verbosity : std::uint8_t {
    quiet,   ///< errors only
    normal,  ///< and warnings, and progress on a terminal
    verbose  ///< and explanations
};

/// Messages for people, on standard error. Results never go here.
class Log {
  public:
    Log();

    void set(Verbosity verbosity);
    Verbosity verbosity() const { return verbosity_; }

    void error(std::string_view message);    ///< as it is: faults begin with their own place, "file:line:column: "
    void warning(std::string_view message);  ///< behind "warning: "
    void explain(std::string_view message);  ///< with -v only

  private:
    std::shared_ptr<spdlog::logger> logger_;
    Verbosity verbosity_ = Verbosity::normal;
};

}  // namespace forksim
