// Prints where this very executable finds the library and the helper, so that a test can install it elsewhere.
#include <cstdio>
#include <exception>

#include "scenarios/library_path.hpp"

int main() {
    try {
        std::printf("%s\n", forksim::library_directory().c_str());
        std::printf("%s\n", forksim::helper_executable().c_str());
        return 0;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 2;
    }
}
