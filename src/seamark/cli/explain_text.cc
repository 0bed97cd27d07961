#include "seamark/cli/explain_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "seamark/base/text.h"
#include "seamark/report/text_table.h"

namespace seamark::cli {
namespace {

constexpr std::size_t kExamples = 4;
constexpr std::size_t kExampleWidth = 300;

// One line of an error, short enough to read among others.
std::string shown(std::string_view type, std::string_view message) {
  const std::string text = one_line(plain_text(message.substr(0, 4096)));
  return ellipsize(type.empty() ? text : fmt::format("{}: {}", plain_text(type), text), kExampleWidth);
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

}  // namespace

ExplainText::ExplainText(const classify::RuleSet& rules, const classify::Explanations& explanations,
                         const Frameworks& frameworks, std::string framework, int width, bool color)
    : rules_(rules),
      explanations_(explanations),
      frameworks_(frameworks),
      framework_(std::move(framework)),
      width_(static_cast<std::size_t>(std::clamp(width, 40, 100))),
      color_(color) {}

std::string ExplainText::of(std::string_view what) const {
  if (trim(what).empty()) return list();
  if (const std::optional<Category> category = classify::category_as_typed(what)) {
    return this->category(explanations_.of(*category));
  }
  const auto& rules = rules_.rules();
  const auto named = std::find_if(rules.begin(), rules.end(),
                                  [&](const classify::Rule& rule) { return rule.id == trim(what); });
  return named != rules.end() ? rule(*named) : error(what);
}

std::string ExplainText::heading(std::string_view text) const {
  return report::toned(text, report::Tone::kStrong, color_) + "\n";
}

std::string ExplainText::paragraph(std::string_view text, std::string_view indent) const {
  return std::string(indent) + report::wrapped(text, width_, indent, indent.size());
}

std::string ExplainText::list() const {
  std::string out = heading("Categories of failure");
  for (const classify::CategoryText& text : explanations_.all()) {
    const std::string first = text.meaning.substr(0, text.meaning.find_first_of(".:"));
    out += "  " + pad_right(name_of(text.category), 20) +
           report::wrapped(first, width_, std::string(22, ' '), 22);
  }
  constexpr std::string_view kMore =
      "`seamark explain CATEGORY` tells more of one; `seamark explain 'ERROR'` says which one an error is";
  return out + "\n" + paragraph(kMore, "");
}

std::string ExplainText::advice(const classify::CategoryText& text) const {
  std::string out = "\nWhat people do about it\n";
  for (const std::string& one : text.advice) out += "  - " + report::wrapped(one, width_, "    ", 4);
  return out;
}

std::string ExplainText::category(const classify::CategoryText& text) const {
  std::string out = heading(name_of(text.category)) + paragraph(text.meaning);
  if (!text.told_by.empty()) out += "\nHow it is told\n" + paragraph(text.told_by);
  return out + advice(text) + examples(text.category);
}

// One of each framework first, so that no framework takes all the places.
std::string ExplainText::examples(Category category) const {
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
  const std::size_t count = first.size() + more.size();
  if (count == 0) return {};
  first.insert(first.end(), more.begin(), more.end());
  std::string out =
      fmt::format("\nExamples ({} rule{} give{} it)\n", count, count == 1 ? "" : "s", count == 1 ? "s" : "");
  for (std::size_t i = 0; i < std::min(count, kExamples); ++i) {
    const classify::Rule& rule = *first[i];
    out += "  - " + report::wrapped(shown(rule.example_type, rule.example), width_, "    ", 4);
    out += "    " + report::wrapped(fmt::format("rule {}; seen: {}", rule.id, one_line(rule.source)), width_,
                                    "    ", 4);
  }
  return out;
}

std::string ExplainText::rule(const classify::Rule& rule) const {
  const classify::CategoryText& text = explanations_.of(rule.category);
  std::string out = heading(fmt::format("{} (rule {})", name_of(rule.category), rule.id));
  out += paragraph(text.meaning);
  out += "\nThe rule\n";
  out += paragraph(fmt::format("{}: {}.", rule.framework == "*" ? "Any framework" : rule.framework,
                               plain_text(conditions(rule))));
  out += paragraph("Seen: " + one_line(rule.source));
  out += paragraph("Its example: " + shown(rule.example_type, rule.example));
  if (!rule.advice.empty()) out += "\nFor this error\n" + paragraph(rule.advice);
  return out + advice(text);
}

std::string ExplainText::error(std::string_view text) const {
  const std::vector<classify::TextMatch> matches =
      classify::explain_error(rules_, text, framework_, frameworks_);
  if (matches.empty()) return unknown(text);
  std::string out;
  if (matches.size() > 1) {
    out += paragraph("Frameworks mean different things by this text; --framework narrows it.", "") + "\n";
  }
  for (const classify::TextMatch& match : matches) {
    if (&match != &matches.front()) out += '\n';
    if (matches.size() > 1) out += join(match.frameworks, ", ") + ":\n";
    out += rule(*match.rule);
    if (match.type_assumed) {
      out += "\n" + paragraph(fmt::format("The text names no exception type; this holds if it is {}.",
                                          join(match.rule->types, " or ")));
    }
  }
  return out;
}

std::string ExplainText::unknown(std::string_view text) const {
  const classify::ParsedError parsed = classify::parse_error_text(text);
  std::string out = heading("No rule knows this error");
  if (!parsed.type.empty()) out += paragraph("Read as: " + shown(parsed.type, parsed.message));
  std::vector<std::string> names;
  for (const classify::CategoryText& one : explanations_.all()) names.emplace_back(name_of(one.category));
  for (const classify::Rule& rule : rules_.rules()) names.push_back(rule.id);
  if (const auto near = nearest(trim(text), names)) {
    out += paragraph(fmt::format("If a category or a rule was meant: did you mean '{}'?", *near));
  }
  out += paragraph(fmt::format(
      "Asked: {} rules{}. In a report it counts as unclassified; nothing is claimed about its cause.",
      rules_.rules().size(), framework_.empty() ? "" : ", those of " + framework_));
  return out + advice(explanations_.of(Category::kUnclassified));
}

}  // namespace seamark::cli
