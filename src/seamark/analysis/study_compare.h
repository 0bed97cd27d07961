// Today's results beside those of a published study: what compiles or runs now of what ran then, why not, and
// what of that is a change in the sense of change.h.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "seamark/analysis/change.h"
#include "seamark/analysis/study.h"
#include "seamark/analysis/summary.h"
#include "seamark/store/records.h"

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
  bool published = false;  // a latency on the study's device was: at least one test ran there
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
  bool ran = false;  // a case did; else nothing is known of the target
  bool compiled_only = false;
  std::string framework;
  std::string version_then;
  std::vector<std::string> versions_now;
  std::vector<std::string> compilers;
  StudyFramework then;
  StudySide side = StudySide::kTpu;  // which of the study's devices it is held against
  StudyDevice device;                // that one
  NowCounts now;                     // all functions of the study's list
  NowCounts published;               // of those with a published latency
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
  Comparison changes;  // the same as kinds of change, for --fail-on, expectations, JUnit and SARIF
};

struct StudyOptions {
  std::string study_label;  // the sides, as the user wrote them
  std::string later_label;
  bool all_targets = true;  // none was chosen: a framework of the study without one is a target that is gone
  CompareOptions compare;
};

// The targets that stand for the study's two devices: the TPU's generation in any mode, the GPU's by its
// generation or by the device's name. Empty: none.
std::vector<std::string> study_targets(const std::vector<store::StoredTarget>& targets, const Study& study);
// What a target is held against: GPUs against the study's GPU, everything else against its TPU.
StudySide study_side(const std::string& target);

// `summary` holds the targets to compare (Detail::kMessages); kNothing when it has none.
Result<StudyComparison> compare_with_study(const Summary& summary, const Study& study,
                                           const StudyOptions& options = {});

}  // namespace seamark::analysis
