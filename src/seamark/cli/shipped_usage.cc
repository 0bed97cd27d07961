#include "seamark/cli/shipped_usage.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "seamark/base/fd.h"
#include "seamark/base/text.h"
#include "seamark/cli/errors.h"
#include "seamark/sample/usage_file.h"

namespace seamark::cli {
namespace {

Result<UsageSource> of_file(const Context& context, const std::filesystem::path& file,
                            std::string_view name) {
  Result<UsageFile> usage = read_usage_file(context, file);
  if (!usage) return usage.error();
  // What it holds decides, not where it lies.
  return UsageSource{std::move(usage->table), fmt::format("{} ({})", name, usage->hash)};
}

Result<UsageSource> shipped(const Context& context) {
  return of_file(context, shipped_usage(context), kShippedUsage);
}

Result<UsageSource> corpus(store::Store& store, const std::optional<std::string>& label) {
  Result<UsageTable> table = store.usage(label);
  if (!table) return table.error();
  std::string name = fmt::format("corpus {}", table->corpus);
  return UsageSource{std::move(*table), std::move(name)};
}

}  // namespace

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

Result<UsageSource> usage_for(const Context& context, store::Store& store, const std::string& wanted) {
  if (wanted == kShippedUsage) return shipped(context);
  std::error_code error;
  if (!wanted.empty() && std::filesystem::is_regular_file(wanted, error)) {
    return of_file(context, wanted, std::filesystem::path(wanted).filename().native());
  }
  const Result<std::vector<store::UsageCorpus>> corpora = store.usage_corpora();
  if (!corpora) return corpora.error();
  if (wanted.empty()) return corpora->empty() ? shipped(context) : corpus(store, std::nullopt);
  std::vector<std::string> labels;
  for (const store::UsageCorpus& one : *corpora) labels.push_back(one.label);
  if (std::find(labels.begin(), labels.end(), wanted) != labels.end()) return corpus(store, wanted);
  return Error(
      CliError::kUnknownName,
      fmt::format("'{}' is no file, and {} holds no corpus of that name", wanted, store.file().native()),
      labels.empty() ? "leave --usage out, or count one with `seamark usage`"
                     : "it holds: " + join(labels, ", "));
}

}  // namespace seamark::cli
