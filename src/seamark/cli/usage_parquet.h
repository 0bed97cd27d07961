// Usage as Parquet, through the helper process in Seamark's own Python.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "seamark/base/result.h"

namespace seamark::cli {

// The bytes of a Parquet file with the columns of usage_csv(). usage::UsageError::kHelper: no such Python, or
// none with pyarrow.
Result<std::string> usage_parquet(const std::filesystem::path& home, std::string_view csv);

}  // namespace seamark::cli
