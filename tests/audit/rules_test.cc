// Every rule finds its bad examples, and nothing in its good ones.
#include <gtest/gtest.h>

#include <set>

#include "seamark/audit/project.h"
#include "seamark/base/text.h"

namespace seamark::audit {
namespace {

const std::filesystem::path kData = std::filesystem::path(SEAMARK_SOURCE_DIR) / "data";

const std::vector<Rule>& all_rules() {
  static const std::vector<Rule> rules = [] {
    Result<std::vector<Rule>> loaded = load_rules(kData / "audit");
    if (!loaded) throw std::runtime_error(loaded.error().message());
    return std::move(*loaded);
  }();
  return rules;
}

const usage::Vocabulary& vocabulary() {
  static const usage::Vocabulary loaded = usage::Vocabulary::load(kData / "usage").value();
  return loaded;
}

// The ids of what holds in a text.
std::set<std::string> found_in(const Rule& rule, const std::string& text) {
  const auto one = std::span(&rule, 1);
  Auditor auditor(vocabulary(), one);
  if (rule.files.empty()) {
    auditor.take("train.py", text);
  } else {
    auditor.take_other(replace_all(rule.files.front(), "*", "x"), text);
  }
  std::set<std::string> ids;
  for (const Finding& finding : auditor.finish().findings) {
    if (finding.hit.ignored_because.empty()) ids.insert(one[finding.rule].id);
  }
  return ids;
}

TEST(RulesTest, EachFindsItsBadExamplesAndNothingInItsGoodOnes) {
  for (const Rule& rule : all_rules()) {
    for (const std::string& text : rule.bad)
      EXPECT_EQ(found_in(rule, text), std::set<std::string>{rule.id}) << rule.id << " must be found in:\n"
                                                                      << text;
    for (const std::string& text : rule.good)
      EXPECT_EQ(found_in(rule, text), std::set<std::string>{}) << rule.id << " must not be found in:\n"
                                                               << text;
  }
}

}  // namespace
}  // namespace seamark::audit
