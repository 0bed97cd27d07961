#include "seamark/cli/catalogue_files.h"

#include <fmt/format.h>

#include "seamark/base/fd.h"
#include "seamark/catalog/rows.h"
#include "seamark/cli/errors.h"

namespace seamark::cli {

Result<Catalogue> read_catalogue(const std::string& file) {
  constexpr std::size_t kLargest = std::size_t{256} << 20;
  constexpr const char* kRemedy =
      "`seamark catalog --target FRAMEWORK/cpu --format jsonl -o FILE` writes a catalogue";
  const Result<std::string> text = read_file(file, kLargest);
  if (!text) return Error(CliError::kUsage, text.error().message(), kRemedy);
  Result<Catalogue> catalogue = catalog::decode_rows(*text);
  if (catalogue) return catalogue;
  return Error(CliError::kUsage, fmt::format("{}: {}", file, catalogue.error().message()), kRemedy);
}

Result<std::vector<Catalogue>> read_catalogues(std::span<const std::string> files) {
  std::vector<Catalogue> all;
  for (const std::string& file : files) {
    Result<Catalogue> catalogue = read_catalogue(file);
    if (!catalogue) return catalogue.error();
    const std::string& framework = catalogue->head.framework;
    for (const Catalogue& other : all) {
      if (other.head.framework != framework) continue;
      return Error(CliError::kUsage, fmt::format("{} is a second catalogue of {}", file, framework),
                   "give one of each framework");
    }
    all.push_back(std::move(*catalogue));
  }
  return all;
}

}  // namespace seamark::cli
