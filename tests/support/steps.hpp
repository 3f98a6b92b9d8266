#pragma once
#include <cstdint>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/core.hpp"
#include "sim/distribution.hpp"
#include "sim/program.hpp"
#include "sim/random.hpp"
#include "sim/time.hpp"
#include "sim/topology.hpp"

namespace forksim {

/// For messages of tests.
inline std::ostream& operator<<(std::ostream& out, Time t) {
    return t == Time::never() ? out << "never" : out << t.ps << " ps";
}

}  // namespace forksim

/// What tests build programs and machines with, by hand and exactly: no reader, no scenario, no randomness but what a
/// test asks for.
namespace forksim::test {

constexpr Time operator""_ps(unsigned long long n) { return Time{static_cast<std::int64_t>(n)}; }
constexpr Time operator""_ns(unsigned long long n) { return Time::from_ns(static_cast<std::int64_t>(n)); }
constexpr Time operator""_us(unsigned long long n) { return Time::from_us(static_cast<std::int64_t>(n)); }

/// One core per CPU, one last-level cache, every distance `line`.
Topology uniform(Cpu cpus, Time line);

/// CPUs 0 .. n-1 on socket 0, the others on socket 1; one last-level cache each. Memory is `to_near` from its own
/// socket and `to_far` from the other (Coherence::home only).
Topology two_sockets(Cpu cpus_per_socket, Time within, Time between, Coherence coherence = Coherence::local,
                     Time to_near = {}, Time to_far = {});

/// CPUs 2c and 2c + 1 share core c. Speeds in 1/1024.
Topology smt_pairs(Cpu cores, Time line, Time smt, std::uint32_t speed_busy, std::uint32_t speed_spin);

/// Code::sync with this `sub` is a mark: whatever runs the program writes down label, CPU and time, and goes on.
inline constexpr std::uint8_t mark_code = 255;

/// And with this one it raises a softirq: the program at `b` runs on top of CPU `a`.
inline constexpr std::uint8_t raise_code = 254;

/// And with this one it does what a broken kind of lock would: the spinning task `a` goes on, whatever it waits for.
inline constexpr std::uint8_t break_code = 253;

/// A task passed a mark.
struct Mark {
    std::string label;
    Cpu cpu;
    Time at;
    bool operator==(const Mark&) const = default;
};

class ProgramBuilder;

/// The ops of one path, written one after the other. Its jumps are relative until it is placed in the program.
class Steps {
  public:
    explicit Steps(ProgramBuilder& builder) : builder_(&builder) {}

    Steps& work(Time length, std::uint16_t site = 0);  ///< in kernel mode
    Steps& user(Time length);
    Steps& drawn(const Distribution& length, std::string_view step, std::uint16_t site = 0);
    Steps& busy(Time length, std::uint16_t site = 0);
    Steps& sleep(Time length);
    Steps& repeat(std::uint32_t turns, const Steps& body);
    Steps& forever();            ///< back to the first op, a turn is done
    Steps& spin_without_time();  ///< jumps to itself
    Steps& spawn(std::string_view step, std::uint32_t child_entry, std::uint16_t group = 0, std::uint32_t handle = 0);
    Steps& create(std::string_view step, std::uint32_t child_entry, std::uint16_t group = 0, std::uint32_t handle = 0);
    Steps& start();
    Steps& count(std::uint32_t counter = 0);
    Steps& measure_begin(std::uint32_t path);
    Steps& measure_end(std::uint32_t path);
    Steps& might_sleep();
    Steps& cond_resched();
    Steps& yield();
    Steps& sync(std::uint8_t code, std::uint32_t a = 0, std::uint64_t b = 0, std::uint16_t site = 0);
    template <class Enum>
    Steps& sync(Enum code, std::uint32_t a = 0, std::uint64_t b = 0, std::uint16_t site = 0) {
        return sync(static_cast<std::uint8_t>(code), a, b, site);
    }
    template <class Enum>
    Steps& sync(Enum code, std::uint32_t a, Time b) {
        return sync(static_cast<std::uint8_t>(code), a, static_cast<std::uint64_t>(b.ps));
    }
    Steps& mark(std::string_view label);
    Steps& let_go_on(Task spinning) { return sync(break_code, spinning); }
    Steps& raise(Cpu cpu, std::uint32_t callback) { return sync(raise_code, cpu, callback); }
    Steps& exit();
    Steps& exit_then(std::uint32_t at_switch_entry);
    Steps& end();  ///< of a callback, or of at-switch work
    /// With probability `p` (0 .. 1) the steps of `body`.
    Steps& maybe(double p, std::string_view step, const Steps& body);
    Steps& then(const Steps& other);
    /// Behind an op that may skip the next one: `skipped` if it did, else `otherwise`.
    Steps& either(const Steps& skipped, const Steps& otherwise);

  protected:
    friend class ProgramBuilder;
    Steps& op(Code code, std::uint32_t a = 0, std::uint64_t b = 0, std::uint16_t site = 0, std::uint8_t sub = 0);

    ProgramBuilder* builder_;
    std::vector<Op> ops_;
};

/// A program under construction, and the run's settings, at first: tie break by CPU number, no cost of switching or
/// waking, a window of 1 ms without warm-up, full preemption.
class ProgramBuilder {
  public:
    explicit ProgramBuilder(Topology machine);

    Steps steps() { return Steps(*this); }
    /// Puts the steps into the program; returns where they begin.
    std::uint32_t place(const Steps& steps);

    /// A task that exists from the start. It ends behind its last step unless that leaves it no way there.
    /// Returns the number that it will have in the simulation.
    Task task(const Steps& steps, std::vector<Cpu> cpus, std::uint16_t group = 0, std::int8_t nice = 0);
    Task task(const Steps& steps, Cpu cpu) { return task(steps, std::vector<Cpu>{cpu}); }

    std::uint16_t site(std::string_view name, std::int32_t resource = -1);
    std::uint16_t group(std::string_view name, std::uint32_t turn_path = no_op);
    std::uint32_t path(std::string_view name);
    std::uint32_t counter(std::string_view name);
    std::uint32_t sampler(const Distribution& length);
    std::uint32_t label(std::string_view name);
    /// A lone jump or the like needs the number of a thing that the program holds.
    std::uint32_t add_spawn(const Spawn& spawn);

    Program program;
    Topology topology;
    CoreConfig config;
    std::vector<std::string> labels;
    std::uint32_t process_of_next_task = 0;
};

}  // namespace forksim::test
