#include "seamark/cli/shipped_usage.h"

#include "seamark/base/fd.h"
#include "seamark/base/text.h"
#include "seamark/cli/errors.h"
#include "seamark/sample/usage_file.h"

namespace seamark::cli {

Result<UsageFile> read_usage_file(const Context& context, const std::filesystem::path& file) {
  const Result<std::string> text = read_file(file);
  if (!text) return Error(CliError::kUsage, text.error().message(), "name a CSV that `seamark usage` wrote");
  Result<UsageTable> table = sample::parse_usage_csv(*text, file.native(), context.registry.frameworks());
  if (!table) return table.error();
  return UsageFile{std::move(*table), to_hex(fnv1a64(*text))};
}

std::filesystem::path shipped_usage(const Context& context) {
  return context.home / "data" / "usage" / "calls.csv";
}

}  // namespace seamark::cli
