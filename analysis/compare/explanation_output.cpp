// How an explanation is written: text and JSON.
#include <algorithm>
#include <cstdlib>
#include <limits>
#include <map>
#include <utility>

#include "analysis/compare/explanation.hpp"
#include "analysis/export/numbers.hpp"
#include "analysis/export/text_table.hpp"

namespace forksim {
namespace {

/// Differences at one site by all callers together, or at one lock, ps.
struct Change {
    std::string lock;
    std::string site;
    std::int64_t hold = 0;
    std::int64_t lines = 0;
    std::int64_t handoff = 0;
    std::int64_t waiting = 0;

    std::int64_t sum() const { return hold + lines + handoff + waiting; }
    std::int64_t largest() const {
        return std::max({std::abs(hold), std::abs(lines), std::abs(handoff), std::abs(waiting)});
    }
    bool is_none() const { return largest() == 0; }
    void add(std::int64_t h, std::int64_t l, std::int64_t o, std::int64_t w) {
        hold += h;
        lines += l;
        handoff += o;
        waiting += w;
    }
};

bool larger(const Change& a, const Change& b) { return std::abs(a.sum()) > std::abs(b.sum()); }

/// By site, the largest first.
std::vector<Change> site_changes(const Explanation& e) {
    std::map<std::pair<std::string, std::string>, Change> sites;
    for (const ExplainedSite& s : e.sites) {
        Change& change = sites[{s.lock, s.site}];
        change.lock = s.lock;
        change.site = s.site;
        change.add(s.hold.difference(), s.lines.difference(), s.handoff.difference(), s.waiting.difference());
    }
    std::vector<Change> changes;
    for (auto& [key, change] : sites)
        if (!change.is_none()) changes.push_back(std::move(change));
    std::ranges::stable_sort(changes, larger);
    return changes;
}

/// By lock, the largest first.
std::vector<Change> lock_changes(const std::vector<Change>& sites) {
    std::vector<Change> locks;
    for (const Change& site : sites) {
        auto lock = std::ranges::find(locks, site.lock, &Change::lock);
        if (lock == locks.end()) {
            locks.push_back({});
            lock = std::prev(locks.end());
            lock->lock = site.lock;
        }
        lock->add(site.hold, site.lines, site.handoff, site.waiting);
    }
    std::ranges::stable_sort(locks, larger);
    return locks;
}

/// Times per operation.
class PerOperation {
  public:
    explicit PerOperation(const Explanation& e)
        : by_(static_cast<double>(e.operations.base > 0 ? e.operations.base : static_cast<std::int64_t>(e.turns))) {}
    std::string plain(std::int64_t ps) const { return time_text(static_cast<double>(ps) / by_); }
    std::string change(std::int64_t ps) const { return (ps > 0 ? "+" : "") + plain(ps); }

