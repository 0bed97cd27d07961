// How often functions are called, as a CSV of `seamark usage` or a corpus of a store says.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "seamark/base/result.h"
#include "seamark/cli/context.h"
#include "seamark/model/usage.h"
#include "seamark/store/store.h"

namespace seamark::cli {

struct UsageFile {
  UsageTable table;
  std::string hash;  // of what it holds
};

// kUsage where it cannot be read.
Result<UsageFile> read_usage_file(const Context& context, const std::filesystem::path& file);
// The counts that ship with Seamark.
std::filesystem::path shipped_usage(const Context& context);

inline constexpr std::string_view kShippedUsage = "shipped";

struct UsageSource {
  UsageTable table;
  std::string name;  // as a sample records it: no path of this machine
};

// `wanted`: kShippedUsage, a file, or a corpus of the store; empty: the store's latest, else what is shipped.
Result<UsageSource> usage_for(const Context& context, store::Store& store, const std::string& wanted);

}  // namespace seamark::cli
