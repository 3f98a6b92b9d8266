// Applies edits: the verbs of patches and versions.
#include <algorithm>
#include <string>

#include "scenarios/address.hpp"
#include "scenarios/reader.hpp"
#include "scenarios/resolve.hpp"

namespace forksim::language {
namespace {

/// One edit at work.
class Editor {
  public:
    Editor(const Editable& editable, const Edit& edit, Diagnostics& faults)
        : editable_(editable), edit_(edit), faults_(faults) {}

    void apply() {
        if (edit_.when && !holds(*edit_.when, editable_.conditions)) return;
        switch (edit_.verb) {
            case Edit::Verb::move:
                return move();
            case Edit::Verb::copy:
                return copy();
            case Edit::Verb::merge:
                return merge();
            case Edit::Verb::wrap:
                return wrap();
            case Edit::Verb::replace:
                return replace();
            case Edit::Verb::insert:
                return insert();
            case Edit::Verb::remove:
                return remove();
            case Edit::Verb::unwrap:
                return unwrap();
            case Edit::Verb::set:
                return set();
            case Edit::Verb::scale:
                return scale_times();
        }
    }

  private:
    std::vector<Place> find(const std::string& address, const Mark& mark) {
        return find_steps(editable_.where, address, mark, faults_);
    }
    std::vector<Place> find_noted(const std::string& address, const Mark& mark) {
        std::vector<Place> places = find(address, mark);
        const auto other = [&](const Place& place) { return place.step().site != places.front().step().site; };
        if (editable_.notes != nullptr && std::any_of(places.begin(), places.end(), other)) {
            std::string note = address + " is at " + std::to_string(places.size()) + " places:";
            for (const Place& place : places) note += " " + place.step().site;
            editable_.notes->push_back(std::move(note));
        }
        return places;
    }
    /// The only step at the address, or none after reporting a fault.
    std::optional<Place> find_one(const std::string& address, const Mark& mark) {
        const std::vector<Place> places = find(address, mark);
        if (places.size() > 1) report_several(address, places, mark);
        if (places.size() != 1) return {};
        return places.front();
    }
    void renamed(Function& function) { assign_names(function, faults_); }

    /// The steps that take the place of `old`: a single one without a name inherits the name.
    std::vector<Step> heirs(const Step& old) const {
        std::vector<Step> steps = edit_.with;
        if (steps.size() == 1 && !steps.front().named) {
            steps.front().name = old.name;
            steps.front().named = old.named;
        }
        for (Step& step : steps) {
            if (step.name == old.name) step.site = old.site;
            step.put_by = editable_.where.patch;
        }
        return steps;
    }
    /// The step at the address, or its copies if an earlier edit put some; none after reporting a fault.
    std::vector<Place> find_copies(const std::string& address, const Mark& mark) {
        std::vector<Place> places = find(address, mark);
        const auto other = [&](const Place& place) { return place.step().site != places.front().step().site; };
        if (std::none_of(places.begin(), places.end(), other)) return places;
        report_several(address, places, mark);
        return {};
    }
    void report_several(const std::string& address, const std::vector<Place>& places, const Mark& mark) {
        std::string list;
        for (const Place& place : places) list += (list.empty() ? "" : ", ") + place.step().site;
        faults_.add(mark, shown(address) + " is not one step but " + std::to_string(places.size()), list);
    }

    void move() {
        const std::vector<Place> from = find_copies(edit_.address, edit_.address_mark);
        if (from.empty()) return;
        const Step& old = from.front().step();
        const std::vector<Step> moved = edit_.has_with ? heirs(old) : std::vector<Step>{old};
        // Destinations are found while the step still stands, so that it cannot be its own neighbour.
        for (const Destination& to : edit_.to) {
            const std::vector<Place> target = find(to.address, to.mark);
            if (target.size() == 1 && contains(old, target.front().step())) {
                faults_.add(to.mark, "a step cannot move " + std::string(to.after ? "behind" : "before") + " itself");
                return;
            }
        }
        for (const Place& place : backwards(from)) erase(place);
        for (const Destination& to : edit_.to) put(to, moved);
        for (const Place& place : from) renamed(*place.function);
    }

