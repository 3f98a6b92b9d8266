#include "tests/oracles/percpu_rwsem_steps.hpp"

#include <array>

#include "tests/oracles/access.hpp"

namespace forksim::oracle {
namespace {

constexpr std::uint8_t block = 0;
constexpr std::uint8_t lock = 1;
constexpr std::uint8_t queue = 2;
constexpr std::uint8_t writer = 4;
constexpr std::uint8_t per_cpu = 5;
constexpr std::uint8_t bytes_per_cpu = 3;
constexpr std::uint32_t is_reader = 8;

constexpr std::uint8_t of_cpu(unsigned cpu, unsigned byte) {
    return static_cast<std::uint8_t>(per_cpu + bytes_per_cpu * cpu + byte);
}
constexpr std::uint8_t count_of(unsigned cpu) { return of_cpu(cpu, 0); }
constexpr std::uint8_t sleeping_of(unsigned cpu) { return of_cpu(cpu, 1); }
constexpr std::uint8_t private_of(unsigned cpu) { return of_cpu(cpu, 2); }

}  // namespace

Layout PercpuRwsemSteps::layout(unsigned cpus) const {
    Layout layout{.bytes = per_cpu + bytes_per_cpu * cpus, .resting_bytes = 5, .line_of = {0, 0, 0, 0, 1}};
    for (unsigned cpu = 0; cpu < cpus; ++cpu)
        for (unsigned byte = 0; byte < bytes_per_cpu; ++byte)
            layout.line_of.push_back(static_cast<std::uint8_t>(2 + cpu));
    return layout;
}

/// registers.next: CPU + 1 of whom to wake, or how many counters are summed; registers.value: a sum, or the queue as it
/// was read.
Access PercpuRwsemSteps::next(unsigned cpu, const Registers& registers) const {
    const unsigned other = registers.next - 1U;
    switch (registers.pc) {
        case read_count:
        case second_count:
        case wake_count:
            return add(count_of(cpu), 1);
        case read_uncount:
        case second_uncount:
        case wake_uncount:
        case read_release:
            return add(count_of(cpu), 0xff);
        case read_check:
        case second_check:
        case wake_check:
        case write_look:
            return load(block);
        case read_prod:
        case second_prod:
        case wake_prod:
        case read_release_prod:
            return load(writer);
        case read_prod_wake:
        case second_prod_wake:
        case wake_prod_wake:
        case read_release_wake:
        case wake_task:
            return store(sleeping_of(other), 0);
        case write_block:
        case second_block:
        case wake_block:
            return xchg(block, 1);
        case lock_spin:
        case wake_lock_spin:
            return spin_until_zero(lock);
        case lock_take:
        case wake_lock_take:
            return cmpxchg(lock, 0, 1);
        case lock_release:
        case wake_lock_release:
            return store(lock, 0);
        case set_private:
            return store(private_of(cpu), 1);
        case wake_private:
            return store(private_of(other), 0);
        case queue_read:
        case wake_queue_read:
            return load(queue, 2);
        case queue_append:
        case wake_unlink:
            return store(queue, registers.value, 2);
        case prepare_to_sleep:
        case drain_prepare:
            return xchg(sleeping_of(cpu), 1);
        case private_check:
            return load(private_of(cpu));
        case sleep:
        case drain_sleep:
            return spin_until_zero(sleeping_of(cpu));
        case set_writer:
            return store(writer, cpu + 1);
        case clear_writer:
            return store(writer, 0);
        case drain_sum:
            return load(count_of((cpu + registers.next) % cpus_));
        default:  // write_release
            return store(block, 0);
    }
}

unsigned PercpuRwsemSteps::resume(unsigned cpu, Registers& registers, Mode mode, std::uint32_t seen, bool) const {
    const Go go{registers};
    switch (registers.pc) {
        case read_count:
            return go(read_check);
        case read_check:
            return seen == 0 ? go(read_release, acquired) : go(read_uncount);
        case read_uncount:
            return go(read_prod);
        case read_prod:
            registers.next = static_cast<std::uint8_t>(seen);
            return go(seen == 0 ? lock_spin : read_prod_wake);
        case read_prod_wake:
            registers.next = 0;
            return go(lock_spin);
        case write_look:
            return go(seen == 0 ? write_block : lock_spin);
        case write_block:
            return go(seen == 0 ? set_writer : lock_spin);
        default:
            return registers.pc >= read_release ? resume_release(registers, seen)
                                                : resume_waiting(cpu, registers, mode, seen);
    }
}

/// percpu_rwsem_wait() and the wait for the readers. registers.spare: has the lock already, by the second try.
unsigned PercpuRwsemSteps::resume_waiting(unsigned cpu, Registers& registers, Mode mode, std::uint32_t seen) const {
    const bool reads = mode != Mode::exclusive;
    const Go go{registers};
    const auto have_it = [&] {
        registers.spare = 0;
        return reads ? go(read_release, acquired) : go(set_writer);
    };
    switch (registers.pc) {
        case lock_spin:
            return go(lock_take);
        case lock_take:
            if (seen != 0) return go(lock_spin);
            return go(reads ? second_count : second_block);
        case second_count:
            return go(second_check);
        case second_check:
        case second_block:
            if (seen != 0) return go(reads ? second_uncount : set_private);
            registers.spare = 1;
            return go(lock_release);
        case second_uncount:
            return go(second_prod);
        case second_prod:
            registers.next = static_cast<std::uint8_t>(seen);
            return go(seen == 0 ? set_private : second_prod_wake);
        case second_prod_wake:
            registers.next = 0;
            return go(set_private);
        case set_private:
            return go(queue_read);
        case queue_read:
            registers.value = with_entry(seen, cpu + 1 + (reads ? is_reader : 0));
            return go(queue_append);
        case queue_append:
            registers.value = 0;
            return go(lock_release);
        case lock_release:
            return registers.spare != 0 ? have_it() : go(prepare_to_sleep);
        case prepare_to_sleep:
            return go(private_check);
        case private_check:
            return seen == 0 ? have_it() : go(sleep);
        case sleep:
            return go(prepare_to_sleep);
        case set_writer:
            return go(drain_prepare);
        case drain_prepare:
            registers.next = 0;
            registers.value = 0;
            return go(drain_sum);
        case drain_sum: {
            const std::uint32_t sum = (registers.value + seen) & 0xff;
            const bool all = ++registers.next == cpus_;
            registers.value = all ? 0 : sum;
            if (!all) return go(drain_sum);
            registers.next = 0;
            return go(sum == 0 ? clear_writer : drain_sleep);
        }
        case drain_sleep:
            return go(drain_prepare);
        default:  // clear_writer
            return go(write_release, acquired);
    }
}

/// registers.spare: the one to be woken is a reader, and the next in the queue is looked at.
unsigned PercpuRwsemSteps::resume_release(Registers& registers, std::uint32_t seen) const {
    const Go go{registers};
    const auto take_head = [&] {
        registers.next = static_cast<std::uint8_t>(registers.value & 7);
        registers.spare = (registers.value & is_reader) != 0 ? 1 : 0;
        registers.value >>= 4;
        return go(wake_unlink);
    };
    switch (registers.pc) {
        case read_release:
            return go(read_release_prod, released);
        case read_release_prod:
            registers.next = static_cast<std::uint8_t>(seen);
            return seen == 0 ? unsigned{finished} : go(read_release_wake);
        case read_release_wake:
            return finished;
        case write_release:
            return go(wake_lock_spin, released);
        case wake_lock_spin:
            return go(wake_lock_take);
        case wake_lock_take:
            return go(seen == 0 ? wake_queue_read : wake_lock_spin);
        case wake_queue_read:
            registers.value = seen;
            if (seen == 0) return go(wake_lock_release);
            return go((seen & is_reader) != 0 ? wake_count : wake_block);
        case wake_count:
            return go(wake_check);
        case wake_check:
            if (seen != 0) return go(wake_uncount);
            return take_head();
        case wake_uncount:
            registers.value = 0;
            return go(wake_prod);
        case wake_prod:
            registers.next = static_cast<std::uint8_t>(seen);
            return go(seen == 0 ? wake_lock_release : wake_prod_wake);
        case wake_prod_wake:
            registers.next = 0;
            return go(wake_lock_release);
        case wake_block:
            if (seen == 0) return take_head();
            registers.value = 0;
            return go(wake_lock_release);
        case wake_unlink:
            registers.value = 0;
            return go(wake_private);
        case wake_private:
            return go(wake_task);
        case wake_task: {
            const bool reader = registers.spare != 0;
            registers.next = registers.spare = 0;
            return go(reader ? wake_queue_read : wake_lock_release);
        }
        default:  // wake_lock_release
            return finished;
    }
}

std::string_view PercpuRwsemSteps::label(std::uint8_t pc) const {
    // clang-format off
    static constexpr std::array<std::string_view, 45> names{
        "done", "read_count", "read_check", "read_uncount", "read_prod", "read_prod_wake", "write_look",
        "write_block", "lock_spin", "lock_take", "second_count", "second_check", "second_uncount", "second_prod",
        "second_prod_wake", "second_block", "set_private", "queue_read", "queue_append", "lock_release",
        "prepare_to_sleep", "private_check", "sleep", "set_writer", "drain_prepare", "drain_sum", "drain_sleep",
        "clear_writer", "read_release", "read_release_prod", "read_release_wake", "write_release", "wake_lock_spin",
        "wake_lock_take", "wake_queue_read", "wake_count", "wake_check", "wake_uncount", "wake_prod",
        "wake_prod_wake", "wake_block", "wake_unlink", "wake_private", "wake_task", "wake_lock_release"};
    // clang-format on
    return names.at(pc);
}

}  // namespace forksim::oracle
