#include "seamark/cli/usage_catalogues.h"

#include <fmt/format.h>

#include <algorithm>
#include <compare>
#include <cstdint>
#include <optional>
#include <utility>

#include "seamark/base/text.h"
#include "seamark/catalog/names.h"
#include "seamark/cli/catalogue_files.h"
#include "seamark/cli/errors.h"

namespace seamark::cli {
namespace {

// Three catalogues with all their texts are more than everything else that counting holds.
void keep_names(Catalogue& catalogue) {
  for (CatalogueFunction& function : catalogue.functions) {
    for (std::string* text : {&function.signature, &function.signature_from, &function.signature_reason,
                              &function.note, &function.deprecated, &function.qualname}) {
      std::string().swap(*text);
    }
  }
}

std::optional<std::string> newest_of(const std::vector<CatalogueHead>& heads, std::string_view framework) {
  const CatalogueHead* newest = nullptr;
  for (const CatalogueHead& head : heads) {
    if (head.framework != framework) continue;
    if (newest == nullptr || is_newer_version(head.version, newest->version)) newest = &head;
  }
  return newest != nullptr ? std::optional(newest->version) : std::nullopt;
}

// One number or word of a version.
struct Part {
  bool is_number = false;
  std::int64_t number = 0;
  std::string_view word;
};

Part take_part(std::string_view& text) {
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  while (!text.empty() && (text.front() == '.' || text.front() == '-')) text.remove_prefix(1);
  if (text.empty()) return {};
  const bool number = is_digit(text.front());
  std::size_t end = 0;
  while (end < text.size() && text[end] != '.' && text[end] != '-' && is_digit(text[end]) == number) ++end;
  const std::string_view part = text.substr(0, end);
  text.remove_prefix(end);
  return {number, number ? parse_int(part).value_or(0) : 0, part};
}

}  // namespace

bool is_newer_version(std::string_view a, std::string_view b) {
  a = catalog::public_version(a);
  b = catalog::public_version(b);
  while (!a.empty() || !b.empty()) {
    const Part left = take_part(a);
    const Part right = take_part(b);
    // A number comes after nothing, and nothing after a word.
    const auto rank = [](const Part& part) { return part.is_number ? 2 : part.word.empty() ? 1 : 0; };
    if (rank(left) != rank(right)) {
      // 2.0 and 2.0.0 are one version.
      const Part& longer = rank(left) > rank(right) ? left : right;
      if (longer.is_number && longer.number == 0 && rank(left) + rank(right) == 3) continue;
      return rank(left) > rank(right);
    }
    if (left.number != right.number) return left.number > right.number;
    if (!left.is_number && left.word != right.word) return left.word > right.word;
  }
  return false;
}

Result<UsageCatalogues> find_usage_catalogues(store::Store& store, std::span<const std::string> files,
                                              std::span<const std::string> frameworks) {
  UsageCatalogues found;
  const auto add = [&found](Catalogue catalogue) {
    found.versions[catalogue.head.framework] = catalogue.head.version;
    found.catalogues.push_back(std::move(catalogue));
  };
  Result<std::vector<Catalogue>> given = read_catalogues(files);
  if (!given) return given.error();
  for (Catalogue& catalogue : *given) {
    const std::string& framework = catalogue.head.framework;
    if (std::find(frameworks.begin(), frameworks.end(), framework) == frameworks.end()) {
      return Error(CliError::kUsage, fmt::format("a catalogue of {}, which usage does not know", framework),
                   fmt::format("known: {}", join(frameworks, ", ")));
    }
    keep_names(catalogue);
    add(std::move(catalogue));
  }
  const Result<std::vector<CatalogueHead>> heads = store.catalogues();
  if (!heads) return heads.error();
  for (const std::string& framework : frameworks) {
    if (found.versions.contains(framework)) continue;
    const std::optional<std::string> version = newest_of(*heads, framework);
    if (!version) {
      found.missing.push_back(framework);
      continue;
    }
    Result<Catalogue> catalogue = store.catalogue_names(framework, *version);
    if (!catalogue) return catalogue.error();
    add(std::move(*catalogue));
  }
  return found;
}

}  // namespace seamark::cli
