#include "tests/simgrid/random_case.hpp"

#include <utility>
#include <vector>

#include "sim/random.hpp"
#include "tests/simgrid/random_kernel.hpp"
#include "tests/simgrid/random_machine.hpp"

namespace forksim {
namespace {

/// Writes the programs of a case. The rules of the kernel's that keep locks from deadlocks are kept: sections nest in
/// the order of the locks; softirqs take only locks that are always taken with interrupts off, which come last.
class Writer {
  public:
    Writer(std::uint64_t seed, Times times) : dice_(seed, times) {}

    Case write() {
        it_.topology = random_topology(dice_);
        kernel_ = random_kernel(dice_, it_.program, it_.model);
        it_.program.sites.push_back({});
        declare_tasks();
        for (std::size_t i = 0; i < entries_.size(); ++i) {
            op_of_entry_.push_back(here());
            write_entry(entries_[i]);
        }
        for (const std::uint32_t op : refers_to_entry_) it_.program.ops[op].a = op_of_entry_[it_.program.ops[op].a];
        for (Spawn& spawn : it_.program.spawns) spawn.entry = op_of_entry_[spawn.entry];
        for (RootTask& root : it_.program.roots) root.entry = op_of_entry_[root.entry];
        if (it_.model.rcu.report != no_op) it_.model.rcu.report = op_of_entry_[it_.model.rcu.report];
        return std::move(it_);
    }

  private:
    enum class Kind : std::uint8_t { root, child, at_switch, softirq };
    struct Entry {
        Kind kind;
        std::uint32_t depth;  // of spawning
    };
    struct Scene {
        Kind kind;
        std::uint32_t depth = 0;      // of spawning
        std::uint32_t next_lock = 0;  // locks below it are held, or may not be taken any more
        bool may_sleep = false;       // no spinning lock is held
        bool may_await = true;        // and no other lock either that a child might want
        int nesting = 0;              // of blocks
    };

