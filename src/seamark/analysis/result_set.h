// The input of the study's tables and figures, from a store or from a published study: functions by
// framework, and each one's result on each device.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "seamark/analysis/study.h"
#include "seamark/analysis/summary.h"
#include "seamark/model/frameworks.h"
#include "seamark/model/outcome.h"
#include "seamark/model/usage.h"

namespace seamark::analysis {

// Two devices, by their places in ResultSet::devices.
using DevicePair = std::pair<std::size_t, std::size_t>;

// A device is what stands behind the framework in a target's name (cpu, tpu-v3+aot), so that frameworks join.
struct DeviceResult {
  std::string key;
  std::string label;
  std::string note;  // "compiled only"; empty: nothing to say
};

struct Found {
  bool tested = false;               // it has a verdict other than not-run
  std::optional<Verdict> verdict;    // nullopt: see ResultSet::verdict_reason
  std::optional<Category> category;  // of a failure, partial or complete
};

// Seconds of one operation, by device; nullopt: it was not timed there, or its check did not pass.
struct TimesResult {
  std::vector<std::optional<double>> seconds;
  std::vector<double> operations;  // by device, that the seconds are the mean of; empty: one each
  std::vector<std::optional<Interval>> intervals;  // 95%, of each; empty: none are known
};

struct FunctionResult {
  std::string name;
  bool host_only = false;
  std::optional<std::int64_t> calls;    // in a corpus, those that are certain; nullopt: not known
  std::int64_t most_calls = 0;          // with those on objects of unknown type
  std::optional<bool> top;              // among the most used; nullopt: not known
  std::optional<int> decile;            // 1: most used
  std::vector<Found> on;                // by device
  std::vector<TimesResult> times;       // one per operation
  std::optional<double> printed_ratio;  // of the study's two main devices
  [[nodiscard]] bool is_top() const { return top.value_or(false); }
};

// Counts as a study printed them, or as they follow from verdicts.
struct CountsResult {
  std::int64_t pass = 0;
  std::int64_t partial = 0;
  std::int64_t fail = 0;
  [[nodiscard]] std::int64_t total() const { return pass + partial + fail; }
  [[nodiscard]] std::int64_t failing() const { return partial + fail; }
  void add(const Found& found);  // one function, where it was tested
};

struct TotalsResult {
  std::optional<CountsResult> counts;         // of all functions; nullopt: not published, nothing ran
  std::vector<std::int64_t> printed_percent;  // pass, partial, complete as printed; empty: not printed
  std::optional<std::int64_t> functions;      // that a printed rate is a share of, where it is not the sum
  std::optional<std::int64_t> printed_top;    // failures among the most used, percent as printed
  std::optional<std::int64_t> printed_all;    // failures among all, percent as printed
  std::vector<std::pair<Category, std::int64_t>> categories;  // failing functions, most first
  bool categories_known = false;
  std::string evidence;  // what its passing cases rest on: "verified 92%, executed 8%"
};

struct FrameworkResult {
  std::string name;
  std::string label;  // as readers know it
  std::vector<std::string> versions;
  std::optional<std::int64_t> calls;      // of all its functions, in the corpus; nullopt: not known
  std::vector<TotalsResult> totals;       // by device
  std::vector<FunctionResult> functions;  // by name
  std::vector<FunctionResult> raw;        // timed on more devices than published: of Figures 3 and 7
  [[nodiscard]] const std::vector<FunctionResult>& generations() const {
    return raw.empty() ? functions : raw;
  }
};

struct ResultSet {
  std::string title;
  std::string source;
  bool published = false;      // a study's; else a store's
  std::string verdict_reason;  // why functions have no verdicts of their own
  std::string time_note;       // what the times are
  std::string sample_note;  // that this is a sample, and where its population's rates stand; empty: it is not
  std::string raw_note;     // what FrameworkResult::raw is
  std::vector<DeviceResult> devices;
  std::vector<FrameworkResult> frameworks;
  Frameworks known;
  std::vector<StudyHeadline> headlines;
  std::vector<std::string> contradictions;
  // The pairs that tables speak of when nothing else is asked: what is compared, the generations of either.
  std::optional<DevicePair> main_pair;
  std::vector<DevicePair> generation_pairs;
  std::optional<DevicePair> newest_pair;  // Figure 3
  // Frameworks in the order of the tables of latencies (from Table 5) and of the distributions (from Figure
  // 8).
  std::vector<std::string> table_order;
  std::vector<std::string> figure_order;
  [[nodiscard]] std::optional<std::size_t> device(std::string_view key) const;
  [[nodiscard]] const FrameworkResult* framework(std::string_view name) const;  // nullptr: none
};

ResultSet findings_of(const Study& study, const Frameworks& known);
// Verdicts over core cases, warm medians of cases that pass. Of `usage` the calls that names resolve to rank
// all functions of a framework that are called: the `top` first are the top. nullptr: use is not known.
// Tables and figures are in the order of `study`; nullptr: in that of `frameworks`.
ResultSet findings_of(const Summary& summary, const Frameworks& frameworks, const UsageTable* usage = nullptr,
                      const Study* study = nullptr, int top = 20);

// Why a table of failures of these devices is empty: no function fails, and of which targets nothing is
// known.
std::string why_no_failures(const ResultSet& findings, const std::vector<std::size_t>& devices);

// One function on two devices: the mean over the operations that both timed.
struct PairTime {
  std::string function;
  double a_s = 0;
  double b_s = 0;
  std::optional<double> printed_ratio;
  std::optional<Interval> interval;  // of the ratio: at least 95%, from the ends of both sides' intervals
  [[nodiscard]] double ratio() const { return b_s / a_s; }  // above 1: b is slower
};
// By ratio, greatest first, then name. Functions without an operation that both timed are left out.
std::vector<PairTime> pair_times(const std::vector<FunctionResult>& functions, std::size_t a, std::size_t b);

}  // namespace seamark::analysis
