// data/catalog: per framework what counts as public and what can be tested (FRAMEWORK.toml), and the
// catalogues of the pinned versions as they were frozen (frozen.toml, and their names in FRAMEWORK.txt).
// Keys of FRAMEWORK.toml:
//   root, owners             modules to start from and what users call them; packages whose objects count
//   discover                 import the submodules that are on disk
//   modules = "by-path"      follow modules by attribute, those whose __name__ begins with one of
//   module_prefixes            these
//   prefer, avoid            globs for the choice among names; in `avoid` the worst comes last
//   function_types           types whose instances are functions; other callable objects are `callable`
//   ufunc_types              the same of ufuncs
//   deprecated_docs          patterns of docstrings of deprecated functions
//   [[deprecated]]           names with a reason
//   [[exclude]]              names and modules left out, with the reason
//   [[extra]]                private, module or foreign names that count, as the study sampled them
//   declared                 where the wheel names kernels: torch-native-functions, tensorflow-kernels
//   suites                   whose cases cover functions, the curated one first
//   [[not_testable]]         names, kinds or both of which no case can be written, with the reason
//   [[implied]]              methods that the cases of their class cover, with the reason
//   rule_version             changes whenever a change of these may change a count
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
