// data/catalog: per framework what counts as public and what can be tested (FRAMEWORK.toml), and the
// catalogues of the pinned versions as they were frozen (frozen.toml, and their names in FRAMEWORK.txt). The
// form is in docs/catalog.md.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "seamark/base/result.h"
#include "seamark/base/value.h"
#include "seamark/catalog/catalog_error.h"

namespace seamark::catalog {

struct NotTestable {
  std::vector<std::string> names;  // globs; empty: any
  std::vector<std::string> kinds;  // empty: any
  std::string reason;
};

// A case of a class exercises these methods of it.
struct Implied {
  std::vector<std::string> names;  // globs of methods
  std::string reason;
};

struct Frozen {
  std::string framework;
  std::string version;
  std::int64_t rule_version = 0;
  std::int64_t functions = 0;
  std::int64_t deprecated = 0;
  std::int64_t flat = 0;
  std::string names_hash;  // hash_of_names()
};

struct Rules {
  std::string framework;
  std::int64_t rule_version = 0;
  std::string study_version;
  std::int64_t study_functions = 0;
  std::vector<std::string> suites;  // whose cases cover functions; the first is the curated one
  std::vector<NotTestable> not_testable;
  std::vector<Implied> implied;
  std::vector<Frozen> frozen;  // of this framework
  Value document;              // the whole file, for the agent

  // kBadRules, or what reading a file or TOML says.
  static Result<Rules> load(const std::filesystem::path& folder, std::string_view framework);
  static Result<Rules> parse(std::string_view toml, std::string_view file);
  // Of a version without its local part; nullptr: not frozen.
  [[nodiscard]] const Frozen* frozen_for(std::string_view version) const;
};

// Every name of a framework's frozen catalogue, and every function of suites beyond it.
Result<std::vector<std::string>> shipped_names(const std::filesystem::path& folder,
                                               std::string_view framework);
// The same where the catalogue of that version is frozen; else none.
Result<std::vector<std::string>> frozen_names(const std::filesystem::path& folder, std::string_view framework,
                                              std::string_view version);

Result<std::vector<Frozen>> parse_frozen(std::string_view toml, std::string_view file);

}  // namespace seamark::catalog
