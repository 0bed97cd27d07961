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

struct StudyFunction {
  std::string framework;
  std::string published_name;
  std::string name_today;       // empty: none
  std::string status_today;     // same, renamed, removed
  std::optional<double> gpu_s;  // published latencies; nullopt: none was published
  std::optional<double> tpu_s;
  std::optional<double> tpu_over_gpu;
};

struct StudyCounts {
  int success = 0;
  int partial = 0;
  int complete = 0;  // failed altogether
};

struct StudyFramework {
  std::string name;
  std::string version;
  int functions = 0;  // tested
  StudyCounts gpu;
  StudyCounts tpu;
  std::vector<std::int64_t> gpu_percent;  // pass, partial, complete, as printed
  std::vector<std::int64_t> tpu_percent;
  std::vector<std::pair<Category, int>> gpu_categories;  // failing functions, as printed
  std::vector<std::pair<Category, int>> tpu_categories;
};

class Study {
 public:
  static Result<Study> parse(std::string_view toml, std::string_view toml_file, std::string_view csv,
                             std::string_view csv_file);
  // One folder of `baselines`; kNoSuchStudy names what there is.
  static Result<Study> load(const std::filesystem::path& baselines, std::string_view name);
  static Result<Study> load(const std::filesystem::path& folder);

  [[nodiscard]] const std::string& title() const { return title_; }
  [[nodiscard]] const std::string& source() const { return source_; }
  [[nodiscard]] const std::string& devices() const { return devices_; }
  [[nodiscard]] const std::string& tpu() const { return tpu_; }  // generation: v3
  [[nodiscard]] const std::vector<StudyFunction>& functions() const { return functions_; }
  [[nodiscard]] const StudyFramework* framework(std::string_view name) const;
  // By today's name; one with published latencies before one without. nullptr: none.
  [[nodiscard]] const StudyFunction* find(std::string_view framework, std::string_view name_today) const;

 private:
  std::string title_;
  std::string source_;
  std::string devices_;
  std::string tpu_;
  std::vector<StudyFramework> frameworks_;
  std::vector<StudyFunction> functions_;
  std::map<std::pair<std::string, std::string>, std::size_t> by_name_;
};

}  // namespace seamark::analysis
