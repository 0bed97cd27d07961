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

StudyCounts read_counts(TableReader& framework, const std::string& key) {
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

std::vector<std::int64_t> read_percent(TableReader& table, const std::string& key) {
  std::vector<std::int64_t> out;
  const Value* list = table.any(key);
  if (list != nullptr && list->is_array() && list->as_array().size() == 3) {
    for (const Value& value : list->as_array()) {
      if (value.is_int()) out.push_back(value.as_int());
    }
  }
  if (out.size() != 3) table.problem(key, "must be three whole numbers: pass, partial, complete");
  return out;
}

std::vector<std::pair<Category, int>> read_categories(TableReader& framework, const std::string& key) {
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

// `side`: gpu, tpu.
StudyTotals read_totals(TableReader& framework, const std::string& side, TableReader* failures) {
  StudyTotals out;
  out.counts = read_counts(framework, side);
  out.percent = read_percent(framework, side + "_percent");
  out.categories = read_categories(framework, side + "_categories");
  if (failures == nullptr) return out;
  out.top_percent = failures->integer(side + "_top", 0, {.min = 0, .max = 100});
  out.all_percent = failures->integer(side + "_all", 0, {.min = 0, .max = 100});
  return out;
}

std::vector<std::string> keys_of(const std::vector<StudyDevice>& devices) {
  std::vector<std::string> out;
  for (const StudyDevice& one : devices) out.push_back(one.key);
  return out;
}

bool has(const std::vector<std::string>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

StudyFramework read_framework(TableReader& table, const std::vector<std::string>& devices) {
  StudyFramework framework;
  framework.name = table.need_string("name");
  framework.version = table.need_string("version");
  framework.functions = static_cast<int>(table.integer("functions", 0, {.min = 1, .max = 1'000'000}));
  std::optional<TableReader> failures = table.table("failure_percent");
  framework.gpu = read_totals(table, "gpu", failures ? &*failures : nullptr);
  framework.tpu = read_totals(table, "tpu", failures ? &*failures : nullptr);
  if (failures) failures->finish();
  if (std::optional<TableReader> others = table.table("other_percent")) {
    for (const std::string& key : devices) {
      if (others->has(key)) framework.other_percent.emplace_back(key, read_percent(*others, key));
    }
    others->finish();
  }
  table.finish();
  return framework;
}

// "t4:a100", as --pair takes it.
StudyPair read_pair(TableReader& top, const char* key, const std::string& text,
                    const std::vector<std::string>& devices) {
  const std::size_t colon = std::min(text.find(':'), text.size());
  StudyPair pair{text.substr(0, colon), text.substr(std::min(colon + 1, text.size()))};
  if (!has(devices, pair.a) || !has(devices, pair.b))
    top.problem(key, fmt::format("'{}' must name two [[device]]s as A:B, of {}", text, join(devices, ", ")));
  return pair;
}

// All frameworks in the file's order, unless it says otherwise.
std::vector<std::string> read_order(TableReader& top, const char* key,
                                    const std::vector<StudyFramework>& frameworks) {
  std::vector<std::string> names;
  for (const StudyFramework& one : frameworks) names.push_back(one.name);
  const std::vector<std::string> order = top.strings(key);
  for (const std::string& one : order) {
    if (!has(names, one) || std::count(order.begin(), order.end(), one) > 1)
      top.problem(key, fmt::format("'{}' must name a [[framework]], once: {}", one, join(names, ", ")));
  }
  return order.empty() ? names : order;
}

StudyLayout read_layout(TableReader& top, const std::vector<std::string>& devices,
                        const std::vector<StudyFramework>& frameworks) {
  StudyLayout out;
  out.main = read_pair(top, "main", top.string("main", top.has("device") ? "" : "gpu:tpu"), devices);
  if (top.has("newest")) out.newest = read_pair(top, "newest", top.string("newest"), devices);
  for (const std::string& one : top.strings("generations"))
    out.generations.push_back(read_pair(top, "generations", one, devices));
  out.tables = read_order(top, "tables", frameworks);
  out.figures = read_order(top, "figures", frameworks);
  return out;
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
  headline.printed = table.maybe_number("printed");
  table.finish();
  return headline;
}

using Row = std::vector<std::string>;

// The rows below the head, each as long as it.
Result<std::vector<Row>> read_rows(std::string_view csv, std::string_view file, std::string_view head) {
  auto rows = parse_csv(csv, file);
  if (!rows) return Error(AnalysisError::kBadData, rows.error().message());
  if (rows->empty() || join(rows->front(), ",") != head)
    return Error(AnalysisError::kBadData, fmt::format("{}: the columns are not {}", file, head));
  for (std::size_t i = 1; i < rows->size(); ++i) {
    if ((*rows)[i].size() == rows->front().size()) continue;
    return Error(AnalysisError::kBadData,
                 fmt::format("{}: row {}: another number of fields than the head", file, i + 1));
  }
  rows->erase(rows->begin());
  return std::move(*rows);
}

// What a row has from a field on: numbers or nothing.
Result<std::vector<std::optional<double>>> read_numbers(const Row& row, std::size_t from,
                                                        std::string_view file) {
  std::vector<std::optional<double>> out;
  for (std::size_t field = from; field < row.size(); ++field) {
    const std::optional<double> number = parse_double(row[field]);
    if (!row[field].empty() && (!number || !(*number >= 0))) {
      return Error(AnalysisError::kBadData,
                   fmt::format("{}: {}, {}: '{}' is no time or ratio", file, row[0], row[1], row[field]));
    }
    out.push_back(row[field].empty() ? std::nullopt : number);
  }
  return out;
}

std::optional<double> seconds_of(std::optional<double> milliseconds) {
  return milliseconds ? std::optional(*milliseconds * kMilli) : std::nullopt;
}

// One row per test file: framework, test, and a time in milliseconds, or nothing, per device.
Result<std::vector<StudyTimes>> read_times(std::string_view csv, std::string_view file,
                                           const std::vector<StudyDevice>& devices) {
  std::string head = "framework,test";
  for (const StudyDevice& device : devices) head += "," + device.column;
  const Result<std::vector<Row>> rows = read_rows(csv, file, head);
  if (!rows) return rows.error();
  std::vector<StudyTimes> out;
  for (const Row& row : *rows) {
    Result<std::vector<std::optional<double>>> times = read_numbers(row, 2, file);
    if (!times) return times.error();
    std::transform(times->begin(), times->end(), times->begin(), seconds_of);
    out.push_back({row[0], row[1], std::move(*times)});
  }
  return out;
}

Result<std::vector<StudyFunction>> read_functions(std::string_view csv, std::string_view file) {
  const Result<std::vector<Row>> rows = read_rows(
      csv, file, "framework,published_name,name_today,status_today,source,gpu_ms,tpu_ms,tpu_over_gpu");
  if (!rows) return rows.error();
  std::vector<StudyFunction> out;
  for (const Row& row : *rows) {
    const Result<std::vector<std::optional<double>>> numbers = read_numbers(row, 5, file);
    if (!numbers) return numbers.error();
    out.push_back({row[0], row[1], row[2], row[3], seconds_of((*numbers)[0]), seconds_of((*numbers)[1]),
                   (*numbers)[2]});
  }
  return out;
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
  for (TableReader& table : top.tables("device")) study.devices_timed_.push_back(read_device(table));
  if (study.devices_timed_.empty()) study.devices_timed_ = {{"gpu", "GPU", {}}, {"tpu", "TPU", {}}};
  const std::vector<std::string> keys = keys_of(study.devices_timed_);
  for (TableReader& table : top.tables("framework")) study.frameworks_.push_back(read_framework(table, keys));
  study.layout_ = read_layout(top, keys, study.frameworks_);
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

const StudyDevice& Study::main_device(StudySide side) const {
  const std::string& key = side == StudySide::kGpu ? layout_.main.a : layout_.main.b;
  return *std::find_if(devices_timed_.begin(), devices_timed_.end(),
                       [&](const StudyDevice& one) { return one.key == key; });
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
