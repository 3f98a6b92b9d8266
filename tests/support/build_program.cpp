#include "tests/support/build_program.hpp"

#include "sim/check.hpp"

namespace forksim::test {

std::uint32_t KernelBuilder::lock(LockKind kind, std::string_view name, bool irq_off) {
    LockSpec lock;
    lock.name = name;
    lock.kind = kind;
    lock.irq_off = irq_off;
    lock.line = line(name);
    spec.locks.push_back(lock);
    const auto index = static_cast<std::uint32_t>(spec.locks.size() - 1);
    sites_.push_back(site("take " + lock.name, static_cast<std::int32_t>(index)));
    return index;
}
std::uint32_t KernelBuilder::line(std::string_view name, ScopeSpec per) {
    LineSpec line;
    line.name = name;
    line.per = per;
    spec.lines.push_back(line);
    return static_cast<std::uint32_t>(spec.lines.size() - 1);
}

Steps KernelBuilder::acquire(std::uint32_t lock, AcquireMode mode) {
    return steps().sync(SyncCode::acquire, lock, static_cast<std::uint64_t>(mode), site_of(lock));
}
Steps KernelBuilder::release(std::uint32_t lock) { return steps().sync(SyncCode::release, lock, 0, site_of(lock)); }
Steps KernelBuilder::section(std::uint32_t lock, const Steps& body, AcquireMode mode) {
    return acquire(lock, mode).then(body).then(release(lock));
}
Steps KernelBuilder::read(std::uint32_t lock, Time length) {
    return section(lock, steps().work(length, site_of(lock)), AcquireMode::read);
}
Steps KernelBuilder::write(std::uint32_t lock, Time length) {
    return section(lock, steps().work(length, site_of(lock)), AcquireMode::write);
}
Steps KernelBuilder::touch(std::vector<Touch> touches, std::string_view step) {
    spec.touch_lists.push_back(std::move(touches));
    return steps().sync(SyncCode::touch, static_cast<std::uint32_t>(spec.touch_lists.size() - 1), hash_name(step));
}
Steps KernelBuilder::pool_get(std::uint32_t pool, const Steps& hit, const Steps& miss) {
    return if_skipped(SyncCode::pool_get, pool, hit, miss);
}
Steps KernelBuilder::pool_put(std::uint32_t pool, const Steps& room, const Steps& full) {
    return if_skipped(SyncCode::pool_put, pool, room, full);
}
/// The model skips the op behind, a jump to `no`.
Steps KernelBuilder::if_skipped(SyncCode code, std::uint32_t pool, const Steps& yes, const Steps& no) {
    return steps().sync(code, pool).either(yes, no);
}

Time KernelRun::at(std::string_view label) const {
    for (const Mark& mark : marks)
        if (mark.label == label) return mark.at;
    FORKSIM_CHECK(false, "never passed: " + std::string(label));
    return {};
}
std::vector<Time> KernelRun::all(std::string_view label) const {
    std::vector<Time> times;
    for (const Mark& mark : marks)
        if (mark.label == label) times.push_back(mark.at);
    return times;
}
Time KernelRun::granted(Task who, std::uint32_t lock) const {
    for (const Taken& grant : grants)
        if (grant.who == who && grant.lock == lock) return grant.at;
    return Time::never();
}
std::vector<Task> KernelRun::order(std::uint32_t lock) const {
    std::vector<Task> tasks;
    for (const Taken& grant : grants)
        if (grant.lock == lock) tasks.push_back(grant.who);
    return tasks;
}

}  // namespace forksim::test
