#include "seamark/analysis/devices.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "seamark/analysis/analysis_error.h"
#include "seamark/base/config.h"
#include "seamark/base/fd.h"
#include "seamark/base/value.h"
#include "seamark/model/target_name.h"

namespace seamark::analysis {

namespace {

Figure read_figure(TableReader& device, const char* key, double share) {
  Figure figure;
  std::optional<TableReader> table = device.table(key);
  if (!table) {
    figure.reason = "not known";
    return figure;
  }
  figure.value = table->maybe_number("value");
  figure.source = table->string("source");
  figure.reason = table->string("reason");
  if (figure.value && !(*figure.value > 0 && std::isfinite(*figure.value))) {
    table->problem("value", "must be a finite number above 0");
  }
  if (figure.value && figure.source.empty()) table->problem("source", "a figure needs its source");
  if (!figure.value && figure.reason.empty()) table->problem("reason", "no value and no reason for that");
  table->finish();
  if (figure.value) *figure.value *= share;
  return figure;
}

Device read_device(TableReader& table) {
  Device device;
  device.name = table.need_string("name");
  device.summary = table.string("summary");
  device.devices_per_chip = static_cast<int>(table.integer("devices_per_chip", 1, {.min = 1, .max = 64}));
  const double share = 1.0 / device.devices_per_chip;
  device.clock_hz = read_figure(table, "clock_hz", 1);
  device.bf16_flops = read_figure(table, "bf16_flops", share);
  device.tf32_flops = read_figure(table, "tf32_flops", share);
  device.f32_flops = read_figure(table, "f32_flops", share);
  device.hbm_bytes_per_s = read_figure(table, "hbm_bytes_per_s", share);
  device.hbm_bytes = read_figure(table, "hbm_bytes", share);
  table.finish();
  return device;
}

}  // namespace

const Figure& Device::peak_flops(std::string_view dtype) const {
  const bool wide = dtype.starts_with("f32") || dtype.starts_with("f64") || dtype.starts_with('c');
  return wide && tf32_flops.value ? tf32_flops : bf16_flops;
}

Result<Devices> Devices::parse(std::string_view toml, std::string_view file) {
  const Result<Value> document = parse_toml(toml, file);
  if (!document) return Error(AnalysisError::kBadData, document.error().message());
  Problems problems(file);
  TableReader top(*document, problems);
  Devices devices;
  for (TableReader& table : top.tables("device")) {
    Device device = read_device(table);
    const bool twice = std::any_of(devices.devices_.begin(), devices.devices_.end(),
                                   [&](const Device& other) { return other.name == device.name; });
    if (twice) table.problem("name", fmt::format("there are two devices '{}'", device.name));
    devices.devices_.push_back(std::move(device));
  }
  top.finish();
  if (Status status = problems.status(); !status) {
    return Error(AnalysisError::kBadData, status.error().message(), status.error().remedy());
  }
  return devices;
}

Result<Devices> Devices::load(const std::filesystem::path& file) {
  const Result<std::string> text = read_file(file);
  if (!text) {
    return Error(AnalysisError::kUnreadable, text.error().message(),
                 "the installation is not complete; set SEAMARK_HOME or install again");
  }
  return parse(*text, file.string());
}

const Device* Devices::of_target(std::string_view target) const {
  const Result<TargetName> name = TargetName::parse(target);
  if (!name || name->generation.empty()) return nullptr;
  const std::string wanted = name->family + "-" + name->generation;
  const auto found = std::find_if(devices_.begin(), devices_.end(),
                                  [&](const Device& device) { return device.name == wanted; });
  return found == devices_.end() ? nullptr : &*found;
}

}  // namespace seamark::analysis
