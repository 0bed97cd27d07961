// Which catalogues `seamark usage` resolves names with.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "seamark/base/result.h"
#include "seamark/model/catalogue.h"
#include "seamark/store/store.h"

namespace seamark::cli {

struct UsageCatalogues {
  std::vector<Catalogue> catalogues;                         // one a framework
  std::map<std::string, std::string, std::less<>> versions;  // by framework
  std::vector<std::string> missing;                          // frameworks without one
};

// Of each framework the file's, else the store's newest version. What usage does not need is left out of
// them. kUsage: a file that is no catalogue, or two of one framework.
Result<UsageCatalogues> find_usage_catalogues(store::Store& store, std::span<const std::string> files,
                                              std::span<const std::string> frameworks);

// By the numbers in them: 2.10.0 is newer than 2.9.1; a final version than its candidates (2.0rc1).
[[nodiscard]] bool is_newer_version(std::string_view a, std::string_view b);

}  // namespace seamark::cli
