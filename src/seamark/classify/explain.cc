#include "seamark/classify/explain.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "seamark/base/config.h"
#include "seamark/base/fd.h"
#include "seamark/base/text.h"
#include "seamark/base/value.h"

namespace seamark::classify {

namespace {

constexpr std::string_view kTraceback = "Traceback (most recent call last):";

bool is_name_char(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.';
}

// "torch.OutOfMemoryError" of "torch.OutOfMemoryError: CUDA out of memory"; empty when a line does not
// begin with an exception's name. UNIMPLEMENTED and the like are statuses that stand in messages.
std::string_view leading_type(std::string_view line) {
  const auto end = std::find_if_not(line.begin(), line.end(), is_name_char);
  const std::string_view name = line.substr(0, static_cast<std::size_t>(end - line.begin()));
  if (name.empty() || (end != line.end() && *end != ':')) return {};
  std::string_view last = name.substr(name.rfind('.') + 1);
  last.remove_prefix(std::min(last.find_first_not_of('_'), last.size()));
  const bool upper = !last.empty() && last[0] >= 'A' && last[0] <= 'Z';
  const bool lower = std::any_of(last.begin(), last.end(), [](char c) { return c >= 'a' && c <= 'z'; });
  return upper && lower ? name : std::string_view();
}

// What an attempt keeps of a message is less. Of a longer text without a traceback the end counts.
constexpr std::size_t kMaxText = std::size_t{64} << 10;

std::string_view end_of(std::string_view text) {
  return text.size() > kMaxText ? text.substr(text.size() - kMaxText) : text;
}

// The text from the exception line of the last traceback on; all of it when it holds none.
std::string_view from_exception(std::string_view text) {
  const std::size_t at = text.rfind(kTraceback);
  if (at == std::string_view::npos) return text;
  std::size_t line = at;
  while ((line = text.find('\n', line)) != std::string_view::npos) {
    ++line;
    if (line < text.size() && text[line] != ' ' && text[line] != '\t' && text[line] != '\n' &&
        !leading_type(text.substr(line, text.find('\n', line) - line)).empty()) {
      return text.substr(line);
    }
  }
  return text;
}

CategoryText read_text(TableReader& table) {
  CategoryText text;
  const std::string name = table.need_string("name");
  const std::optional<Category> category = category_from(name);
  if (!name.empty() && !category) table.problem("name", fmt::format("there is no category '{}'", name));
  text.category = category.value_or(Category::kUnclassified);
  text.meaning = table.need_string("meaning");
  text.advice = table.strings("advice");
  text.told_by = table.string("told_by");
  if (text.advice.empty()) table.problem("advice", "say what people do about it");
  table.finish();
  return text;
}

Status complete(const std::vector<CategoryText>& texts, std::string_view file) {
  for (const Category category : all_categories()) {
    const auto count = std::count_if(texts.begin(), texts.end(),
                                     [&](const CategoryText& text) { return text.category == category; });
    if (count != 1) {
      return Error(ClassifyError::kBadRule,
                   fmt::format("{}: the category '{}' is explained {} times, not once", file,
                               name_of(category), count));
    }
  }
  return {};
}

struct Candidate {
  const Rule* rule = nullptr;
  bool type_assumed = false;
};

// With the type as read; else the whole text as a message, as a log has it; else whatever the type.
Candidate first_match(const RuleSet& rules, const ParsedError& parsed, std::string_view text,
                      std::string_view framework) {
  for (const bool died : {false, true}) {
    if (const Rule* rule = rules.match({framework, parsed.type, parsed.message, false, died}))
      return {rule, false};
    if (const Rule* rule = rules.match({framework, "", text, false, died})) return {rule, false};
  }
  if (!parsed.type.empty()) return {};
  const Rule* rule = rules.match({framework, "", text, true, false});
  return {rule, rule != nullptr};
}

}  // namespace

Result<Explanations> Explanations::parse(std::string_view toml, std::string_view file) {
  const Result<Value> document = parse_toml(toml, file);
  if (!document) return Error(ClassifyError::kBadRule, document.error().message(), document.error().remedy());
  Problems problems(file);
  TableReader top(*document, problems);
  Explanations explanations;
  for (TableReader& table : top.tables("category")) explanations.texts_.push_back(read_text(table));
  top.finish();
  if (Status status = problems.status(); !status) {
    return Error(ClassifyError::kBadRule, status.error().message(), status.error().remedy());
  }
  if (Status status = complete(explanations.texts_, file); !status) return status.error();
  return explanations;
}

Result<Explanations> Explanations::load(const std::filesystem::path& file) {
  const Result<std::string> text = read_file(file);
  if (!text) {
    return Error(ClassifyError::kUnreadable, text.error().message(),
                 "the installation is not complete; set SEAMARK_HOME or install again");
  }
  return parse(*text, file.string());
}

const CategoryText& Explanations::of(Category category) const {
  const auto found = std::find_if(texts_.begin(), texts_.end(),
                                  [&](const CategoryText& text) { return text.category == category; });
  if (found == texts_.end()) throw std::logic_error("a category without an explanation");
  return *found;
}

std::optional<Category> category_as_typed(std::string_view text) {
  std::string name = lower_ascii(trim(text));
  std::replace_if(name.begin(), name.end(), [](char c) { return c == ' ' || c == '_'; }, '-');
  return category_from(name);
}

ParsedError parse_error_text(std::string_view text) {
  const std::string_view whole = trim(text);
  std::string_view rest = from_exception(whole);
  rest = rest.size() == whole.size() ? end_of(rest) : rest.substr(0, kMaxText);
  const std::string_view type = leading_type(rest.substr(0, rest.find('\n')));
  if (type.empty()) return {{}, std::string(rest)};
  std::string_view message = rest.substr(type.size());
  if (!message.empty() && message[0] == ':') message.remove_prefix(1);
  return {std::string(type), std::string(trim(message))};
}

std::vector<TextMatch> explain_error(const RuleSet& rules, std::string_view text, std::string_view framework,
                                     const Frameworks& frameworks) {
  const ParsedError parsed = parse_error_text(text);
  std::vector<TextMatch> matches;
  for (const Framework& known : frameworks.all()) {
    const std::string& one = known.name;
    if (!framework.empty() && one != framework) continue;
    const Candidate found = first_match(rules, parsed, end_of(trim(text)), one);
    if (found.rule == nullptr) continue;
    const auto same = std::find_if(matches.begin(), matches.end(),
                                   [&](const TextMatch& match) { return match.rule == found.rule; });
    if (same != matches.end()) {
      same->frameworks.push_back(one);
    } else {
      matches.push_back({found.rule, {one}, found.type_assumed});
    }
  }
  // A rule of one framework says more than one of all.
  const auto general = [](const TextMatch& match) { return match.rule->framework == "*"; };
  if (!std::all_of(matches.begin(), matches.end(), general)) std::erase_if(matches, general);
  return matches;
}

}  // namespace seamark::classify
