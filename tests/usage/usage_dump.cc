// Prints what the scanner counts in single files, for comparison with another implementation of the same
// rules.
//
//   printf '%s\0' FILE... | usage_dump [--data FOLDER] [--catalogue FILE.jsonl]...
//
// One line a file: {"path":..., "frameworks":[...], "stars":N, "names":[[NAME, TIER, CALLS,
// REFERENCES],...]}, the names sorted. A file that cannot be read is told on the standard error.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <iostream>
#include <iterator>
#include <string>
#include <tuple>
#include <vector>

#include "seamark/base/fd.h"
#include "seamark/base/text.h"
#include "seamark/base/value.h"
#include "seamark/catalog/rows.h"
#include "seamark/usage/scan/scanner.h"

namespace {

using namespace seamark;

std::string json_text(std::string_view text) { return dump_json(Value(repair_utf8(text))); }

std::string line_of(const std::string& path, const usage::Vocabulary& vocabulary,
                    const usage::Scanner& scanner, const usage::FileUsage& counted) {
  std::vector<std::string> frameworks;
  for (std::size_t i = 0; i < vocabulary.frameworks().size(); ++i) {
    if ((counted.frameworks >> i & 1) != 0) frameworks.push_back(json_text(vocabulary.frameworks()[i].name));
  }
  std::vector<std::tuple<std::string_view, UsageTier, std::uint32_t, std::uint32_t>> rows;
  for (const usage::NameCount& one : counted.names) {
    rows.emplace_back(scanner.name(one.name), one.tier, one.calls, one.references);
  }
  std::sort(rows.begin(), rows.end());
  std::vector<std::string> names;
  for (const auto& [name, tier, calls, references] : rows) {
    names.push_back(fmt::format("[{},\"{}\",{},{}]", json_text(name), name_of(tier), calls, references));
  }
  return fmt::format("{{\"path\":{},\"frameworks\":[{}],\"stars\":{},\"names\":[{}]}}\n", json_text(path),
                     join(frameworks, ","), counted.unresolved_stars, join(names, ","));
}

bool load_catalogue(const std::string& file, std::vector<Catalogue>& catalogues) {
  const Result<std::string> rows = read_file(file);
  Result<Catalogue> catalogue = rows ? catalog::decode_rows(*rows) : Result<Catalogue>(rows.error());
  if (!catalogue) {
    std::cerr << file << ": " << catalogue.error().message() << "\n";
    return false;
  }
  catalogues.push_back(std::move(*catalogue));
  return true;
}

int dump(const std::vector<std::string>& args) {
  std::string data = std::string(SEAMARK_SOURCE_DIR) + "/data/usage";
  std::vector<Catalogue> catalogues;
  for (std::size_t i = 1; i + 1 < args.size(); i += 2) {
    if (args[i] == "--data") data = args[i + 1];
    if (args[i] == "--catalogue" && !load_catalogue(args[i + 1], catalogues)) return 2;
  }
  const Result<usage::Vocabulary> vocabulary = usage::Vocabulary::load(data, catalogues);
  if (!vocabulary) {
    std::cerr << vocabulary.error().message() << "\n";
    return 2;
  }
  usage::Scanner scanner(*vocabulary, true);
  std::cin >> std::noskipws;
  for (std::string path; std::getline(std::cin, path, '\0');) {
    const Result<std::string> text = read_file(path);
    if (!text) {
      std::cerr << text.error().message() << "\n";
      continue;
    }
    std::cout << line_of(path, *vocabulary, scanner,
                         scanner.scan(is_utf8(*text) ? *text : repair_utf8(*text), false));
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) try {
  return dump(std::vector<std::string>(argv, argv + argc));
} catch (const std::exception& error) {
  std::fputs(error.what(), stderr);
  return 2;
}
