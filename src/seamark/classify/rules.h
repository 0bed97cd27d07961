// From a raw failure to a category, by rules that are data (data/classification/*.toml). Categories
// are computed when read, so that better rules reclassify old stores.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "seamark/base/result.h"
#include "seamark/model/attempt.h"

namespace seamark::classify {

enum class ClassifyError { kUnreadable = 1, kBadRule = 2 };
constexpr std::string_view room_of(ClassifyError) { return "classify"; }

// One rule; every condition that is given must hold. {family} in a substring is the target's device: npu.
struct Rule {
  std::string id;
  std::string framework;              // its name, or "*": any
  int priority = 50;                  // higher is asked first; then in order of files and lines
  std::vector<std::string> types;     // the exception type, or what stands after its last dot
  std::vector<std::string> all;       // every one is a substring of the message
  std::vector<std::string> any;       // at least one is
  std::vector<std::string> with;      // at least one of these is, too
  std::vector<std::string> none;      // none is
  std::string stage;                  // empty: any but bridge, where only rules of that stage are asked
  std::vector<std::string> modes;     // of the target, one of them (inductor, xla, aot); empty: any target
  std::vector<std::string> families;  // of the target, one of them (cuda, tpu); empty: any target
  std::optional<Outcome> outcome;     // empty: fail
  Category category = Category::kUnclassified;
  // Where its messages name what the target lacks: "No registered '{}' OpKernel"; a list stands there with ",
  // " between. May be empty.
  std::vector<std::string> operators;
  std::string example;        // a real message that it must match
  std::string example_type;   // and its type
  std::string example_stage;  // and its stage
  std::string source;         // where the example was seen
  std::string advice;         // what to do about it, beside what its category says; may be empty
};

// The text of an error that no attempt stands behind, e.g. pasted by a user.
struct ErrorText {
  std::string_view framework;  // its name, such as torch
  std::string_view type;       // as in an attempt; see any_type
  std::string_view message;
  bool any_type = false;  // the type is not known: conditions on it hold
  bool died = false;      // what a dead process left, rather than an exception
};

struct Classification {
  Category category = Category::kUnclassified;
  std::string rule;  // id; "outcome:timeout" and the like for what needs no rule; empty: unclassified
  friend bool operator==(const Classification&, const Classification&) = default;
};

class RuleSet {
 public:
  RuleSet() = default;  // no rules: what needs none is still classified

  // All *.toml files of a folder, by name. Errors name file and line.
  static Result<RuleSet> load(const std::filesystem::path& folder);
  static Result<RuleSet> parse(std::string_view toml, std::string_view file);

  // nullopt for pass, skip and error (they have no category).
  [[nodiscard]] std::optional<Classification> classify(const Attempt& attempt) const;

  // The first rule that matches the text, whatever stage it asks for; null: none does. Valid while
  // this set is.
  [[nodiscard]] const Rule* match(const ErrorText& error) const;

  // What the message of a failure names as missing, as the rule of this id finds it: aten::nonzero; each
  // once.
  [[nodiscard]] std::vector<std::string> operators(std::string_view rule, std::string_view message) const;

  [[nodiscard]] const std::vector<Rule>& rules() const { return rules_; }  // in the order they are asked
  // 16 hex digits over the rules' content.
  [[nodiscard]] const std::string& version() const { return version_; }

 private:
  std::vector<Rule> rules_;
  std::string version_ = "none";
};

}  // namespace seamark::classify