    void copy() {
        if (!edit_.name.empty()) return copy_function();
        const std::vector<Place> from = find_copies(edit_.address, edit_.address_mark);
        if (from.empty()) return;
        const std::vector<Step> copied = {from.front().step()};
        for (const Destination& to : edit_.to) put(to, copied);
    }

    /// The double's steps keep their sites, so that an address of the original reaches them too.
    void copy_function() {
        std::vector<Function>& functions = editable_.where.define.functions;
        const Function* original = find_function(editable_.where.define, edit_.address);
        if (original == nullptr) {
            faults_.add(edit_.address_mark,
                        "no function " + shown(edit_.address) + " in " + editable_.where.description,
                        suggestion(edit_.address, names_of(functions)));
            return;
        }
        Function twin = *original;
        twin.name = edit_.name;
        twin.mark = edit_.mark;
        Definitions more;
        more.functions.push_back(std::move(twin));
        add_definitions(editable_.where.define, more, editable_.where.description, faults_);
    }

    /// Puts steps beside one step, or beside every step of a bare name.
    void put(const Destination& to, const std::vector<Step>& steps) {
        const bool bare = to.address.find('/') == std::string::npos;
        std::vector<Place> places = bare ? find_noted(to.address, to.mark) : find_copies(to.address, to.mark);
        for (const Place& place : backwards(std::move(places))) {
            place.list->insert(place.list->begin() + static_cast<std::ptrdiff_t>(place.index + (to.after ? 1 : 0)),
                               steps.begin(), steps.end());
            renamed(*place.function);
        }
    }

    void merge() {
        const std::optional<Place> first = find_one(edit_.addresses.front(), edit_.address_mark);
        if (!first) return;
        for (std::size_t i = 1; i < edit_.addresses.size(); ++i) {
            const std::optional<Place> next = find_one(edit_.addresses[i], edit_.address_mark);
            if (!next || !can_merge(*first, *next, i)) return;
        }
        Step& joined = first->step();
        Block* body = joined.block("body");
        if (body == nullptr) {
            joined.blocks.push_back({joined.kind->table.find("body"), joined.mark, {}, {}});
            body = joined.block("body");
        }
        for (std::size_t i = 1; i < edit_.addresses.size(); ++i) {
            Step& next = (*first->list)[first->index + 1];
            if (Block* more = next.block("body"); more != nullptr) {
                std::move(more->steps.begin(), more->steps.end(), std::back_inserter(body->steps));
            }
            first->list->erase(first->list->begin() + static_cast<std::ptrdiff_t>(first->index + 1));
        }
        joined.site = joined.site.substr(0, joined.site.find('/') + 1) + edit_.name;
        joined.name = edit_.name;
        joined.named = true;
        renamed(*first->function);
    }

    /// The i-th section must follow the ones before it directly, and take the same lock in the same mode.
    bool can_merge(const Place& first, const Place& next, std::size_t i) {
        const Step& a = first.step();
        const Step& b = next.step();
        const auto same = [&](const char* key) { return a.fields.word(key) == b.fields.word(key); };
        if (a.kind != &section_kind() || b.kind != &section_kind() || !same("section") || !same("mode")) {
            faults_.add(edit_.address_mark, shown(a.site) + " and " + shown(b.site) + " are not sections of one lock");
            return false;
        }
        if (first.list == next.list && next.index == first.index + i) return true;
        const bool between = first.list == next.list && next.index > first.index + i;
        faults_.add(edit_.address_mark,
                    shown(b.site) + " does not follow " + shown(a.site) + " in " + editable_.where.description,
                    between ? shown((*first.list)[first.index + i].name) + " stands between them: move it first" : "");
        return false;
    }

