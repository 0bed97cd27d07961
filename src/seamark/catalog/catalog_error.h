// The errors of the catalog room.
#pragma once

#include <string_view>

namespace seamark::catalog {

enum class CatalogError {
  kBadRow = 1,    // a line that is no row of a catalogue, or a catalogue that is not whole
  kBadRules = 2,  // data/catalog, data/declared
  kNoRules = 3,   // there is no data/declared/FRAMEWORK.toml
};
constexpr std::string_view room_of(CatalogError) { return "catalog"; }

}  // namespace seamark::catalog
