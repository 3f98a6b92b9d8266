#include "analysis/stats/replicate.hpp"

#include <algorithm>
#include <condition_variable>
#include <exception>
#include <map>
#include <mutex>
#include <thread>
#include <vector>

#include "sim/check.hpp"

namespace forksim {
namespace {

struct Finished {
    std::exception_ptr error;
};

/// Hands out replications in order to the threads and takes their values back in order.
class Queue {
  public:
    Queue(std::uint32_t most, unsigned jobs) : most_(most), ahead_(jobs) {}

    /// The next replication to run, or false when none is wanted any more.
    bool take(std::uint32_t& index) {
        std::unique_lock lock(mutex_);
        room_.wait(lock, [&] { return closed_ || next_ == most_ || next_ < accepted_ + ahead_; });
        if (closed_ || next_ == most_) return false;
        index = next_++;
        return true;
    }
    void put(std::uint32_t index, Finished finished) {
        {
            const std::scoped_lock lock(mutex_);
            finished_[index] = std::move(finished);
        }
        arrived_.notify_one();
    }
    Finished wait_for(std::uint32_t index) {
        std::unique_lock lock(mutex_);
        arrived_.wait(lock, [&] { return finished_.contains(index); });
        return finished_.extract(index).mapped();
    }
    /// One more replication is accepted and more are wanted.
    void accepted() {
        {
            const std::scoped_lock lock(mutex_);
            accepted_ += 1;
        }
        room_.notify_all();
    }
    void close() {
        {
            const std::scoped_lock lock(mutex_);
            closed_ = true;
        }
        room_.notify_all();
    }

  private:
    std::mutex mutex_;
    std::condition_variable room_;
    std::condition_variable arrived_;
    std::map<std::uint32_t, Finished> finished_;
    const std::uint32_t most_;
    const std::uint32_t ahead_;  // how far the threads may run ahead of what is accepted
    std::uint32_t next_ = 0;
    std::uint32_t accepted_ = 0;
    bool closed_ = false;
};

void serve(Queue& queue, const std::function<void(std::uint32_t)>& run) {
    for (std::uint32_t index = 0; queue.take(index);) {
        Finished finished;
        try {
            run(index);
        } catch (...) {
            finished.error = std::current_exception();
        }
        queue.put(index, std::move(finished));
    }
}

}  // namespace

void replicate_while(std::uint32_t most, unsigned jobs, const std::function<void(std::uint32_t)>& run,
                     const std::function<bool(std::uint32_t)>& accept) {
    FORKSIM_CHECK(jobs >= 1, "no thread to run replications on");
    Queue queue(most, jobs);
    struct Closer {
        Queue& queue;
        ~Closer() { queue.close(); }
    };
    std::vector<std::jthread> threads;
    const Closer closer{queue};  // leaves before the threads are joined
    for (unsigned i = 0; i < std::min(jobs, most); ++i) threads.emplace_back([&] { serve(queue, run); });

    for (std::uint32_t index = 0; index < most; ++index) {
        const Finished finished = queue.wait_for(index);
        if (finished.error) std::rethrow_exception(finished.error);
        if (!accept(index)) return;
        queue.accepted();
    }
}

ReplicationOutcome replicate(const ReplicationPlan& plan, unsigned jobs, const ReplicationWork& work) {
    StoppingRule rule(plan);
    std::vector<Finished> errors(plan.most);
    std::vector<double> values(plan.most);
    const auto told_to_stop = [&] { return work.stop && work.stop(); };
    bool stopped = false;
    replicate_while(
        plan.most, jobs,
        [&](std::uint32_t index) {
            try {
                values[index] = work.run(index);
            } catch (...) {
                errors[index].error = std::current_exception();
            }
        },
        [&](std::uint32_t index) {
            if (errors[index].error) {  // what the interrupted leave behind is no fault
                stopped = index > 0 && told_to_stop();
                if (!stopped) std::rethrow_exception(errors[index].error);
                return false;
            }
            rule.add(values[index]);
            work.accept(index);
            if (work.progress) work.progress(rule.estimate());
            if (rule.reason() != StopReason::not_yet) return false;
            stopped = told_to_stop();
            return !stopped;
        });
    return {rule.estimate(), stopped ? StopReason::interrupted : rule.reason()};
}

}  // namespace forksim
