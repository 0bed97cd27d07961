// The functions that one version of a framework has and another lacks.
#pragma once

#include <string>
#include <vector>

#include "seamark/model/catalogue.h"

namespace seamark::catalog {

struct RenamedFunction {
  std::string from;  // a name of the old version that is gone
  std::string to;    // the canonical name, in the new version, of what it meant
};

struct DeprecatedFunction {
  std::string name;
  std::string why;
};

// All sorted by name. A function is the same in both when it has a name in common, or else when both say
// that it is the same thing of the same module, and no other function says so.
struct CatalogueDiff {
  std::vector<std::string> added;              // functions, canonical names
  std::vector<std::string> removed;            // names that are gone with what they meant
  std::vector<RenamedFunction> renamed;        // names that are gone, while what they meant has another
  std::vector<DeprecatedFunction> deprecated;  // functions or names that were not deprecated before
  std::vector<std::string> new_names;          // further names of functions that were there
  std::int64_t unchanged = 0;  // old names that mean the same function and are as deprecated as before
};

[[nodiscard]] CatalogueDiff diff(const Catalogue& before, const Catalogue& after);

}  // namespace seamark::catalog
