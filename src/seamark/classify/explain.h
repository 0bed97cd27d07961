// What a category means and what is done about it, as data (data/explain.toml), and the reading of an
// error text as a user has it.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "seamark/base/result.h"
#include "seamark/classify/rules.h"
#include "seamark/model/frameworks.h"

namespace seamark::classify {

struct CategoryText {
  Category category = Category::kUnclassified;
  std::string meaning;              // a sentence or three
  std::vector<std::string> advice;  // what people do about it, most useful first
  std::string told_by;              // how it is recognized where no rule is asked; may be empty
};

class Explanations {
 public:
  // One text for each category, in the order of the file. kUnreadable; kBadRule, with file and line, also
  // when a category has none.
  static Result<Explanations> load(const std::filesystem::path& file);
  static Result<Explanations> parse(std::string_view toml, std::string_view file);

  [[nodiscard]] const CategoryText& of(Category category) const;
  [[nodiscard]] const std::vector<CategoryText>& all() const { return texts_; }

 private:
  std::vector<CategoryText> texts_;
};

// "float precision", "FLOAT_PRECISION" and "float-precision" are one; nullopt: no category.
[[nodiscard]] std::optional<Category> category_as_typed(std::string_view text);

struct ParsedError {
  std::string type;  // empty: the text does not say
  std::string message;
};

// Takes the last exception of a Python traceback, or a leading "package.Type: "; at most 64 KiB.
[[nodiscard]] ParsedError parse_error_text(std::string_view text);

struct TextMatch {
  const Rule* rule = nullptr;
  std::vector<std::string> frameworks;  // for which it is the first that matches
  bool type_assumed = false;            // the text names no exception type, and the rule asks for one
};

// The rules that give `text` its category, per framework the first; several when frameworks differ,
// none for all frameworks ("*") where a framework's own rule matches.
// `framework` empty: all that are known. Valid while `rules` is.
[[nodiscard]] std::vector<TextMatch> explain_error(const RuleSet& rules, std::string_view text,
                                                   std::string_view framework, const Frameworks& frameworks);

}  // namespace seamark::classify
