#pragma once

namespace forksim {

/// While it lives, SIGINT (Ctrl-C) does not end the process at once, so that long work can show what it has. Until
/// something_to_show() is called there is nothing, and the signal ends the process with exit_interrupted and one line.
/// The first one after that is noted; the next ends the process as if nobody watched. A SIGINT that is ignored stays so
/// (nohup). At most one at a time.
class InterruptWatch {
  public:
    InterruptWatch();
    ~InterruptWatch();  ///< as it was before
    InterruptWatch(const InterruptWatch&) = delete;
    InterruptWatch& operator=(const InterruptWatch&) = delete;

    /// From now on an interrupted run has a result. Any thread.
    void something_to_show();
    /// Any thread.
    bool interrupted() const;
};

}  // namespace forksim
