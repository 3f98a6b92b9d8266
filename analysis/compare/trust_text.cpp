#include "analysis/compare/trust.hpp"
#include "analysis/export/numbers.hpp"
#include "analysis/export/text_table.hpp"

namespace forksim {
namespace {

std::string joined(const std::vector<std::string>& words) {
    std::string text;
    for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
    return text;
}

/// "C3, 293830 +-1136 threads/s"
std::string figure_text(const PublishedCase& figure) {
    return figure.name + ", " + number_12(figure.value) +
           (figure.spread ? " +-" + number_12(*figure.spread) : std::string()) + ' ' + figure.unit;
}

std::string signed_text(double percent) { return (percent < 0 ? "" : "+") + percent_text(percent / 100); }

/// "; the model: +1.2 % +-0.8 % there"
std::string error_text(const Trust& trust) {
    if (!trust.model) return "";
    return "; the model says " + signed_text(trust.model->error_percent) + " +-" +
           percent_text(trust.model->error_half_width_percent / 100) + " %" + (trust.is_case ? " here" : " there");
}

std::string case_text(const Trust& trust) {
    if (!trust.nearest) {
        return "a prediction: no figure in " + trust.unit + " by a workload that creates " + trust.creates +
               " was published, so nothing tells how far the model is off";
    }
    const PublishedCase& figure = *trust.nearest;
    const std::string role = figure.fitted ? " (fitted)" : " (not fitted)";
    if (trust.is_case) return "this is the published case " + figure_text(figure) + role + error_text(trust);
    std::vector<std::string> what;
    for (const Difference& one : trust.differences) what.push_back(one.what);
    return "a prediction; nearest published: " + figure_text(figure) + role + error_text(trust) + "; other " +
           joined(what) + " here";
}

}  // namespace

std::string trust_text(const Trust& trust) {
    std::string text = case_text(trust);
    if (!trust.unmodelled.empty()) text += "; not modelled: " + joined(trust.unmodelled);
    if (trust.nearest && !trust.nearest->note.empty())
        text += "; of " + trust.nearest->name + ": " + trust.nearest->note;
    return wrapped("trust  ", text);
}

void trust_json(JsonWriter& json, const Trust& trust) {
    constexpr auto one_line = JsonWriter::Layout::one_line;
    json.begin_object();
    json.key("unit").string(trust.unit).key("creates").string(trust.creates);
    json.key("prediction").boolean(!trust.is_fitted());
    json.key("is_case").boolean(trust.is_case);
    json.key("nearest");
    if (trust.nearest) {
        const PublishedCase& figure = *trust.nearest;
        json.begin_object();
        json.key("name").string(figure.name).key("scenario").string(figure.scenario);
        json.key("kernel").string(figure.kernel).key("patches").begin_array(one_line);
        for (const std::string& patch : figure.patches) json.string(patch);
        json.end().key("cpus").integer(figure.cpus);
        json.key("value").real(figure.value).key("unit").string(figure.unit).key("spread");
        figure.spread ? json.real(*figure.spread) : json.null();
        json.key("role").string(figure.fitted ? "fitted" : "predicted");
        json.key("read_in").string(figure.read_in).key("note").string(figure.note);
        json.key("distance").real(trust.distance).key("differences").begin_array();
        for (const Difference& one : trust.differences) {
            json.begin_object(one_line).key("what").string(one.what).key("here").string(one.here);
            json.key("there").string(one.there).key("steps").real(one.steps).end();
        }
        json.end().end();
    } else {
        json.null();
    }
    json.key("model");
    if (trust.model) {
        const Estimate& e = trust.model->per_second;
        json.begin_object(one_line).key("mean").real(e.mean).key("ci95").real(e.half_width).key("n").integer(e.n);
        json.key("error_percent").real(trust.model->error_percent);
        json.key("error_ci95_percent").real(trust.model->error_half_width_percent).key("world");
        trust.worlds ? json.integer(trust.world) : json.null();
        json.end();
    } else {
        json.null();
    }
    json.key("unmodelled").begin_array(one_line);
    for (const std::string& word : trust.unmodelled) json.string(word);
    json.end().end();
}

}  // namespace forksim
