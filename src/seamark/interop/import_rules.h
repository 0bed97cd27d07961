// data/import/rules.toml: what the frameworks' tests call devices, dtypes and operators.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "seamark/base/result.h"
#include "seamark/interop/external.h"
#include "seamark/model/frameworks.h"
#include "seamark/model/target_name.h"

namespace seamark::interop {

// What tests call devices: those of a target, and any of its framework's.
struct DeviceNames {
  std::vector<std::string> own;
  std::vector<std::string> all;
};

struct ImportRules {
  Frameworks frameworks;
  // By framework and family of targets.
  std::map<std::string, std::map<std::string, std::vector<std::string>>, std::less<>> devices;
  std::vector<std::string> array_classes;
  std::vector<std::string> comparison;
  std::vector<std::string> timeout;
  std::vector<std::string> crash;
  std::map<std::string, std::string, std::less<>> dtypes;                  // float32: f32
  std::map<std::string, std::vector<std::string>, std::less<>> templates;  // by framework

  [[nodiscard]] DeviceNames device_names(const TargetName& target) const;

  // kBadRules.
  static Result<ImportRules> load(const std::filesystem::path& file, const Frameworks& frameworks);
  static Result<ImportRules> parse(std::string_view toml, std::string_view file,
                                   const Frameworks& frameworks);
};

// What a test's name says beside which function it tests.
struct NameFacts {
  std::string dtype;   // f32; empty: it does not say
  std::string device;  // that it runs on, as the test calls it: xla; empty: it does not say
  TestName joined;     // without the target's device, so that two devices' tests are one case
  std::string bare;    // the function's name without parameters, device and dtype: test_out_add

  [[nodiscard]] bool is_of_another(const DeviceNames& devices) const;
};
NameFacts facts_of(const ExternalTest& test, const ImportRules& rules, const DeviceNames& devices);

// A failed test's error: the crash message where there is one, and the whole representation. Sets the
// outcome too: pytest-timeout's is a timeout, a dead worker's a crash.
void tell_failure(ExternalTest& test, std::string_view stage, std::string_view message,
                  std::string_view longrepr, const ImportRules& rules);

}  // namespace seamark::interop
