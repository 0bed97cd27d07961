#include "seamark/catalog/names.h"

#include <algorithm>
#include <vector>

#include "seamark/base/text.h"

namespace seamark::catalog {

Names::Names(const Catalogue& catalogue) : catalogue_(catalogue) {
  std::size_t names = catalogue.functions.size();
  for (const CatalogueFunction& function : catalogue.functions) names += function.aliases.size();
  index_.reserve(names);
  for (std::size_t i = 0; i < catalogue.functions.size(); ++i) index_.emplace(catalogue.functions[i].name, i);
  for (std::size_t i = 0; i < catalogue.functions.size(); ++i) {
    for (const std::string& alias : catalogue.functions[i].aliases) index_.emplace(alias, i);
  }
}

std::optional<std::size_t> Names::find_exact(std::string_view name) const {
  const auto found = index_.find(name);
  return found == index_.end() ? std::nullopt : std::optional<std::size_t>(found->second);
}

std::optional<std::size_t> Names::find(std::string_view name) const {
  if (const auto exact = find_exact(name)) return exact;
  const std::size_t dot = name.rfind('.');
  if (dot == std::string_view::npos) return std::nullopt;
  const auto holder = find_exact(name.substr(0, dot));
  if (!holder || catalogue_.functions[*holder].kind != "class") return std::nullopt;
  const CatalogueFunction& cls = catalogue_.functions[*holder];
  const std::string method(name.substr(dot));
  if (const auto own = find_exact(cls.name + method)) return own;
  for (const std::string& base : cls.bases) {
    if (const auto inherited = find_exact(base + method)) return inherited;
  }
  return std::nullopt;
}

std::string hash_of_names(const Catalogue& catalogue) {
  std::vector<std::string_view> names;
  names.reserve(catalogue.functions.size());
  for (const CatalogueFunction& function : catalogue.functions) names.emplace_back(function.name);
  std::sort(names.begin(), names.end());
  return to_hex(fnv1a64(join(names, "\n")));
}

std::string_view public_version(std::string_view version) { return version.substr(0, version.find('+')); }

}  // namespace seamark::catalog
