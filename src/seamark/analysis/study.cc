#include "seamark/analysis/study.h"

#include <fmt/format.h>

#include <algorithm>

#include "seamark/analysis/analysis_error.h"
#include "seamark/base/config.h"
#include "seamark/base/csv.h"
#include "seamark/base/fd.h"
#include "seamark/base/text.h"
#include "seamark/base/value.h"

namespace seamark::analysis {

namespace {

constexpr double kMilli = 1e-3;

StudyCounts read_counts(TableReader& framework, const char* key) {
  StudyCounts counts;
  std::optional<TableReader> table = framework.table(key);
  if (!table) {
    framework.problem(key, "is missing");
    return counts;
  }
  auto count = [&](const char* name) {
    return static_cast<int>(table->integer(name, 0, {.min = 0, .max = 1'000'000}));
  };
  counts = {count("success"), count("partial"), count("complete")};
  table->finish();
  return counts;
}

std::vector<std::int64_t> read_percent(TableReader& framework, const char* key, bool required = true) {
  std::vector<std::int64_t> out;
  if (!required && !framework.has(key)) return out;
  const Value* list = framework.any(key);
  const bool is_list = list != nullptr && list->is_array() && list->as_array().size() == 3;
  if (is_list) {
    for (const Value& value : list->as_array()) {
      if (value.is_int()) out.push_back(value.as_int());
    }
  }
  if (out.size() != 3) framework.problem(key, "must be three whole numbers: pass, partial, complete");
  return out;
}

std::vector<std::pair<Category, int>> read_categories(TableReader& framework, const char* key) {
  std::vector<std::pair<Category, int>> out;
  const Value* table = framework.any(key);
  if (table == nullptr || !table->is_object()) {
    framework.problem(key, "must be a table of categories and counts");
    return out;
  }
  for (const auto& [name, value] : table->as_object()) {
    const std::optional<Category> category = category_from(name);
    if (!category || !value.is_int() || value.as_int() < 0 || value.as_int() > 1'000'000) {
      framework.problem(key, fmt::format("'{}' is no category with a count", name));
      continue;
    }
    out.emplace_back(*category, static_cast<int>(value.as_int()));
  }
  return out;
}

std::optional<StudyFailurePercent> read_failures(TableReader& framework) {
  if (!framework.has("failure_percent")) return std::nullopt;
  std::optional<TableReader> table = framework.table("failure_percent");
  if (!table) return std::nullopt;
  auto percent = [&](const char* key) { return table->integer(key, 0, {.min = 0, .max = 100}); };
  const StudyFailurePercent out = {percent("gpu_top"), percent("gpu_all"), percent("tpu_top"),
                                   percent("tpu_all")};
  table->finish();
  return out;
}

StudyFramework read_framework(TableReader& table) {
  StudyFramework framework;
  framework.name = table.need_string("name");
  framework.version = table.need_string("version");
  framework.functions = static_cast<int>(table.integer("functions", 0, {.min = 1, .max = 1'000'000}));
  framework.gpu = read_counts(table, "gpu");
  framework.tpu = read_counts(table, "tpu");
  framework.gpu_percent = read_percent(table, "gpu_percent");
  framework.tpu_percent = read_percent(table, "tpu_percent");
  framework.gpu_categories = read_categories(table, "gpu_categories");
  framework.tpu_categories = read_categories(table, "tpu_categories");
  framework.newer_gpu_percent = read_percent(table, "a100_percent", false);
  framework.failure_percent = read_failures(table);
  table.finish();
  return framework;
}

StudyDevice read_device(TableReader& table) {
  StudyDevice device{table.need_string("key"), table.need_string("label"), table.need_string("column")};
  table.finish();
  return device;
}

StudyHeadline read_headline(TableReader& table) {
  StudyHeadline headline;
  headline.framework = table.need_string("framework");
  const std::string measure = table.choice("measure", "failure", {"failure", "slower", "faster"});
  if (measure == "slower") headline.measure = StudyHeadline::Measure::kSlower;
  if (measure == "faster") headline.measure = StudyHeadline::Measure::kFaster;
  headline.a = table.string("a");
  headline.b = table.need_string("b");
  headline.factor = table.number("factor", 1);
  headline.printed = table.number("printed", 0);
  table.finish();
  return headline;
}

// One row per test file: framework, test, and a time in milliseconds, or nothing, per device.
Result<std::vector<StudyTimes>> read_times(std::string_view csv, std::string_view file,
                                           const std::vector<StudyDevice>& devices) {
  const auto rows = parse_csv(csv, file);
  if (!rows) return Error(AnalysisError::kBadData, rows.error().message());
  std::string head = "framework,test";
  for (const StudyDevice& device : devices) head += "," + device.column;
  if (rows->empty() || join(rows->front(), ",") != head) {
    return Error(AnalysisError::kBadData, fmt::format("{}: the columns are not {}", file, head));
  }
  std::vector<StudyTimes> out;
  for (std::size_t i = 1; i < rows->size(); ++i) {
    const std::vector<std::string>& row = (*rows)[i];
    StudyTimes times{row[0], row.size() > 1 ? row[1] : "", {}};
    for (std::size_t field = 2; field < row.size(); ++field) {
      const std::optional<double> number = parse_double(row[field]);
      if (!row[field].empty() && (!number || !(*number >= 0))) {
        return Error(AnalysisError::kBadData,
                     fmt::format("{}: row {}: '{}' is no time", file, i + 1, row[field]));
      }
      times.seconds.push_back(row[field].empty() ? std::nullopt : std::optional(*number * kMilli));
    }
    if (times.seconds.size() != devices.size()) {
      return Error(AnalysisError::kBadData,
                   fmt::format("{}: row {}: another number of fields than the head", file, i + 1));
    }
    out.push_back(std::move(times));
  }
  return out;
}

constexpr std::string_view kHead =
    "framework,published_name,name_today,status_today,source,gpu_t4_ms,tpu_v3_8_ms,tpu_over_gpu";

Result<std::vector<StudyFunction>> read_functions(std::string_view csv, std::string_view file) {
  const auto rows = parse_csv(csv, file);
  if (!rows) return Error(AnalysisError::kBadData, rows.error().message());
  if (rows->empty() || join(rows->front(), ",") != kHead) {
    return Error(AnalysisError::kBadData, fmt::format("{}: the columns are not {}", file, kHead));
  }
  std::vector<StudyFunction> functions;
  for (std::size_t i = 1; i < rows->size(); ++i) {
    const std::vector<std::string>& row = (*rows)[i];
    auto bad = [&](std::string_view what) {
      return Error(AnalysisError::kBadData, fmt::format("{}: row {}: {}", file, i + 1, what));
    };
    if (row.size() != rows->front().size()) return bad("another number of fields than the head");
    StudyFunction function{row[0], row[1], row[2], row[3], {}, {}, {}};
    for (std::size_t field = 5; field < 8; ++field) {
      if (row[field].empty()) continue;
      const std::optional<double> number = parse_double(row[field]);
      if (!number || !(*number >= 0)) return bad(fmt::format("'{}' is no time or ratio", row[field]));
      if (field == 5) function.gpu_s = *number * kMilli;
      if (field == 6) function.tpu_s = *number * kMilli;
      if (field == 7) function.tpu_over_gpu = number;
    }
    functions.push_back(std::move(function));
  }
  return functions;
}

}  // namespace

Result<Study> Study::parse(std::string_view toml, std::string_view toml_file, std::string_view csv,
                           std::string_view csv_file, std::string_view devices_csv,
                           std::string_view devices_file) {
  const Result<Value> document = parse_toml(toml, toml_file);
  if (!document) return Error(AnalysisError::kBadData, document.error().message());
  Problems problems(toml_file);
  TableReader top(*document, problems);
  Study study;
  study.title_ = top.need_string("title");
  study.source_ = top.need_string("source");
  study.devices_ = top.need_string("devices");
  study.tpu_ = top.need_string("tpu");
  for (TableReader& table : top.tables("framework")) study.frameworks_.push_back(read_framework(table));
  for (TableReader& table : top.tables("device")) study.devices_timed_.push_back(read_device(table));
  for (TableReader& table : top.tables("headline")) study.headlines_.push_back(read_headline(table));
  study.contradictions_ = top.strings("contradictions");
  study.not_published_ = top.string("not_published");
  study.cases_ = top.string("cases");
  study.timing_ = top.string("timing");
  top.finish();
  if (Status status = problems.status(); !status) {
    return Error(AnalysisError::kBadData, status.error().message(), status.error().remedy());
  }
  Result<std::vector<StudyFunction>> functions = read_functions(csv, csv_file);
  if (!functions) return functions.error();
  study.functions_ = std::move(*functions);
  if (!devices_csv.empty()) {
    Result<std::vector<StudyTimes>> times = read_times(devices_csv, devices_file, study.devices_timed_);
    if (!times) return times.error();
    study.times_ = std::move(*times);
  }
  for (std::size_t i = 0; i < study.functions_.size(); ++i) {
    const StudyFunction& function = study.functions_[i];
    if (function.name_today.empty()) continue;
    const auto [at, is_new] = study.by_name_.try_emplace({function.framework, function.name_today}, i);
    if (!is_new && !study.functions_[at->second].tpu_s && function.tpu_s) at->second = i;
  }
  return study;
}

Result<Study> Study::load(const std::filesystem::path& folder) {
  const std::filesystem::path toml_file = folder / "study.toml";
  const std::filesystem::path csv_file = folder / "functions.csv";
  constexpr std::string_view kRemedy = "the installation is not complete; set SEAMARK_HOME or install again";
  const Result<std::string> toml = read_file(toml_file);
  if (!toml) return Error(AnalysisError::kUnreadable, toml.error().message(), std::string(kRemedy));
  const Result<std::string> csv = read_file(csv_file);
  if (!csv) return Error(AnalysisError::kUnreadable, csv.error().message(), std::string(kRemedy));
  std::error_code ec;
  const std::filesystem::path devices_file = folder / "devices.csv";
  std::string devices;
  if (std::filesystem::exists(devices_file, ec)) {
    Result<std::string> text = read_file(devices_file);
    if (!text) return Error(AnalysisError::kUnreadable, text.error().message(), std::string(kRemedy));
    devices = std::move(*text);
  }
  return parse(*toml, toml_file.string(), *csv, csv_file.string(), devices, devices_file.string());
}

Result<Study> Study::load(const std::filesystem::path& baselines, std::string_view name) {
  std::vector<std::string> known;
  std::error_code ec;
  for (std::filesystem::directory_iterator it(baselines, ec), end; !ec && it != end; it.increment(ec)) {
    if (it->is_directory(ec)) known.push_back(it->path().filename().string());
  }
  std::sort(known.begin(), known.end());
  if (std::find(known.begin(), known.end(), name) == known.end()) {
    return Error(AnalysisError::kNoSuchStudy, fmt::format("there is no baseline '{}'", name),
                 fmt::format("there is: {}", known.empty() ? "none" : join(known, ", ")));
  }
  return load(baselines / name);
}

StudyDevice Study::main_device(StudySide side) const {
  const bool gpu = side == StudySide::kGpu;
  if (devices_timed_.empty()) return gpu ? StudyDevice{"gpu", "GPU", {}} : StudyDevice{"tpu", "TPU", {}};
  const std::string_view key = gpu ? "t4" : "tpu-v3-8";  // the columns of functions.csv
  const auto found = std::find_if(devices_timed_.begin(), devices_timed_.end(),
                                  [&](const StudyDevice& one) { return one.key == key; });
  if (found != devices_timed_.end()) return *found;
  return gpu ? devices_timed_.front() : devices_timed_.back();
}

const StudyFramework* Study::framework(std::string_view name) const {
  const auto found = std::find_if(frameworks_.begin(), frameworks_.end(),
                                  [&](const StudyFramework& one) { return one.name == name; });
  return found == frameworks_.end() ? nullptr : &*found;
}

const StudyFunction* Study::find(std::string_view framework, std::string_view name_today) const {
  const auto found = by_name_.find({std::string(framework), std::string(name_today)});
  return found == by_name_.end() ? nullptr : &functions_[found->second];
}

}  // namespace seamark::analysis
