// Rules of classification, and any message that they may be asked about: TOML, NUL, message.
#include <algorithm>

#include "fuzz_check.h"
#include "seamark/classify/rules.h"

namespace {

using namespace seamark;

void check_attempt(const classify::RuleSet& rules, Outcome outcome, std::string_view text) {
  Attempt attempt;
  attempt.target = "torch/cpu+inductor";
  attempt.outcome = outcome;
  attempt.failure = Failure{"call", "module.SomeError", std::string(text), std::string(text), "", ""};
  attempt.capture = text;
  const bool has_category =
      outcome != Outcome::kPass && outcome != Outcome::kSkip && outcome != Outcome::kError;
  const auto found = rules.classify(attempt);
  fuzz::require(found.has_value() == has_category, "a category where none belongs, or none where one does");
  if (!found || found->rule.empty() || found->rule.starts_with("outcome:")) return;
  fuzz::require(std::any_of(rules.rules().begin(), rules.rules().end(),
                            [&](const classify::Rule& rule) { return rule.id == found->rule; }),
                "a rule that is not there");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto [toml, message] = fuzz::two_texts(fuzz::text_of(data, size));
  const Result<classify::RuleSet> rules = classify::RuleSet::parse(toml, "rules.toml");
  if (!rules) {
    fuzz::require_presentable(rules.error());
    return 0;
  }
  fuzz::require(rules->version().size() == 16, "a version of the wrong length");
  for (const Outcome outcome :
       {Outcome::kPass, Outcome::kFail, Outcome::kTimeout, Outcome::kCrash, Outcome::kSkip})
    check_attempt(*rules, outcome, message);
  return 0;
}
