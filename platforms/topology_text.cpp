#include "platforms/topology_text.hpp"

#include <charconv>
#include <cmath>
#include <limits>

#include "platforms/shape.hpp"
#include "sim/error.hpp"

namespace forksim {
namespace {

constexpr std::string_view first_line = "forksim-topology 1";

/// The lines of a text, each a list of words; every complaint names the line.
class LineReader {
  public:
    explicit LineReader(std::string_view text) : rest_(text) { next_line(); }

    [[noreturn]] void fail(const std::string& message) const {
        throw InputError("line " + std::to_string(line_number_) + ": " + message);
    }
    bool starts_with(std::string_view word) const {
        return words_.starts_with(word) && (words_.size() == word.size() || words_[word.size()] == ' ');
    }
    void expect(std::string_view word) {
        if (next_word() != word) fail("expected '" + std::string(word) + "'");
    }
    std::string_view word(const char* what) {
        const std::string_view found = next_word();
        if (found.empty()) fail(std::string("expected ") + what);
        return found;
    }
    std::int64_t number(const char* what, std::int64_t low, std::int64_t high) {
        const std::string_view digits = next_word();
        std::int64_t value = 0;
        const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
        if (error != std::errc{} || end != digits.data() + digits.size() || value < low || value > high) {
            fail("expected " + std::string(what) + ", a number in " + std::to_string(low) + ".." +
                 std::to_string(high) + ", not '" + std::string(digits.substr(0, 40)) + "'");
        }
        return value;
    }
    std::uint32_t index(const char* what, std::uint32_t low, std::uint32_t high) {
        return static_cast<std::uint32_t>(number(what, low, high));
    }
    Time time() { return Time{number("picoseconds", 0, Time::from_s(1).ps)}; }

    /// Goes to the next line; the present one must be used up.
    void end_line() {
        if (at_end_ || !words_.empty()) fail("unexpected '" + std::string(words_.substr(0, 40)) + "'");
        next_line();
    }
    void end_text() {
        if (!words_.empty()) fail("unexpected '" + std::string(words_.substr(0, 40)) + "'");
        if (!rest_.empty()) {
            ++line_number_;
            fail("unexpected text after 'end'");
        }
    }

  private:
    void next_line() {
        const std::size_t end = rest_.find('\n');
        at_end_ = end == std::string_view::npos;
        words_ = rest_.substr(0, end);
        rest_ = at_end_ ? std::string_view{} : rest_.substr(end + 1);
        ++line_number_;
        if (words_.ends_with(' ')) fail("the line ends in a space");
    }
    std::string_view next_word() {
        const std::size_t end = words_.find(' ');
        const std::string_view found = words_.substr(0, end);
        words_ = end == std::string_view::npos ? std::string_view{} : words_.substr(end + 1);
        return found;
    }

