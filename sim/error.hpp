#pragma once
#include <stdexcept>

namespace forksim {

/// A broken promise of the program itself, never the user's mistake. The command exits with status 70.
struct InternalError : std::logic_error {
    using std::logic_error::logic_error;
};

/// The simulated system cannot go on: a deadlock, or a livelock in which time stands still. The command
/// exits with status 3. The message names the tasks, locks and sites involved.
struct ModelStuck : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// The user's mistake in a file, a name or an option. The message is complete and stands on one line; where a
/// file is to blame it begins with "FILE:LINE: " as far as these are known. The command exits with status 2.
struct InputError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

}  // namespace forksim
