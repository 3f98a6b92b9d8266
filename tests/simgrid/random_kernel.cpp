#include "tests/simgrid/random_kernel.hpp"

#include <array>

namespace forksim {
namespace {

/// As often as each is to be drawn.
constexpr std::array kinds{
    LockKind::spinlock,     LockKind::spinlock,     LockKind::spinlock, LockKind::rwlock,       LockKind::rwlock,
    LockKind::rwlock,       LockKind::rwsem,        LockKind::rwsem,    LockKind::rwsem,        LockKind::percpu_rwsem,
    LockKind::percpu_rwsem, LockKind::percpu_rwsem, LockKind::seqcount, LockKind::seqcount,     LockKind::seqcount,
    LockKind::seqcount,     LockKind::ticket,       LockKind::ticket,   LockKind::test_and_set, LockKind::test_and_set,
    LockKind::mutex,        LockKind::mutex,        LockKind::mutex,    LockKind::futex_pi,     LockKind::futex_pi};

class Declarer {
  public:
    Declarer(Dice& dice, Program& program, ModelSpec& model) : dice_(dice), program_(program), model_(model) {}

    RandomKernel declare() {
        ModelSpec& m = model_;
        const std::uint32_t lines = dice_.number(1, 3);
        for (std::uint32_t i = 0; i < lines; ++i) {
            LineSpec line;
            line.name = "line" + std::to_string(i);
            line.per = scope(30);
            line.lines = dice_.chance(30) ? dice_.number(2, 4) : 1;
            line.far = dice_.chance(15);
            m.lines.push_back(line);
        }
        it_.touch_lists = dice_.number(1, 4);
        for (std::uint32_t i = 0; i < it_.touch_lists; ++i) {
            std::vector<Touch>& list = m.touch_lists.emplace_back();
            for (std::uint32_t touches = dice_.number(1, 3); touches > 0; --touches) {
                Touch touch;
                touch.line = dice_.number(0, lines - 1);
                touch.access = static_cast<Access>(dice_.number(0, 3));
                touch.count = static_cast<std::uint8_t>(dice_.number(1, 2));
                list.push_back(touch);
            }
        }
        const std::uint32_t locks = dice_.number(1, 4);
        it_.first_irq_off = dice_.number(0, locks);
        for (std::uint32_t i = 0; i < locks; ++i) {
            LockSpec lock;
            lock.name = "lock" + std::to_string(i);
            lock.kind = kinds[dice_.roll(0, kinds.size() - 1)];
            lock.per = scope(20);
            if (lock.kind == LockKind::seqcount && !guarded(lock, i)) lock.kind = LockKind::spinlock;
            lock.irq_off = i >= it_.first_irq_off && spins(lock);
            if (dice_.chance(20)) {
                lock.line = dice_.number(0, lines - 1);
                // Each instance on its own. A seqcount must have as many as its guard.
                if (dice_.chance(70) && lock.kind != LockKind::seqcount) lock.per = m.lines[lock.line].per;
            }
            lock.handoff_after = dice_.time(Time::from_us(4), Time::from_us(40));
            lock.always_slow = dice_.chance(30);
            lock.claim = dice_.chance(50) ? 1024 : dice_.number(0, 1024);
            m.locks.push_back(lock);
        }
        for (std::uint32_t objects = dice_.number(0, 2); objects > 0; --objects) declare_object(lines);
        if (dice_.chance(50)) m.pools.push_back({"pool", {Scope::cpu}, dice_.number(1, 2)});
        m.signals = {"done", "gone"};
        m.handles = 2;
        m.rcu.grace_period = program_.tables.add(Lognormal{dice_.time(Time::from_us(30), Time::from_us(80)), 0.3});
        m.rcu.batch = dice_.number(1, 6);
        m.process_count = dice_.number(1, 3);
        return it_;
    }

  private:
    /// Gives the seqcount that comes behind the first `locks` locks one of those that spin as its guard: with
    /// interrupts off iff softirqs, or those who hold what softirqs take, read the seqcount. Returns whether there is
    /// one.
    bool guarded(LockSpec& seqcount, std::uint32_t locks) {
        std::vector<std::uint32_t> guards;
        for (std::uint32_t i = locks >= it_.first_irq_off ? it_.first_irq_off : 0; i < locks; ++i)
            if (spins(model_.locks[i])) guards.push_back(i);
        if (guards.empty()) return false;
        seqcount.guard = guards[dice_.number(0, static_cast<std::uint32_t>(guards.size()) - 1)];
        seqcount.per = model_.locks[seqcount.guard].per;
        return true;
    }

    /// And what puts a child in, and takes it out.
    void declare_object(std::uint32_t lines) {
        ModelSpec& m = model_;
        ObjectSpec object;
        object.name = "object" + std::to_string(m.objects.size());
        object.kind = static_cast<ObjectKind>(dice_.number(0, 2));
        object.resident = dice_.number(0, 100);
        if (object.kind != ObjectKind::idr && dice_.chance(30)) {
            object.line = dice_.number(0, lines - 1);
            object.per = m.lines[object.line].per;
        }
        constexpr std::array in{ObjectOp::insert, ObjectOp::alloc, ObjectOp::add_tail};
        constexpr std::array out{ObjectOp::erase, ObjectOp::remove, ObjectOp::del};
        Touch touch;
        touch.line = static_cast<std::uint32_t>(m.objects.size());
        touch.object = true;
        touch.op = in[static_cast<std::size_t>(object.kind)];
        touch.whose = Whose::embryo;
        it_.puts_in.push_back(static_cast<std::uint32_t>(m.touch_lists.size()));
        m.touch_lists.push_back({touch});
        touch.op = out[static_cast<std::size_t>(object.kind)];
        touch.whose = Whose::self;
        it_.takes_out.push_back(static_cast<std::uint32_t>(m.touch_lists.size()));
        m.touch_lists.push_back({touch});
        m.objects.push_back(object);
    }

    ScopeSpec scope(std::uint32_t percent_not_global) {
        if (!dice_.chance(percent_not_global)) return {};
        switch (dice_.number(0, 3)) {
            case 0:
                return {Scope::process};
            case 1:
                return {Scope::cpu};
            case 2:
                return {Scope::node};
            default:
                return {Scope::cpus, dice_.number(2, 5)};
        }
    }

    Dice& dice_;
    Program& program_;
    ModelSpec& model_;
    RandomKernel it_;
};

}  // namespace

bool spins(const LockSpec& lock) {
    return lock.kind == LockKind::spinlock || lock.kind == LockKind::rwlock || lock.kind == LockKind::ticket ||
           lock.kind == LockKind::test_and_set;
}

RandomKernel random_kernel(Dice& dice, Program& program, ModelSpec& model) {
    return Declarer(dice, program, model).declare();
}

}  // namespace forksim