  private:
    double by_;
};

std::string name_of(const Change& change) { return change.lock.empty() ? "no lock" : change.lock; }

/// Something that became shorter, ps < 0, and how it is called.
struct Gain {
    std::string what;
    std::int64_t ps = 0;
};

std::vector<Gain> gains_of(const Explanation& e, const std::vector<Change>& locks, const std::vector<Change>& sites) {
    std::vector<Gain> gains;
    for (const Change& lock : locks) {
        if (lock.sum() >= 0) continue;
        const auto most = std::ranges::min_element(sites, {}, [&lock](const Change& site) {
            return site.lock == lock.lock ? site.sum() : std::numeric_limits<std::int64_t>::max();
        });
        gains.push_back({"at " + name_of(lock) + ", most at " + most->site, lock.sum()});
    }
    for (std::size_t i = 0; i < e.plain.size(); ++i)
        if (e.plain[i].difference() < 0)
            gains.push_back({"of " + std::string(explained_plain_names[i]), e.plain[i].difference()});
    std::ranges::stable_sort(gains, {}, &Gain::ps);
    return gains;
}

/// The biggest gains, and what of all gains comes back as waiting for locks that cost more than before.
std::string headline(const Explanation& e, const std::vector<Change>& locks, const std::vector<Change>& sites,
                     const PerOperation& per) {
    std::string text;
    std::int64_t gained = 0;
    int named = 0;
    for (const Gain& gain : gains_of(e, locks, sites)) {
        gained -= gain.ps;
        if (named++ < 3) text += wrapped("  ", per.change(gain.ps) + " " + gain.what);
    }
    std::string where;
    std::int64_t back = 0;
    for (const Change& lock : locks) {
        const std::int64_t waits = std::min(lock.waiting, lock.sum());
        if (waits <= 0) continue;
        back += waits;
        if (100 * waits >= gained) where += (where.empty() ? "" : ", ") + lock.lock + " (" + per.plain(waits) + ")";
    }
    if (where.empty()) return text;
    return text + (gained > 0 ? wrapped("  ", "of " + per.plain(gained) + " gained in all, " + per.plain(back) +
                                                  " come back as waiting for " + where)
                              : wrapped("  ", per.change(back) + " of waiting for " + where));
}

std::vector<std::string> cells(std::string name, const Change& c, const PerOperation& per) {
    return {std::move(name),       per.change(c.hold),    per.change(c.lines),
            per.change(c.handoff), per.change(c.waiting), per.change(c.sum())};
}

}  // namespace

std::string explanation_text(const Explanation& e) {
    if (e.turns == 0)
        return wrapped("",
                       "No lifecycle lies wholly inside the window of both variants, so none can be laid side by "
                       "side: windows must be longer.");
    const PerOperation per(e);
    const std::vector<Change> sites = site_changes(e);
    const std::vector<Change> locks = lock_changes(sites);
    const std::string text =
        wrapped("", std::string("where the difference of one ") + (e.operations.base > 0 ? "operation" : "lifecycle") +
                        " comes from: " + per.plain(e.total.base) + " -> " + per.plain(e.total.variant) + ", " +
                        std::to_string(e.turns) + " lifecycles laid side by side") +
        headline(e, locks, sites, per);
    std::int64_t largest = 0;
    for (const Change& site : sites) largest = std::max(largest, site.largest());
    for (const BothSides& part : e.plain) largest = std::max(largest, std::abs(part.difference()));
    const auto is_small = [largest](std::int64_t ps) { return 100 * std::abs(ps) < largest; };

    TextTable table({"", "hold", "lines", "hand-off", "waiting", "all"});
    Change others;
    for (const Change& lock : locks) {
        if (is_small(lock.largest())) {
            others.add(lock.hold, lock.lines, lock.handoff, lock.waiting);
            continue;
        }
        table.add(cells(name_of(lock), lock, per));
        for (const Change& site : sites)
            if (site.lock == lock.lock && !is_small(site.largest()))
                table.add(cells("  " + (site.site.empty() ? "elsewhere" : site.site), site, per));
    }
    if (!others.is_none()) table.add(cells("others", others, per));
    for (std::size_t i = 0; i < e.plain.size(); ++i) {
        if (e.plain[i].difference() != 0)
            table.add({std::string(explained_plain_names[i]), "", "", "", "", per.change(e.plain[i].difference())});
    }
    table.add({"all", "", "", "", "", per.change(e.total.difference())});
    return text + '\n' + table.text();
}

void explanation_json(JsonWriter& json, const Explanation& e) {
    constexpr auto one_line = JsonWriter::Layout::one_line;
    const auto times = [&json](std::string_view key, const BothSides& both) {
        json.key(key).begin_object(one_line);
        json.key("base").raw(exact_ns(both.base));
        json.key("variant").raw(exact_ns(both.variant));
        json.end();
    };
    json.begin_object();
    json.key("replications").integer(e.replications);
    json.key("lifecycles").integer(e.turns);
    json.key("operations").begin_object(one_line);
    json.key("base").integer(static_cast<std::uint64_t>(e.operations.base));
    json.key("variant").integer(static_cast<std::uint64_t>(e.operations.variant));
    json.end();
    times("total_ns", e.total);
    json.key("sites").begin_array();
    for (const ExplainedSite& s : e.sites) {
        json.begin_object();
        json.key("lock").string(s.lock);
        json.key("site").string(s.site);
        json.key("caller").string(s.caller);
        times("hold_ns", s.hold);
        times("lines_ns", s.lines);
        times("handoff_ns", s.handoff);
        times("waiting_ns", s.waiting);
        json.end();
    }
    json.end();
    json.key("plain").begin_object();
    for (std::size_t i = 0; i < e.plain.size(); ++i) times(std::string(explained_plain_names[i]) + "_ns", e.plain[i]);
    json.end();
    json.end();
}

}  // namespace forksim