    void wrap() {
        for (const Place& place : backwards(find_noted(edit_.address, edit_.address_mark))) {
            Step wrapper = edit_.with.front();
            const Key* key = wrapper.kind->table.find("body");
            if (key == nullptr) key = wrapper.kind->table.find("do");
            if (wrapper.kind == &rcu_read_kind()) key = &wrapper.kind->table.keys.front();
            if (key == nullptr) {
                faults_.add(wrapper.mark, shown(wrapper.kind->name()) + " has no body to put a step into");
                return;
            }
            if (wrapper.block(key->name) == nullptr) wrapper.blocks.push_back({key, wrapper.mark, {}, {}});
            wrapper.block(key->name)->steps.push_back(place.step());
            place.step() = std::move(wrapper);
            renamed(*place.function);
        }
    }

    void replace() {
        for (const Place& place : backwards(find_noted(edit_.address, edit_.address_mark))) {
            if (!may_replace(place.step())) continue;
            const std::vector<Step> steps = heirs(place.step());
            erase(place);
            place.list->insert(place.list->begin() + static_cast<std::ptrdiff_t>(place.index), steps.begin(),
                               steps.end());
            renamed(*place.function);
        }
    }

    /// What another patch has put in place of a step is not replaced again, unless this patch says that it stands on
    /// it.
    bool may_replace(const Step& old) {
        const std::string& patch = editable_.where.patch;
        const auto& known = editable_.stands_on;
        if (old.put_by.empty() || patch.empty() || old.put_by == patch) return true;
        if (std::find(known.begin(), known.end(), old.put_by) != known.end()) return true;
        faults_.add(edit_.address_mark,
                    shown(patch) + " cannot replace " + shown(old.site) + " of " + editable_.where.description,
                    shown(old.put_by) + " has replaced it already");
        return false;
    }

    void insert() {
        for (const Destination& to : edit_.to) put(to, edit_.with);
    }

    void remove() {
        for (const Place& place : backwards(find_noted(edit_.address, edit_.address_mark))) erase(place);
    }

    void unwrap() {
        for (const Place& place : find_noted(edit_.address, edit_.address_mark)) {
            Step& step = place.step();
            if (takes_lock(*step.kind)) {
                step.unwrapped = true;
            } else {
                faults_.add(edit_.address_mark, shown(step.site) + " takes no lock", suggestion_of_lock(step));
            }
        }
    }
    /// Names the sections inside a step that takes no lock itself.
    static std::string suggestion_of_lock(const Step& step) {
        std::string inside;
        for (const Block& block : step.blocks) {
            for (const Step& part : block.steps) {
                if (takes_lock(*part.kind)) inside += (inside.empty() ? "inside it: " : ", ") + part.site;
            }
        }
        return inside;
    }

    void scale_times() {
        for (const Factor& factor : edit_.factors) {
            if (Function* function = find_function(editable_.where.define, factor.address); function != nullptr) {
                for (Step& step : function->steps) scale_step(step, factor.factor);
                continue;
            }
            for (const Place& place : find_noted(factor.address, factor.mark)) {
                scale_step(place.step(), factor.factor);
            }
        }
    }
    static void scale_step(Step& step, double factor) {
        for (Attribute& attribute : step.fields.list) {
            if (auto* duration = std::get_if<Duration>(&attribute.value)) scale(*duration, factor);
        }
        for (Block& block : step.blocks) {
            for (Step& inner : block.steps) scale_step(inner, factor);
        }
    }

    void set() {
        for (const Setting& setting : edit_.settings) set_one(setting);
        // Once all are done, because one of them may change the kind.
        for (const Setting& setting : edit_.settings) check_lock_setting(setting);
    }

    void check_lock_setting(const Setting& setting) {
        const std::size_t dot = setting.address.rfind('.');
        if (dot == std::string::npos) return;
        const Declared* lock = find_declared(editable_.where.define.locks, setting.address.substr(0, dot));
        if (lock == nullptr) return;
        const Attribute* attribute = lock->fields.find(setting.address.substr(dot + 1));
        if (attribute != nullptr) check_lock_key(lock->fields, *attribute, faults_);
    }

