#include "seamark/report/build/explain_report.h"

#include <fmt/format.h>

#include <algorithm>

#include "seamark/base/text.h"

namespace seamark::report {
namespace {

constexpr std::size_t kExamples = 4;
constexpr std::size_t kExampleWidth = 300;

// One line of an error, short enough to read among others.
std::string shown(std::string_view type, std::string_view message) {
  const std::string text = one_line(plain_text(message.substr(0, 4096)));
  return ellipsize(type.empty() ? text : fmt::format("{}: {}", one_line(plain_text(type)), text),
                   kExampleWidth);
}

std::string conditions(const classify::Rule& rule) {
  const auto quoted = [](const std::vector<std::string>& texts) {
    std::vector<std::string> out;
    out.reserve(texts.size());
    for (const std::string& text : texts) out.push_back(fmt::format("'{}'", one_line(text)));
    return join(out, ", ");
  };
  std::string out;
  if (!rule.types.empty()) out += "the type is " + join(rule.types, " or ") + "; ";
  if (!rule.all.empty()) out += "the message has " + quoted(rule.all) + "; ";
  if (!rule.any.empty())
    out += (rule.any.size() > 1 ? "it has one of " : "it has ") + quoted(rule.any) + "; ";
  if (!rule.with.empty()) out += "and one of " + quoted(rule.with) + "; ";
  if (!rule.none.empty()) out += "it has none of " + quoted(rule.none) + "; ";
  if (rule.outcome == Outcome::kCrash) out += "the process died; ";
  if (!rule.modes.empty()) out += "the target's mode is " + join(rule.modes, " or ") + "; ";
  if (!rule.families.empty()) out += "the target is a " + join(rule.families, " or ") + "; ";
  out.resize(out.size() - 2);
  return out;
}

class Explainer {
 public:
  Explainer(const classify::RuleSet& rules, const classify::Explanations& explanations,
            const Frameworks& known, std::string_view framework)
      : rules_(rules), explanations_(explanations), known_(known), framework_(framework) {}

  [[nodiscard]] Document of(std::string_view what) const {
    if (trim(what).empty()) return list();
    if (const std::optional<Category> category = classify::category_as_typed(what))
      return this->category(explanations_.of(*category));
    const auto& rules = rules_.rules();
    const auto named = std::find_if(rules.begin(), rules.end(),
                                    [&](const classify::Rule& rule) { return rule.id == trim(what); });
    if (named == rules.end()) return error(what);
    Document document;
    add_rule(document, *named);
    return document;
  }

 private:
  [[nodiscard]] Document list() const {
    Items items;
    for (const classify::CategoryText& text : explanations_.all()) {
      items.texts.push_back(fmt::format("{}: {}", name_of(text.category),
                                        text.meaning.substr(0, text.meaning.find_first_of(".:"))));
    }
    Document document;
    document.add({"categories",
                  "Categories of failure",
                  "`seamark explain CATEGORY` tells more of one; `seamark explain 'ERROR'` says which one an "
                  "error is.",
                  {std::move(items)}});
    return document;
  }

  static Section advice(const classify::CategoryText& text) {
    return {"advice", "What people do about it", {}, {Items{text.advice}}};
  }

  [[nodiscard]] Document category(const classify::CategoryText& text) const {
    Document document;
    document.head.push_back({std::string(name_of(text.category)) + ":", text.meaning, Tone::kStrong});
    if (!text.told_by.empty()) document.head.push_back({"How it is told:", text.told_by});
    document.add(advice(text));
    document.add(examples(text.category));
    return document;
  }