    std::string_view rest_;
    std::string_view words_;
    int line_number_ = 0;
    bool at_end_ = false;
};

template <class Enum>
Enum read_name(LineReader& in, const char* key, std::initializer_list<Enum> known) {
    in.expect(key);
    const std::string_view found = in.word("a name");
    for (const Enum value : known) {
        if (found == name_of(value)) return value;
    }
    in.fail("unknown " + std::string(key) + " '" + std::string(found.substr(0, 40)) + "'");
}

void read_header(LineReader& in, Topology& t) {
    if (!in.starts_with("forksim-topology")) in.fail("expected '" + std::string(first_line) + "'");
    in.expect("forksim-topology");
    in.expect("1");
    in.end_line();
    in.expect("name");
    t.name = in.word("a name");
    in.end_line();
    in.expect("clock_mhz");
    t.clock_ghz = in.index("the clock", 0, 100'000) / 1000.0;
    in.end_line();
    t.virt = read_name(in, "virt", {Virt::none, Virt::tas, Virt::pv});
    in.end_line();
    t.coherence = read_name(in, "coherence", {Coherence::local, Coherence::home});
    in.end_line();
    in.expect("home_node");
    t.home_node = in.index("a node", 0, 63);
    in.end_line();
    in.expect("smt_speed");
    t.smt_speed_busy = in.index("a speed", 1, 1024);
    t.smt_speed_spin = in.index("a speed", 1, 1024);
    in.end_line();
    while (in.starts_with("idle")) {
        in.expect("idle");
        const Time after = in.time();
        const Time exit = in.time();
        t.idle_states.push_back({after, exit});
        in.end_line();
    }
    in.expect("smt");
    t.smt = in.time();
    in.end_line();
    in.expect("llc_hit");
    t.llc_hit = in.time();
    in.end_line();
    in.expect("pause");
    t.pause = in.time();
    in.end_line();
}

void read_distances(LineReader& in, Topology& t) {
    t.within_llc.assign(t.llcs, Time{0});
    t.between_llcs.assign(std::size_t{t.llcs} * t.llcs, Time{0});
    t.to_memory.assign(std::size_t{t.llcs} * t.sockets, Time{0});
    for (std::uint32_t a = 0; a < t.llcs; ++a) {
        in.expect("llc");
        in.index("the next LLC", a, a);
        in.expect("within");
        t.within_llc[a] = in.time();
        in.end_line();
    }
    for (std::uint32_t a = 1; a < t.llcs; ++a) {
        in.expect("between");
        in.index("the next LLC", a, a);
        for (std::uint32_t b = 0; b < a; ++b) {
            const Time distance = in.time();
            t.between_llcs[std::size_t{a} * t.llcs + b] = distance;
            t.between_llcs[std::size_t{b} * t.llcs + a] = distance;
        }
        in.end_line();
    }
    for (std::uint32_t a = 0; a < t.llcs; ++a) {
        in.expect("memory");
        in.index("the next LLC", a, a);
        for (std::uint32_t node = 0; node < t.sockets; ++node)
            t.to_memory[std::size_t{a} * t.sockets + node] = in.time();
        in.end_line();
    }
}

void append(std::string& out, std::string_view words, std::initializer_list<std::int64_t> numbers) {
    out += words;
    for (const std::int64_t n : numbers) (out += ' ') += std::to_string(n);
    out += '\n';
}

}  // namespace

Topology parse_topology(std::string_view text) {
    LineReader in(text);
    Topology t;
    read_header(in, t);
    in.expect("size");
    t.sockets = in.index("the number of sockets", 1, 64);
    t.llcs = in.index("the number of LLCs", 1, max_platform_llcs);
    t.cores = in.index("the number of cores", 1, max_platform_cpus);
    const std::uint32_t cpus = in.index("the number of CPUs", 1, max_platform_cpus);
    in.end_line();
    read_distances(in, t);
    t.cpus.reserve(cpus);
    for (std::uint32_t cpu = 0; cpu < cpus; ++cpu) {
        in.expect("cpu");
        in.index("the next CPU", cpu, cpu);
        const std::uint32_t core = in.index("a core", 0, t.cores - 1);
        const std::uint32_t llc = in.index("an LLC", 0, t.llcs - 1);
        const std::uint32_t socket = in.index("a socket", 0, t.sockets - 1);
        t.cpus.push_back({core, llc, socket});
        in.end_line();
    }
    in.expect("end");
    in.end_text();
    try {
        check_topology(t);
    } catch (const InputError& e) {
        in.fail(e.what());
    }
    return t;
}

std::string format_topology(const Topology& t) {
    std::string out(first_line);
    out += "\nname " + t.name + '\n';
    append(out, "clock_mhz", {std::llround(t.clock_ghz * 1000)});
    out += std::string("virt ") + name_of(t.virt) + '\n';
    out += std::string("coherence ") + name_of(t.coherence) + '\n';
    append(out, "home_node", {t.home_node});
    append(out, "smt_speed", {t.smt_speed_busy, t.smt_speed_spin});
    for (const IdleState& state : t.idle_states) append(out, "idle", {state.after.ps, state.exit.ps});
    append(out, "smt", {t.smt.ps});
    append(out, "llc_hit", {t.llc_hit.ps});
    append(out, "pause", {t.pause.ps});
    append(out, "size", {t.sockets, t.llcs, t.cores, t.cpu_count()});
    for (std::uint32_t a = 0; a < t.llcs; ++a) {
        out += "llc " + std::to_string(a);
        append(out, " within", {t.within_llc[a].ps});
    }
    for (std::uint32_t a = 1; a < t.llcs; ++a) {
        out += "between " + std::to_string(a);
        for (std::uint32_t b = 0; b < a; ++b)
            (out += ' ') += std::to_string(t.between_llcs[std::size_t{a} * t.llcs + b].ps);
        out += '\n';
    }
    for (std::uint32_t a = 0; a < t.llcs; ++a) {
        out += "memory " + std::to_string(a);
        for (std::uint32_t n = 0; n < t.sockets; ++n)
            (out += ' ') += std::to_string(t.to_memory[std::size_t{a} * t.sockets + n].ps);
        out += '\n';
    }
    for (Cpu cpu = 0; cpu < t.cpu_count(); ++cpu) {
        const CpuPlace& place = t.cpus[cpu];
        append(out, "cpu", {cpu, place.core, place.llc, place.socket});
    }
    return out + "end\n";
}

}  // namespace forksim