    void declare_tasks() {
        Program& p = it_.program;
        const Cpu cpus = it_.topology.cpu_count();
        const bool pinned = dice_.chance(60);
        const std::uint32_t tasks = pinned ? cpus : dice_.number(1, cpus + cpus / 3);
        CpuMask all(cpus);
        for (Cpu cpu = 0; cpu < cpus; ++cpu) all.set(cpu);
        if (!pinned) p.masks.push_back(all);
        for (std::uint32_t i = 0; i < tasks; ++i) {
            if (pinned) {
                CpuMask one(cpus);
                one.set(i);
                p.masks.push_back(one);
            }
            RootTask root;
            root.entry = i > 0 && dice_.chance(70) ? 0 : entry(Kind::root, 0);
            root.process = dice_.number(0, it_.model.process_count - 1);
            root.mask = pinned ? i : 0;
            root.key = mix(hash_name("root"), i);
            p.roots.push_back(root);
        }
        if (dice_.chance(30)) it_.model.rcu.report = entry(Kind::softirq, 0);
        p.groups.push_back({"task", true, no_op});
        p.counters = {"turns", "other"};
        it_.config.context_switch = dice_.time({300'000}, {900'000});
        it_.config.wake_cost = dice_.chance(80) ? dice_.time({400'000}, {1'500'000}) : Time{};
        it_.config.tick = dice_.time(Time::from_us(20), Time::from_us(50));
        it_.config.warmup = dice_.chance(70) ? dice_.time(Time::from_us(5), Time::from_us(50)) : Time{};
        it_.config.duration = dice_.time(Time::from_us(100), Time::from_us(300));
    }

    void write_entry(Entry entry) {  // a copy: the list of entries grows meanwhile
        Scene scene{entry.kind, entry.depth, 0, true, 0};
        switch (entry.kind) {
            case Kind::root: {
                const std::uint32_t top = here();
                work(true);
                steps(scene, 2, 6);
                emit(Code::count, 0);
                emit(Code::turn, top);
                break;
            }
            case Kind::child: {
                steps(scene, 1, 3);
                sync(SyncCode::signal, 0, 0);
                steps(scene, 1, 4);
                for (const std::uint32_t list : kernel_.takes_out) sync(SyncCode::touch, list, key());
                if (dice_.chance(50)) {
                    refer(Code::exit, this->entry(Kind::at_switch, entry.depth));
                } else {
                    emit(Code::exit, no_op);
                }
                break;
            }
            case Kind::at_switch:
            case Kind::softirq:
                scene.may_sleep = false;
                if (entry.kind == Kind::softirq) scene.next_lock = kernel_.first_irq_off;
                steps(scene, 1, 3);
                emit(Code::end);
                break;
        }
    }

    void steps(const Scene& scene, std::uint32_t least, std::uint32_t most) {
        for (std::uint32_t n = dice_.number(least, most); n > 0; --n) step(scene);
    }

    void step(const Scene& scene) {
        const std::uint32_t choice = dice_.number(1, 100);
        const bool task = scene.kind == Kind::root || scene.kind == Kind::child;
        if (choice <= 38) {
            section(scene);
        } else if (choice <= 46) {
            sync(SyncCode::touch, dice_.number(0, kernel_.touch_lists - 1), key());
        } else if (choice <= 52) {
            sync(SyncCode::atomic, dice_.number(0, static_cast<std::uint32_t>(it_.model.lines.size()) - 1), key());
        } else if (choice <= 58 && scene.nesting < 3) {
            branch(scene);
        } else if (choice <= 62 && scene.nesting < 2) {
            loop(scene);
        } else if (choice <= 74 && task && scene.may_sleep && scene.may_await && scene.depth < 2 && scene.nesting < 2) {
            spawn(scene);
        } else if (choice <= 80) {
            refer_sync(SyncCode::call_rcu, softirq_entry());
        } else if (choice <= 84 && !it_.model.pools.empty()) {
            pool();
        } else if (choice <= 88 && task && scene.may_sleep) {
            emit(dice_.chance(60) ? Code::sleep : Code::yield, 0, key());
            if (it_.program.ops.back().code == Code::sleep) it_.program.ops.back().a = sampler(Time::from_us(5));
        } else if (choice <= 89) {
            read_section(scene);
        } else if (choice <= 90) {
            emit(Code::busy, sampler({300'000}), key());
        } else if (choice <= 92) {
            emit(Code::count, 1);
        } else {
            work(scene.may_sleep && task);
        }
    }

    void work(bool maybe_user) {
        emit(Code::work, sampler(Time{dice_.chance(70) ? 400'000 : 4'000'000}), key());
        if (maybe_user && dice_.chance(50)) it_.program.ops.back().sub = 1;
    }

    void section(Scene scene) {
        const auto locks = static_cast<std::uint32_t>(it_.model.locks.size());
        if (scene.next_lock >= locks) return work(false);
        const std::uint32_t lock = dice_.number(scene.next_lock, locks - 1);
        const LockSpec& spec = it_.model.locks[lock];
        if (spec.kind == LockKind::seqcount) return counted(scene, lock);
        const bool task = scene.kind == Kind::root || scene.kind == Kind::child;
        if (!spins(spec) && !(task && scene.may_sleep)) return work(false);
        section(scene, lock, nullptr);
    }

    /// A read section of a seqcount, or a write section within one of its guard.
    void counted(Scene scene, std::uint32_t seqcount) {
        const std::uint32_t guard = it_.model.locks[seqcount].guard;
        if (guard >= scene.next_lock && dice_.chance(40)) return section(scene, guard, &seqcount);
        const std::uint16_t read_at = site(static_cast<std::int32_t>(seqcount), "");
        const std::uint32_t top = here();
        sync(SyncCode::seq_begin, seqcount);
        it_.program.ops.back().site = read_at;
        scene.next_lock = seqcount + 1;
        ++scene.nesting;
        emit(Code::work, sampler({150'000}), key());
        if (dice_.chance(50)) steps(scene, 1, 2);
        sync(SyncCode::seq_retry, seqcount);
        it_.program.ops.back().site = read_at;
        emit(Code::jump, top);
    }

    /// Takes a lock, and maybe writes a seqcount that it guards.
    void section(Scene scene, std::uint32_t lock, const std::uint32_t* seqcount) {
        const LockSpec& spec = it_.model.locks[lock];
        AcquireMode mode = AcquireMode::exclusive;
        if (spec.kind == LockKind::rwlock || spec.kind == LockKind::rwsem || spec.kind == LockKind::percpu_rwsem) {
            const std::uint32_t writes = spec.kind == LockKind::percpu_rwsem ? 20 : 50;
            mode = seqcount != nullptr || dice_.chance(writes) ? AcquireMode::write : AcquireMode::read;
        }
        const std::uint16_t taken_at = site(static_cast<std::int32_t>(lock), mode == AcquireMode::read ? "read" : "");
        sync(SyncCode::acquire, lock, static_cast<std::uint64_t>(mode));
        it_.program.ops.back().site = taken_at;
        scene.next_lock = (seqcount != nullptr ? *seqcount : lock) + 1;
        scene.may_sleep = scene.may_sleep && !spins(spec);
        scene.may_await = false;
        ++scene.nesting;
        const std::uint16_t written_at =
            seqcount != nullptr ? site(static_cast<std::int32_t>(*seqcount), "") : std::uint16_t{0};
        if (seqcount != nullptr) sync(SyncCode::seq_write_begin, *seqcount);
        if (seqcount != nullptr) it_.program.ops.back().site = written_at;
        emit(Code::work, sampler({150'000}), key());
        if (scene.may_sleep && dice_.chance(30)) emit(Code::sleep, sampler({1'000'000}), key());
        if (dice_.chance(50)) steps(scene, 1, 2);
        if (seqcount != nullptr) sync(SyncCode::seq_write_end, *seqcount);
        sync(SyncCode::release, lock);
        it_.program.ops.back().site = taken_at;
    }

    /// rcu_read_lock(), or a wait for the end of all such sections.
    void read_section(Scene scene) {
        if (scene.may_sleep && dice_.chance(30)) return sync(SyncCode::synchronize_rcu, 0);
        sync(SyncCode::rcu_read_lock, 0);
        it_.program.ops.back().site = site(-1, "");
        scene.may_sleep = false;
        ++scene.nesting;
        steps(scene, 1, 2);
        sync(SyncCode::rcu_read_unlock, 0);
    }

    void branch(Scene scene) {
        ++scene.nesting;
        const std::uint32_t fork = here();
        emit(Code::branch, 0, (key() << 32) | dice_.roll(0, 0xFFFFFFFF));
        steps(scene, 1, 2);
        const std::uint32_t skip = here();
        emit(Code::jump);
        it_.program.ops[fork].a = here();
        if (dice_.chance(50)) steps(scene, 1, 2);
        it_.program.ops[skip].a = here();
    }

    void loop(Scene scene) {
        ++scene.nesting;
        const std::uint32_t top = here();
        emit(Code::repeat, 0, dice_.roll(0, 3));
        steps(scene, 1, 2);
        emit(Code::next, top + 1);
        it_.program.ops[top].a = here();
    }

    void spawn(Scene scene) {
        ++scene.nesting;
        const std::uint32_t handle = scene.depth;
        Spawn spawn;
        spawn.entry = entry(Kind::child, scene.depth + 1);
        spawn.handle = handle;
        spawn.key = key();
        it_.program.spawns.push_back(spawn);
        Scene between = scene;
        between.depth = 9;  // no other child meanwhile
        between.may_sleep = false;
        emit(Code::create, static_cast<std::uint32_t>(it_.program.spawns.size() - 1));
        for (const std::uint32_t list : kernel_.puts_in) sync(SyncCode::touch, list, key());
        if (dice_.chance(50)) steps(between, 1, 2);
        emit(Code::start);
        if (dice_.chance(50)) steps(between, 1, 2);
        if (dice_.chance(20)) {
            sync(SyncCode::signalled, handle, 0);
            work(true);
        }
        sync(SyncCode::await, handle, 0);
    }

    void pool() {
        sync(dice_.chance(50) ? SyncCode::pool_get : SyncCode::pool_put, 0);
        emit(Code::jump, here() + 2);
        work(false);
    }

    std::uint32_t softirq_entry() {
        if (softirq_entries_.size() < 2) softirq_entries_.push_back(entry(Kind::softirq, 0));
        return softirq_entries_[dice_.number(0, static_cast<std::uint32_t>(softirq_entries_.size()) - 1)];
    }

    /// A duration with about this mean.
    std::uint32_t sampler(Time about) {
        const Time mean = dice_.time(about / 2, 2 * about);
        const double cv = 0.2 + 0.1 * static_cast<double>(dice_.roll(0, 10));
        Distribution distribution = Lognormal{mean, cv};
        switch (dice_.number(0, 4)) {
            case 0:
                distribution = Exponential{mean};
                break;
            case 1:
                distribution = Gamma{mean, cv};
                break;
            case 2:
                distribution = Uniform{mean / 2, 2 * mean};
                break;
            default:
                break;
        }
        if (dice_.times() == Times::coarse) distribution = Constant{mean};
        it_.program.samplers.push_back(it_.program.tables.add(distribution));
        return static_cast<std::uint32_t>(it_.program.samplers.size() - 1);
    }

    std::uint16_t site(std::int32_t lock, const std::string& mode) {
        it_.program.sites.push_back({"f/s" + std::to_string(it_.program.sites.size()), "", lock, mode});
        return static_cast<std::uint16_t>(it_.program.sites.size() - 1);
    }
    std::uint64_t key() { return hash_name("step " + std::to_string(keys_++)); }
    std::uint32_t here() const { return static_cast<std::uint32_t>(it_.program.ops.size()); }
    void emit(Code code, std::uint32_t a = 0, std::uint64_t b = 0) {
        Op op;
        op.code = code;
        op.a = a;
        op.b = b;
        it_.program.ops.push_back(op);
    }
    void sync(SyncCode code, std::uint32_t a, std::uint64_t b = 0) {
        emit(Code::sync, a, b);
        it_.program.ops.back().sub = static_cast<std::uint8_t>(code);
    }
    std::uint32_t entry(Kind kind, std::uint32_t depth) {
        entries_.push_back({kind, depth});
        return static_cast<std::uint32_t>(entries_.size() - 1);
    }
    void refer(Code code, std::uint32_t entry) {
        refers_to_entry_.push_back(here());
        emit(code, entry);
    }
    void refer_sync(SyncCode code, std::uint32_t entry) {
        refers_to_entry_.push_back(here());
        sync(code, entry);
    }

    Dice dice_;
    Case it_;
    RandomKernel kernel_;
    std::uint64_t keys_ = 0;
    std::vector<Entry> entries_;
    std::vector<std::uint32_t> op_of_entry_;
    std::vector<std::uint32_t> refers_to_entry_;
    std::vector<std::uint32_t> softirq_entries_;
};

}  // namespace

Case random_case(std::uint64_t seed, Times times) { return Writer(seed, times).write(); }

}  // namespace forksim