    void set_one(const Setting& setting) {
        const std::size_t dot = setting.address.rfind('.');
        if (dot == std::string::npos) {
            faults_.add(setting.mark, shown(setting.address) + " names no key",
                        "expected ADDRESS.KEY, LOCK.KEY, config.KEY, rcu.KEY or spin.KEY");
            return;
        }
        const std::string subject = setting.address.substr(0, dot);
        const std::string key = setting.address.substr(dot + 1);
        if (subject == "config") return put_value(editable_.config, config_table(), key, setting);
        if (subject == "rcu") return put_value(editable_.rcu, rcu_table(), key, setting);
        if (subject == "spin") return put_value(editable_.spin, spin_table(), key, setting);
        for (auto [list, table] : {std::pair(&editable_.where.define.locks, &lock_table()),
                                   std::pair(&editable_.where.define.lines, &line_table()),
                                   std::pair(&editable_.where.define.objects, &object_table()),
                                   std::pair(&editable_.where.define.pools, &pool_table())}) {
            for (Declared& declared : *list) {
                if (declared.name == subject) return put_value(declared.fields, *table, key, setting);
            }
        }
        for (const Place& place : find_noted(subject, setting.mark)) set_step(place.step(), key, setting);
    }

    void set_step(Step& step, const std::string& key, const Setting& setting) {
        // `hold` of a section written in shorthand is the time of its only part.
        Block* body = step.block("body");
        if (key == "hold" && body != nullptr && body->steps.size() == 1 && body->steps[0].kind == &work_kind()) {
            return set_step(body->steps[0], "work", setting);
        }
        const Key* described = step.kind->table.find(key);
        if (described == nullptr || described->type == Type::steps || described->type == Type::mapping) {
            std::vector<std::string> known;
            for (const Key& own : step.kind->table.keys) {
                if (own.type != Type::steps && own.type != Type::mapping && !own.free) known.emplace_back(own.name);
            }
            faults_.add(setting.mark, "step " + shown(step.site) + " has no key " + shown(key), suggestion(key, known));
            return;
        }
        put_value(step.fields, step.kind->table, key, setting);
    }

    void put_value(Fields& fields, const Table& table, const std::string& key, const Setting& setting) {
        const Key* described = table.find(key);
        if (described == nullptr) {
            faults_.add(setting.mark, "unknown key " + shown(key) + " of " + shown(table.name),
                        suggestion(key, table.names()));
            return;
        }
        Reading reading{faults_, edit_.let, edit_.source};
        std::optional<Value> value = read_value(reading, *described, setting.value);
        if (!value) return;
        if (fields.table == nullptr) fields.table = &table;
        fields.put({described, setting.value.mark, {}, setting.mark, std::move(*value)});
    }

    static bool contains(const Step& outer, const Step& inner) {
        if (&outer == &inner) return true;
        for (const Block& block : outer.blocks) {
            for (const Step& step : block.steps) {
                if (contains(step, inner)) return true;
            }
        }
        return false;
    }
    static void erase(const Place& place) {
        place.list->erase(place.list->begin() + static_cast<std::ptrdiff_t>(place.index));
    }
    /// Later and inner steps first, so that earlier places stay valid.
    static std::vector<Place> backwards(std::vector<Place> places) {
        std::reverse(places.begin(), places.end());
        return places;
    }

    const Editable& editable_;
    const Edit& edit_;
    Diagnostics& faults_;
};

}  // namespace

void apply_edits(const Editable& editable, const std::vector<Edit>& edits, Diagnostics& faults) {
    for (const Edit& edit : edits) {
        const std::size_t before = faults.size();
        Editor(editable, edit, faults).apply();
        if (faults.size() != before) faults.mark_incomplete();
    }
}

}  // namespace forksim::language
