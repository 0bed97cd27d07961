// data/import/rules.toml: what the frameworks' tests call devices, dtypes and operators.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "seamark/base/result.h"
#include "seamark/interop/foreign.h"

namespace seamark::interop {

struct ImportRules {
  std::vector<std::string> devices;
  std::vector<std::string> array_classes;
  std::vector<std::string> comparison;
  std::vector<std::string> timeout;
  std::vector<std::string> crash;
  std::map<std::string, std::string, std::less<>> dtypes;                  // float32: f32
  std::map<std::string, std::vector<std::string>, std::less<>> templates;  // by framework

  static Result<ImportRules> load(const std::filesystem::path& file);  // kBadRules
  static Result<ImportRules> parse(std::string_view toml, std::string_view file);
};

// What a test's name says beside which function it tests.
struct NameFacts {
  std::string dtype;  // f32; empty: it does not say
  TestName joined;    // without its device, so that two devices' tests are one case
  std::string bare;   // the function's name without parameters, device and dtype: test_out_add
};
NameFacts facts_of(const TestName& name, const ImportRules& rules);

// A failed test's error: the crash message where there is one, and the whole representation. Sets the
// outcome too: pytest-timeout's is a timeout, a dead worker's a crash.
void tell_failure(ForeignTest& test, std::string_view stage, std::string_view message,
                  std::string_view longrepr, const ImportRules& rules);

}  // namespace seamark::interop
