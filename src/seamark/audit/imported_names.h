// What a file imports, and whether only where something is there that is not everywhere.
#pragma once

#include <string_view>
#include <vector>

#include "seamark/audit/syntax.h"

namespace seamark::audit {

// The last part of a module, or a name out of one, that an import statement names.
struct ImportedName {
  std::string_view name;
  bool guarded = false;  // in a branch that is taken only where something is there that is not everywhere
};
// Of all imports but those for type checkers.
[[nodiscard]] std::vector<ImportedName> imported_names(const Syntax& syntax);

}  // namespace seamark::audit
