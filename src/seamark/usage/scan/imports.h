// A quick look for imports of frameworks, before a file is read: in strings and comments too, so that it
// finds too much rather than too little.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "seamark/usage/resolve/tables.h"

namespace seamark::usage {

// Whether one of the frameworks may be imported. `names`: what such imports bind.
bool find_imports(std::string_view text, const Vocabulary::Tables& tables,
                  std::vector<std::string_view>& names);

}  // namespace seamark::usage
