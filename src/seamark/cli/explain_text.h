// What `seamark explain` prints.
#pragma once

#include <string>
#include <string_view>

#include "seamark/classify/explain.h"

namespace seamark::cli {

// Borrows the rules, the explanations and the frameworks.
class ExplainText {
 public:
  // `framework` empty: rules of all. `width`: columns.
  ExplainText(const classify::RuleSet& rules, const classify::Explanations& explanations,
              const Frameworks& frameworks, std::string framework, int width, bool color);

  // `what` as typed: nothing (the list of categories), a category, a rule's id, else an error text.
  [[nodiscard]] std::string of(std::string_view what) const;

 private:
  [[nodiscard]] std::string list() const;
  [[nodiscard]] std::string category(const classify::CategoryText& text) const;
  [[nodiscard]] std::string examples(Category category) const;
  [[nodiscard]] std::string rule(const classify::Rule& rule) const;
  [[nodiscard]] std::string error(std::string_view text) const;
  [[nodiscard]] std::string unknown(std::string_view text) const;
  [[nodiscard]] std::string advice(const classify::CategoryText& text) const;
  [[nodiscard]] std::string heading(std::string_view text) const;
  [[nodiscard]] std::string paragraph(std::string_view text, std::string_view indent = "  ") const;

  const classify::RuleSet& rules_;
  const classify::Explanations& explanations_;
  const Frameworks& frameworks_;
  std::string framework_;
  std::size_t width_;
  bool color_;
};

}  // namespace seamark::cli
