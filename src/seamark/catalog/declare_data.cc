// What `declared` evidence is read from: rules, tables of kernels, the agent's rows.
#include <fmt/format.h>

#include <algorithm>
#include <system_error>
#include <utility>

#include "seamark/base/config.h"
#include "seamark/base/fd.h"
#include "seamark/base/text.h"
#include "seamark/catalog/declare.h"
#include "seamark/catalog/row.h"

namespace seamark::catalog {
namespace {

constexpr int kSchema = 2;
constexpr std::string_view kHeader = "op,device,dtypes";

DeclaredDevice read_device(TableReader& table) {
  DeclaredDevice device;
  device.name = table.need_string("name");
  device.family = table.need_string("family");
  device.key = table.need_string("key");
  device.also = table.strings("also");
  device.backend = table.need_string("backend");
  device.package = table.need_string("package");
  device.version = table.string("version");
  device.file = table.string("file");
  device.note = table.string("note");
  if (device.file.empty() != device.version.empty())
    table.problem("version", "a file and its version belong together");
  table.finish();
  return device;
}

void read_alternative(TableReader& table, DeclaredRules& rules) {
  const std::string op = table.need_string("operator");
  Alternative alternative;
  alternative.reason = table.need_string("reason");
  if (auto instead = table.table("instead")) {
    for (const DeclaredDevice& device : rules.devices) {
      if (instead->has(device.name)) alternative.instead[device.name] = instead->strings(device.name);
    }
    instead->finish();
  }
  if (alternative.instead.empty()) table.problem("instead", "what devices call instead is needed");
  table.finish();
  rules.alternatives[op] = std::move(alternative);
}

Result<DeclaredRules> parse_rules(std::string_view toml, std::string_view file) {
  Result<Value> document = parse_toml(toml, file);
  if (!document) return document.error();
  Problems problems(file);
  TableReader top(*document, problems);
  DeclaredRules rules;
  rules.framework = top.need_string("framework");
  for (TableReader& table : top.tables("device")) rules.devices.push_back(read_device(table));
  for (TableReader& table : top.tables("ignored")) {
    for (std::string& glob : table.strings("operators")) rules.ignored.push_back(std::move(glob));
    (void)table.need_string("reason");
    table.finish();
  }
  for (TableReader& table : top.tables("alternative")) read_alternative(table, rules);
  top.finish();
  if (Status status = problems.status(); !status) return status.error();
  return rules;
}

// Takes rows in their order.
class TraceReader {
 public:
  std::string take(const Value& value) {
    Row row(value);
    const std::string kind = row.text("row", true);
    if (!started_ && kind != "declared") return "is no beginning of a trace";
    if (ended_) return "comes after the end";
    if (kind == "declared") {
      if (started_) return "begins a second trace";
      if (row.count("schema") != kSchema) return "is of another schema";
      started_ = true;
      trace_.framework = row.text("framework", true);
      trace_.version = row.text("version", true);
      trace_.source = row.text("source");
    } else if (kind == "kernel") {
      const std::vector<std::string> keys = row.texts("keys");
      auto& kernels = trace_.kernels[row.text("op", true)];
      for (const std::string& key : keys) kernels.try_emplace(key);
    } else if (kind == "case") {
      trace_.cases.push_back({row.text("case", true), row.text("function", true), row.flag("host_only"),
                              row.texts("ops"), row.text("error"), row.text("dtype"), row.texts("typed")});
    } else if (kind == "dtypes") {
      trace_.listed[row.text("function", true)][row.text("device", true)] = {row.texts("named"),
                                                                             row.texts("missing")};
    } else if (kind == "end") {
      ended_ = true;
      cases_ = row.count("cases");
      kernels_ = row.count("kernels");
    } else {
      return fmt::format("is of an unknown kind '{}'", kind);
    }
    return row.problem();
  }

  Result<Trace> finish() {
    const bool whole = ended_ && std::cmp_equal(trace_.cases.size(), cases_) &&
                       std::cmp_equal(trace_.kernels.size(), kernels_);
    if (!whole) {
      return Error(CatalogError::kBadRow,
                   fmt::format("the trace is not whole: {} cases, {} kernels{}", trace_.cases.size(),
                               trace_.kernels.size(), ended_ ? "" : ", no end"));
    }
    return std::move(trace_);
  }

 private:
  Trace trace_;
  std::int64_t cases_ = 0;
  std::int64_t kernels_ = 0;
  bool started_ = false;
  bool ended_ = false;
};

}  // namespace

Result<Kernels> parse_kernels(std::string_view csv, std::string_view file) {
  Kernels kernels;
  std::size_t number = 0;
  const auto wrong = [&](std::string_view why) {
    return Error(CatalogError::kBadRules, fmt::format("{}:{}: {}", file, number, why), "reinstall seamark");
  };
  for (const std::string_view line : split_lines(csv)) {
    ++number;
    if (number == 1) {
      if (line != kHeader) return wrong(fmt::format("expected '{}'", kHeader));
      continue;
    }
    const std::vector<std::string_view> fields = split(line, ',');
    if (fields.size() != 3 || fields[0].empty() || fields[1].empty())
      return wrong("expected an operator, a device type and data types");
    KernelTypes& types = kernels[std::string(fields[0])][std::string(fields[1])];
    for (const std::string_view constraint : split(fields[2], ' ')) {
      if (constraint.empty()) continue;
      const std::size_t at = constraint.find('=');
      if (at == 0 || at == std::string_view::npos) return wrong("expected data types as T=float32|int32");
      for (const std::string_view type : split(constraint.substr(at + 1), '|'))
        types[std::string(constraint.substr(0, at))].emplace(type);
    }
  }
  if (kernels.empty()) return wrong("it names no kernel");
  return kernels;
}

Result<DeclaredRules> DeclaredRules::load(const std::filesystem::path& folder, std::string_view framework) {
  const std::filesystem::path file = folder / fmt::format("{}.toml", framework);
  std::error_code error;
  if (!std::filesystem::exists(file, error)) {
    return Error(CatalogError::kNoRules, fmt::format("{} names no kernels per device", framework),
                 fmt::format("`declared` evidence is for frameworks with a file in {}", folder.native()));
  }
  const Result<std::string> text = read_file(file);
  if (!text) return text.error();
  Result<DeclaredRules> rules = parse_rules(*text, file.string());
  if (!rules) return rules.error();
  for (DeclaredDevice& device : rules->devices) {
    if (device.file.empty()) continue;
    const std::filesystem::path table = folder / device.file;
    const Result<std::string> csv = read_file(table);
    if (!csv) return csv.error();
    Result<Kernels> kernels = parse_kernels(*csv, table.string());
    if (!kernels) return kernels.error();
    device.kernels = std::move(*kernels);
  }
  return rules;
}

Result<Trace> decode_trace(std::string_view lines) {
  TraceReader reader;
  std::size_t number = 0;
  for (const std::string_view line : split_lines(lines)) {
    ++number;
    if (trim(line).empty()) continue;
    const Result<Value> value = parse_json(line, kRowLimits);
    const std::string problem =
        value ? (value->is_object() ? reader.take(*value) : "is no object") : "is no JSON";
    if (!problem.empty()) {
      return Error(CatalogError::kBadRow,
                   fmt::format("line {} of the trace: it {}: {}", number, problem,
                               ellipsize(one_line(utf8_prefix(repair_utf8(line.substr(0, 400)), 160)), 120)));
    }
  }
  return reader.finish();
}

}  // namespace seamark::catalog
