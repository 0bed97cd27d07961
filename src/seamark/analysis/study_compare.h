// Today's results beside those of a published study: what compiles now of what ran then, and why not.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "seamark/analysis/study.h"
#include "seamark/analysis/summary.h"

namespace seamark::analysis {

// Persisted in JSON by name.
enum class Now : std::uint8_t {
  kPasses,     // at least one core case does: compiles, or runs where the target executes
  kFails,      // none does
  kUnchecked,  // see StudyLine::reason
};

// One function of the study on one target.
struct StudyLine {
  std::string name;        // today's; the published one where there is none
  bool published = false;  // a latency on the study's TPU was: at least one test ran there
  bool host_only = false;
  Now now = Now::kUnchecked;
  std::optional<Verdict> verdict;
  std::optional<Category> category;  // of a failure
  std::string rule;
  std::string case_name;  // that fails
  std::string type;
  std::string message;  // at most 2,000 bytes
  std::string reason;   // why it was not checked
};

// How many functions of a group pass, fail, could not be checked.
struct NowCounts {
  int functions = 0;
  int pass = 0;     // all core cases
  int partial = 0;  // some
  int fail = 0;
  int unchecked = 0;
};

struct CategoryChange {
  Category category = Category::kUnclassified;
  int then = 0;  // failing functions, partly or altogether
  int now = 0;
};

struct StudyTarget {
  std::string target;
  bool compiled_only = false;
  std::string framework;
  std::string version_then;
  std::vector<std::string> versions_now;
  std::vector<std::string> compilers;
  StudyFramework then;
  NowCounts now;        // all functions of the study's list
  NowCounts published;  // of those with a published latency
  NowCounts published_without_host_only;
  std::vector<CategoryChange> categories;  // by category; failures wholly or partly, on both sides
  Agreement all;  // today's failure as the forecast, no published latency as the failure
  Agreement without_host_only;
  Agreement host_only;
  std::vector<StudyLine> lines;  // by name
};

struct StudyComparison {
  std::string title;
  std::string source;
  std::string devices;
  std::string store;
  std::vector<RunFacts> runs;
  std::string rules_version;
  std::vector<StudyTarget> targets;
  std::vector<std::string> missing;  // frameworks of the study without a target here
  std::optional<Agreement> pooled;   // over targets, where there are several and one per framework
  std::optional<Agreement> pooled_without_host_only;
};

// The targets of a summary that stand for the study's TPU: its generation, in any mode. Empty: none.
std::vector<std::string> study_targets(const std::vector<std::string>& names, const Study& study);

// `summary` holds the targets to compare (Detail::kMessages); kNothing when it has none.
Result<StudyComparison> compare_with_study(const Summary& summary, const Study& study);

}  // namespace seamark::analysis
