// One row per attempt, as CSV (RFC 4180) or JSON lines. The columns are store/attempt_columns.h's.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "seamark/base/result.h"
#include "seamark/classify/rules.h"
#include "seamark/interop/interop_error.h"
#include "seamark/model/format.h"
#include "seamark/store/records.h"
#include "seamark/store/store.h"

namespace seamark::interop {

struct ExportOptions {
  store::RunChoice run;
  std::vector<std::string> targets;  // exact names; empty: all
  std::string function;              // exact name; empty: all
  Format format = Format::kCsv;      // kCsv or kJsonl
};

// Writes `output` as FileWriter does. Returns the number of rows (attempts). Errors are the store's, or this
// room's.
Result<std::int64_t> export_attempts(store::Store& store, const classify::RuleSet& rules,
                                     const ExportOptions& options, const std::filesystem::path& output);

}  // namespace seamark::interop
