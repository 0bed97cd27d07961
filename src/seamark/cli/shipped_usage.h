// How often functions are called, as a CSV of `seamark usage` says.
#pragma once

#include <filesystem>
#include <string>

#include "seamark/base/result.h"
#include "seamark/cli/context.h"
#include "seamark/model/usage.h"

namespace seamark::cli {

struct UsageFile {
  UsageTable table;
  std::string hash;  // of what it holds
};

// kUsage where it cannot be read.
Result<UsageFile> read_usage_file(const Context& context, const std::filesystem::path& file);
// The counts that ship with Seamark.
std::filesystem::path shipped_usage(const Context& context);

}  // namespace seamark::cli
