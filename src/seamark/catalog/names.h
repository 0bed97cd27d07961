// From any name that users write to the function behind it.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "seamark/model/catalogue.h"

namespace seamark::catalog {

class Names {
 public:
  // Borrows the catalogue.
  explicit Names(const Catalogue& catalogue);

  // The index in catalogue.functions. A name is canonical, an alias, or CLASS.METHOD where CLASS is any name
  // of a class that has or inherits METHOD. nullopt: unknown.
  [[nodiscard]] std::optional<std::size_t> find(std::string_view name) const;
  // Only names that the catalogue spells out.
  [[nodiscard]] std::optional<std::size_t> find_exact(std::string_view name) const;

 private:
  const Catalogue& catalogue_;
  std::unordered_map<std::string_view, std::size_t> index_;
};

// FNV-1a over the sorted canonical names, one a line; as 16 hex digits.
[[nodiscard]] std::string hash_of_names(const Catalogue& catalogue);

// Without a local part: "2.13.0+cpu" is 2.13.0.
[[nodiscard]] std::string_view public_version(std::string_view version);

}  // namespace seamark::catalog
