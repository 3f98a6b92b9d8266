#include "analysis/compare/variants.hpp"

#include <set>

namespace forksim {
namespace {

std::vector<std::string> split_at_plus(const std::string& text) {
    std::vector<std::string> parts(1);
    for (const char c : text) {
        if (c == '+')
            parts.emplace_back();
        else
            parts.back() += c;
    }
    return parts;
}

}  // namespace

Variant variant_of(const Request& base, const AskedVariant& asked, bool with_work) {
    Variant variant{"", base};
    switch (asked.kind) {
        case AskedVariant::Kind::patch:
            variant.name = "--patch " + asked.text;
            for (const std::string& patch : split_at_plus(asked.text)) variant.request.patches.push_back(patch);
            break;
        case AskedVariant::Kind::remove:
            variant.name = "--remove " + asked.text;
            variant.request.edits.push_back(
                {with_work ? AskedEdit::Verb::remove : AskedEdit::Verb::unwrap, asked.text});
            break;
        case AskedVariant::Kind::scale:
            variant.name = "--scale " + asked.text;
            variant.request.edits.push_back({AskedEdit::Verb::scale, asked.text});
            break;
        case AskedVariant::Kind::set:
            variant.name = "--set " + asked.text;
            variant.request.sets.push_back(asked.text);
            break;
    }
    return variant;
}

std::vector<AskedVariant> each_site(const Compiled& base) {
    std::set<std::string> names;
    for (const Site& site : base.program.sites) {
        if (site.resource >= 0) names.insert(site.name);
    }
    std::vector<AskedVariant> variants;
    for (const std::string& name : names) variants.push_back({AskedVariant::Kind::remove, name});
    return variants;
}

}  // namespace forksim
