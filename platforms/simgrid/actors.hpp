#pragma once
#include <compare>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "sim/time.hpp"
#include "sim/topology.hpp"

namespace forksim::reference {

class Sleeper;

/// Who acts first among those that are due at the same instant: the smaller.
struct Turn {
    enum Class : std::uint8_t {
        at_once,  ///< as part of what just happened
        timer,    ///< somebody's timer
        cpu,      ///< what a CPU executes
    };
    Class due = cpu;
    std::uint64_t rank = 0;  ///< within the class
    auto operator<=>(const Turn&) const = default;
};

/// What the reference engine uses of SimGrid: its clock and its actors. One SimGrid second is one picosecond, which is
/// exact as long as a point in time fits the 53 bits of a double: beyond time_limit.
///
/// SimGrid lets actors that are due at one instant act in an order of its own. Here one of them acts at a time, until
/// it waits; of the others that are due, the one whose turn is first comes next.
///
/// SimGrid keeps its state in the process: one object per process, ever.
class Actors {
  public:
    /// A SimGrid platform of `hosts` hosts without a network.
    explicit Actors(Cpu hosts);
    Actors(const Actors&) = delete;
    Actors& operator=(const Actors&) = delete;

    Time now() const;
    /// A new actor on a host, which waits at `sleeper` only. It begins at this instant, when `turn` comes. REQUIRES
    /// that `body` keeps `sleeper` alive and throws nothing.
    void start(Cpu host, const std::string& name, Sleeper& sleeper, Turn turn, std::function<void()> body);
    /// Lets the actors act until `end`. Not to be called by an actor. To be called once: what they did not end, nobody
    /// will, and the process had better end without ceremony.
    void run_until(Time end);
    /// No actor acts any more: whichever waits, waits for ever.
    void stop() { stopped_ = true; }

    /// Waits for a point in time so far.
    std::uint64_t timed_waits() const { return timed_waits_; }
    /// Waits for a point in time that last at present. None: nothing will ever happen again.
    std::uint64_t pending() const { return pending_; }

  private:
    friend class Sleeper;
    struct Engine;

    /// Lets the first of those that are due act, if there is one.
    void call_next();

    Engine* engine_;  // outlives this: SimGrid does not put up with actors that have not ended
    std::map<std::pair<Turn, std::uint64_t>, Sleeper*> due_;  // by turn, then first come, first served
    std::uint64_t came_ = 0;
    bool acting_ = false;    // one of the actors does
    bool electing_ = false;  // those that are due at this instant are being gathered
    std::uint64_t timed_waits_ = 0;
    std::uint64_t pending_ = 0;
    bool stopped_ = false;
};

static_assert(time_limit.ps < std::int64_t{1} << 53);

/// Where one actor waits for others or for a point in time: a SimGrid semaphore. As with a condition variable, whoever
/// waits asks again for what it waits for: a wake-up may come for another reason, and none is kept for later.
class Sleeper {
  public:
    explicit Sleeper(Actors& actors);
    ~Sleeper();
    Sleeper(const Sleeper&) = delete;
    Sleeper& operator=(const Sleeper&) = delete;

    /// Until wake().
    void wait();
    /// Until `until`, whose turn is `turn`, or until wake().
    void wait_until(Time until, Turn turn);
    /// Lets others act that are due at this instant and whose turn is before `turn`.
    void wait_for_turn(Turn turn);
    /// Ends the wait of the actor, if it waits: it acts at this instant, when its turn comes.
    void wake(Turn turn);

  private:
    friend class Actors;
    struct Semaphore;

    void join(Turn turn);
    void await_call();

    Actors& actors_;
    std::unique_ptr<Semaphore> semaphore_;
    bool waiting_ = false;
    bool due_ = false;
};

}  // namespace forksim::reference
