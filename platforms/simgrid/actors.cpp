#include "platforms/simgrid/actors.hpp"

#include <cmath>
#include <simgrid/s4u.hpp>
#include <string>
#include <vector>

#include "sim/check.hpp"

namespace forksim::reference {

namespace s4u = simgrid::s4u;

struct Actors::Engine {
    Engine(int* argc, char** argv) : engine(argc, argv) {}
    s4u::Engine engine;
    std::vector<s4u::Host*> hosts;
};

struct Sleeper::Semaphore {
    s4u::SemaphorePtr semaphore = s4u::Semaphore::create(0);
};

Actors::Actors(Cpu hosts) {
    // Durations are whole seconds of SimGrid's: there is no rounding that its tolerance would have to hide.
    std::vector<std::string> words{"forksim-simgrid", "--log=root.thresh:critical", "--cfg=surf/precision:1e-9",
                                   "--cfg=contexts/stack-size:256"};
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    int argc = static_cast<int>(words.size());
    engine_ = new Engine(&argc, argv.data());
    s4u::NetZone* zone = s4u::create_full_zone("machine");
    for (Cpu i = 0; i < hosts; ++i) engine_->hosts.push_back(zone->create_host("cpu" + std::to_string(i), 1.0)->seal());
    zone->seal();
}

Time Actors::now() const { return Time{std::llround(s4u::Engine::get_clock())}; }

void Actors::start(Cpu host, const std::string& name, Sleeper& sleeper, Turn turn, std::function<void()> body) {
    sleeper.join(turn);
    s4u::Actor::create(name, engine_->hosts[host], [this, &sleeper, body = std::move(body)] {
        sleeper.await_call();
        body();
        call_next();
    });
}

void Actors::run_until(Time end) {
    // As long as somebody waits for a point in time, SimGrid sees no deadlock, of which it makes an end of its own.
    s4u::Actor::create("end", engine_->hosts.front(),
                       [end] { s4u::this_actor::sleep_until(static_cast<double>(end.ps) + 1); });
    engine_->engine.run_until(static_cast<double>(end.ps));
}

void Actors::call_next() {
    acting_ = !due_.empty() && !stopped_;
    if (!acting_) return;
    Sleeper& next = *due_.begin()->second;
    due_.erase(due_.begin());
    next.due_ = false;
    next.semaphore_->semaphore->release();
}

Sleeper::Sleeper(Actors& actors) : actors_(actors), semaphore_(std::make_unique<Semaphore>()) {}

Sleeper::~Sleeper() = default;

void Sleeper::wait() {
    waiting_ = true;
    actors_.call_next();
    semaphore_->semaphore->acquire();
    waiting_ = false;
}

void Sleeper::wait_until(Time until, Turn turn) {
    const Time now = actors_.now();
    if (until <= now) return;
    waiting_ = true;
    ++actors_.timed_waits_;
    ++actors_.pending_;
    actors_.call_next();
    const bool time_is_up = semaphore_->semaphore->acquire_timeout(static_cast<double>((until - now).ps));
    --actors_.pending_;
    if (time_is_up) {
        FORKSIM_CHECK(!actors_.acting_, "SimGrid did not wake at once all that were due at one instant");
        join(turn);
        await_call();
    }
    waiting_ = false;
}

void Sleeper::wait_for_turn(Turn turn) {
    if (actors_.due_.empty() || turn < actors_.due_.begin()->first.first) return;
    join(turn);
    actors_.call_next();
    semaphore_->semaphore->acquire();
}

void Sleeper::wake(Turn turn) {
    if (waiting_ && !due_) join(turn);
}

void Sleeper::join(Turn turn) {
    due_ = true;
    actors_.due_.insert({{turn, actors_.came_++}, this});
}

/// Waits, without acting, until it is called.
void Sleeper::await_call() {
    if (!actors_.acting_ && !actors_.electing_) {
        // The first one to come. SimGrid runs all others that are due before it handles this.
        actors_.electing_ = true;
        s4u::this_actor::yield();
        actors_.electing_ = false;
        if (actors_.due_.begin()->second == this && !actors_.stopped_) {
            actors_.due_.erase(actors_.due_.begin());
            actors_.acting_ = true;
            due_ = false;
            return;
        }
        actors_.call_next();
    }
    semaphore_->semaphore->acquire();
}

}  // namespace forksim::reference
