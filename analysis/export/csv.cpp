#include "analysis/export/csv.hpp"

#include <cmath>
#include <string_view>

#include "analysis/export/numbers.hpp"

namespace forksim {
namespace {

std::string field(std::string_view text) {
    if (text.find_first_of(",\"\n\r") == std::string_view::npos) return std::string(text);
    std::string quoted = "\"";
    for (const char c : text) {
        quoted += c;
        if (c == '"') quoted += c;
    }
    return quoted + '"';
}

/// The lines about one row of one table.
class Row {
  public:
    Row(std::string& out, std::string_view table, std::string_view name, std::string_view caller)
        : out_(out), prefix_(field(table) + ',' + field(name) + ',' + field(caller) + ',') {}

    void text(std::string_view metric, std::string_view value) {
        out_.append(prefix_).append(field(metric)).append(",").append(field(value)).append("\n");
    }
    void integer(std::string_view metric, std::uint64_t value) { text(metric, std::to_string(value)); }
    void real(std::string_view metric, double value) {
        if (std::isfinite(value)) text(metric, number_12(value));
    }
    void durations(const std::string& key, const Durations& d) {
        integer(key + ".count", d.count);
        text(key + ".sum", exact_ns(d.sum_ps));
        real(key + ".mean", d.mean_ps / 1000);
        if (!d.detailed) return;
        text(key + ".min", exact_ns(d.min_ps));
        text(key + ".max", exact_ns(d.max_ps));
        real(key + ".stddev", d.stddev_ps / 1000);
        text(key + ".p50", exact_ns(d.p50_ps));
        text(key + ".p90", exact_ns(d.p90_ps));
        text(key + ".p99", exact_ns(d.p99_ps));
        text(key + ".p99.9", exact_ns(d.p999_ps));
    }
    void estimate(const Estimate& e) {
        real("mean", e.mean);
        real("ci95", e.half_width);
        integer("n", e.n);
    }
    void usage(const Usage& u) {
        integer("acquisitions", u.acquisitions);
        integer("contended", u.contended);
        real("per_op", u.per_op);
        real("serial_ns_per_op", u.serial_ps_per_op / 1000);
        real("utilization", u.utilization);
        real("critical_share", u.critical_share);
        durations("wait_ns", u.wait);
        durations("hold_ns", u.hold);
        for (const WaitPart& part : u.wait_parts) text("wait_parts." + part.name, exact_ns(part.sum_ps));
        if (u.retries) integer("retries", *u.retries);
    }

  private:
    std::string& out_;
    std::string prefix_;
};

}  // namespace

std::string to_csv(const Result& r) {
    std::string out = "table,name,caller,metric,value\n";
    Row run(out, "scenario", r.run.scenario, "");
    run.text("hash", r.run.hash);
    run.text("kernel", r.run.kernel);
    for (const std::string& patch : r.run.base_patches) run.text("patch", patch);
    for (const std::string& patch : r.run.patches) run.text("patch", patch);
    run.text("platform", r.run.platform);
    run.integer("cpus", r.run.cpus);
    run.integer("seed", r.run.seed);
    run.text("simulated_ns", exact_ns(r.simulated.ps));
    Row throughput(out, "throughput", r.unit, "");
    throughput.estimate(r.throughput);
    if (r.worlds) {
        throughput.real("worlds_low", r.worlds->throughput.low);
        throughput.real("worlds_high", r.worlds->throughput.high);
        throughput.integer("worlds", r.worlds->throughput.n);
    }
    for (const CountResult& c : r.counts) {
        Row row(out, "counts", c.name, "");
        row.integer("count", c.count);
        row.estimate(c.per_second);
    }
    for (const LockResult& lock : r.locks) Row(out, "locks", lock.lock, "").usage(lock.usage);
    for (const SiteResult& site : r.sites) Row(out, "sites", site.site, site.caller).usage(site.usage);
    for (const PathResult& path : r.paths) Row(out, "paths", path.path, "").durations("latency_ns", path.latency);
    if (r.cpu) {
        Row row(out, "cpu", "", "");
        row.real("user", r.cpu->user);
        row.real("kernel", r.cpu->kernel);
        row.real("spin", r.cpu->spin);
        row.real("switch", r.cpu->context_switch);
        row.real("idle", r.cpu->idle);
    }
    if (r.trust && r.trust->nearest) {
        Row trust(out, "trust", r.trust->nearest->name, "");
        trust.real("value", r.trust->nearest->value);
        trust.real("distance", r.trust->distance);
    }
    Row events(out, "events", "", "");
    events.integer("count", r.events);
    events.integer("ties", r.ties);
    events.integer("line_ties", r.line_ties);
    return out;
}

}  // namespace forksim
