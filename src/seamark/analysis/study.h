// What a published study found, as a baseline to compare with (data/baselines/NAME: study.toml,
// functions.csv).
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "seamark/base/result.h"
#include "seamark/model/outcome.h"

namespace seamark::analysis {

// The two devices that its functions were timed on.
enum class StudySide : std::uint8_t { kGpu, kTpu };

struct StudyFunction {
  std::string framework;
  std::string published_name;
  std::string name_today;       // empty: none
  std::string status_today;     // same, renamed, removed
  std::optional<double> gpu_s;  // published latencies; nullopt: none was published
  std::optional<double> tpu_s;
  std::optional<double> tpu_over_gpu;
  [[nodiscard]] const std::optional<double>& on(StudySide side) const {
    return side == StudySide::kGpu ? gpu_s : tpu_s;
  }
};

struct StudyCounts {
  int success = 0;
  int partial = 0;
  int complete = 0;  // failed altogether
};

// What it printed of one device.
struct StudyTotals {
  StudyCounts counts;
  std::vector<std::int64_t> percent;                 // pass, partial, complete
  std::vector<std::pair<Category, int>> categories;  // failing functions
  std::optional<std::int64_t> top_percent;           // failing, of the most used; nullopt: not printed
  std::optional<std::int64_t> all_percent;           // failing, of all
};

struct StudyFramework {
  std::string name;
  std::string version;
  int functions = 0;  // tested
  StudyTotals gpu;
  StudyTotals tpu;
  // Pass, partial and complete of further devices, by key.
  std::vector<std::pair<std::string, std::vector<std::int64_t>>> other_percent;
  [[nodiscard]] const StudyTotals& on(StudySide side) const { return side == StudySide::kGpu ? gpu : tpu; }
  [[nodiscard]] const StudyCounts& counts(StudySide side) const { return on(side).counts; }
  [[nodiscard]] const std::vector<std::int64_t>& percent(StudySide side) const { return on(side).percent; }
  [[nodiscard]] const std::vector<std::pair<Category, int>>& categories(StudySide side) const {
    return on(side).categories;
  }
};

// A device that it timed; in devices.csv: derived from the study's raw timings.
struct StudyDevice {
  std::string key;    // t4
  std::string label;  // T4 GPU
  std::string column;
};

// Mean seconds of one test file, by device in the order of Study::devices_timed().
struct StudyTimes {
  std::string framework;
  std::string test;
  std::vector<std::optional<double>> seconds;
};

// A figure of the study's text, in percent of functions.
struct StudyHeadline {
  enum class Measure : std::uint8_t { kFailure, kSlower, kFaster };
  std::string framework;
  Measure measure = Measure::kFailure;
  std::string a;  // device keys; of a failure only b
  std::string b;
  double factor = 1;
  std::optional<double> printed;
};

// Two devices, by key.
struct StudyPair {
  std::string a;
  std::string b;
};

// What its tables and figures speak of, and in which order.
struct StudyLayout {
  StudyPair main;                      // the GPU and the TPU that functions.csv and the totals are of
  std::optional<StudyPair> newest;     // of Figure 3; nullopt: the main ones
  std::vector<StudyPair> generations;  // older, newer: Table 3 has the first, Figure 7 all
  std::vector<std::string> tables;     // frameworks, in the order of the tables of latencies
  std::vector<std::string> figures;    // and of the distributions
};

// The study that verbs take where none is named.
inline constexpr std::string_view kDefaultStudy = "grand-illusion";

class Study {
 public:
  // `devices_csv` may be empty: no further devices.
  static Result<Study> parse(std::string_view toml, std::string_view toml_file, std::string_view csv,
                             std::string_view csv_file, std::string_view devices_csv = {},
                             std::string_view devices_file = {});
  // One folder of `baselines`; kNoSuchStudy names what there is.
  static Result<Study> load(const std::filesystem::path& baselines, std::string_view name);
  static Result<Study> load(const std::filesystem::path& folder);

  [[nodiscard]] const std::string& title() const { return title_; }
  [[nodiscard]] const std::string& source() const { return source_; }
  [[nodiscard]] const std::string& devices() const { return devices_; }
  [[nodiscard]] const std::string& tpu() const { return tpu_; }        // generation: v3
  [[nodiscard]] const std::string& cases() const { return cases_; }    // what it ran; empty: not said
  [[nodiscard]] const std::string& timing() const { return timing_; }  // how it timed; empty: not said
  [[nodiscard]] const StudyLayout& layout() const { return layout_; }
  [[nodiscard]] const StudyDevice& main_device(StudySide side) const;
  [[nodiscard]] const std::vector<StudyFunction>& functions() const { return functions_; }
  [[nodiscard]] const std::vector<StudyFramework>& frameworks() const { return frameworks_; }
  // At least two: where it names none, a GPU and a TPU.
  [[nodiscard]] const std::vector<StudyDevice>& devices_timed() const { return devices_timed_; }
  [[nodiscard]] const std::vector<StudyTimes>& times() const { return times_; }
  [[nodiscard]] const std::vector<StudyHeadline>& headlines() const { return headlines_; }
  [[nodiscard]] const std::vector<std::string>& contradictions() const { return contradictions_; }
  [[nodiscard]] const std::string& not_published() const { return not_published_; }
  [[nodiscard]] const StudyFramework* framework(std::string_view name) const;
  // By today's name; one with published latencies before one without. nullptr: none.
  [[nodiscard]] const StudyFunction* find(std::string_view framework, std::string_view name_today) const;

 private:
  std::string title_;
  std::string source_;
  std::string devices_;
  std::string tpu_;
  std::string cases_;
  std::string timing_;
  StudyLayout layout_;
  std::vector<StudyFramework> frameworks_;
  std::vector<StudyDevice> devices_timed_;
  std::vector<StudyTimes> times_;
  std::vector<StudyHeadline> headlines_;
  std::vector<std::string> contradictions_;
  std::string not_published_;
  std::vector<StudyFunction> functions_;
  std::map<std::pair<std::string, std::string>, std::size_t> by_name_;
};

}  // namespace seamark::analysis