  // One of each framework first, so that no framework takes all the places.
  [[nodiscard]] Section examples(Category category) const {
    std::vector<const classify::Rule*> first;
    std::vector<const classify::Rule*> more;
    for (const classify::Rule& rule : rules_.rules()) {
      if (rule.category != category) continue;
      if (!framework_.empty() && rule.framework != "*" && rule.framework != framework_) continue;
      const bool seen = std::any_of(first.begin(), first.end(), [&](const classify::Rule* other) {
        return other->framework == rule.framework;
      });
      // Pasted as a text, the example of a rule that asks for a target is another rule's.
      (seen || !rule.families.empty() ? more : first).push_back(&rule);
    }
    first.insert(first.end(), more.begin(), more.end());
    const std::size_t count = first.size();
    Section section{
        "examples",
        fmt::format("Examples ({} rule{} give{} it)", count, count == 1 ? "" : "s", count == 1 ? "s" : ""),
        {},
        {}};
    Items items;
    for (std::size_t i = 0; i < std::min(count, kExamples); ++i) {
      const classify::Rule& rule = *first[i];
      items.texts.push_back(fmt::format("{} (rule {}; seen: {})", shown(rule.example_type, rule.example),
                                        rule.id, rule.source));
    }
    if (count > 0) section.blocks.emplace_back(std::move(items));
    return section;
  }

  void add_rule(Document& document, const classify::Rule& rule,
                const classify::TextMatch* match = nullptr) const {
    const classify::CategoryText& text = explanations_.of(rule.category);
    const bool one_of_several = !document.head.empty();
    Section section{rule.id, "The rule", {}, {}};
    if (one_of_several) {
      section.heading = join(match->frameworks, ", ");
      section.note = fmt::format("{} (rule {}): {}", name_of(rule.category), rule.id, text.meaning);
    } else {
      document.head.push_back(
          {fmt::format("{} (rule {}):", name_of(rule.category), rule.id), text.meaning, Tone::kStrong});
    }
    section.say(
        fmt::format("{}: {}.", rule.framework == "*" ? "Any framework" : rule.framework, conditions(rule)));
    section.say("Seen: " + rule.source);
    section.say("Its example: " + shown(rule.example_type, rule.example));
    if (!rule.advice.empty()) section.say("For this error: " + rule.advice);
    if (match != nullptr && match->type_assumed) {
      section.say(
          fmt::format("The text names no exception type; this holds if it is {}.", join(rule.types, " or ")));
    }
    document.add(std::move(section));
    document.add(advice(text));
  }

  [[nodiscard]] Document error(std::string_view text) const {
    const std::vector<classify::TextMatch> matches =
        classify::explain_error(rules_, text, framework_, known_);
    if (matches.empty()) return unknown(text);
    Document document;
    if (matches.size() > 1) {
      document.head.push_back({"", "Frameworks mean different things by this text; --framework narrows it."});
    }
    for (const classify::TextMatch& match : matches) add_rule(document, *match.rule, &match);
    return document;
  }

  [[nodiscard]] Document unknown(std::string_view text) const {
    const classify::ParsedError parsed = classify::parse_error_text(text);
    Document document;
    document.head.push_back(
        {"No rule knows this error.",
         fmt::format("Asked: {} rules{}. In a report it counts as unclassified; nothing is claimed about its "
                     "cause.",
                     rules_.rules().size(),
                     framework_.empty() ? "" : fmt::format(", those of {}", framework_)),
         Tone::kStrong});
    if (!parsed.type.empty()) document.head.push_back({"Read as:", shown(parsed.type, parsed.message)});
    std::vector<std::string> names;
    for (const classify::CategoryText& one : explanations_.all()) names.emplace_back(name_of(one.category));
    for (const classify::Rule& rule : rules_.rules()) names.push_back(rule.id);
    if (const auto near = nearest(trim(text), names)) {
      document.head.push_back(
          {"", fmt::format("If a category or a rule was meant: did you mean '{}'?", *near)});
    }
    document.add(advice(explanations_.of(Category::kUnclassified)));
    return document;
  }

  const classify::RuleSet& rules_;
  const classify::Explanations& explanations_;
  const Frameworks& known_;
  std::string_view framework_;
};

}  // namespace

Document explain_document(const classify::RuleSet& rules, const classify::Explanations& explanations,
                          const Frameworks& known, std::string_view what, std::string_view framework) {
  return Explainer(rules, explanations, known, framework).of(what);
}

}  // namespace seamark::report
