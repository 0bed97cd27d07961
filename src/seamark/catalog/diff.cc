#include "seamark/catalog/diff.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "seamark/catalog/names.h"

namespace seamark::catalog {
namespace {

using Home = std::pair<std::string_view, std::string_view>;  // defining module, name within it

std::vector<std::string_view> names_of(const CatalogueFunction& function) {
  std::vector<std::string_view> names = {function.name};
  names.insert(names.end(), function.aliases.begin(), function.aliases.end());
  return names;
}

// Functions by where they are defined, where only one is defined there.
std::map<Home, std::size_t> unique_homes(const Catalogue& catalogue) {
  std::map<Home, std::size_t> homes;
  std::set<Home> shared;
  for (std::size_t i = 0; i < catalogue.functions.size(); ++i) {
    const CatalogueFunction& function = catalogue.functions[i];
    if (function.module.empty() || function.qualname.empty()) continue;
    const Home home(function.module, function.qualname);
    if (!homes.emplace(home, i).second) shared.insert(home);
  }
  for (const Home& home : shared) homes.erase(home);
  return homes;
}

// The last part of a name that says more than `wrapper` or `<lambda>` would.
bool shares_last_part(const CatalogueFunction& a, const CatalogueFunction& b) {
  const auto last = [](std::string_view name) { return name.substr(name.rfind('.') + 1); };
  std::set<std::string_view> parts;
  for (std::string_view name : names_of(a)) parts.insert(last(name));
  if (!a.qualname.empty()) parts.insert(last(a.qualname));
  const std::vector<std::string_view> others = names_of(b);
  return std::any_of(others.begin(), others.end(),
                     [&](std::string_view name) { return parts.contains(last(name)); });
}

// For each old function the new one that it became.
std::vector<std::optional<std::size_t>> match(const Catalogue& before, const Catalogue& after,
                                              const Names& new_names) {
  std::vector<std::optional<std::size_t>> partner(before.functions.size());
  std::set<std::size_t> taken;
  for (std::size_t i = 0; i < before.functions.size(); ++i) {
    for (std::string_view name : names_of(before.functions[i])) {
      partner[i] = new_names.find_exact(name);
      if (partner[i]) break;
    }
    if (partner[i]) taken.insert(*partner[i]);
  }
  const std::map<Home, std::size_t> old_homes = unique_homes(before);
  const std::map<Home, std::size_t> new_homes = unique_homes(after);
  for (const auto& [home, i] : old_homes) {
    const auto found = new_homes.find(home);
    if (partner[i] || found == new_homes.end() || taken.contains(found->second)) continue;
    if (!shares_last_part(before.functions[i], after.functions[found->second])) continue;
    partner[i] = found->second;
    taken.insert(found->second);
  }
  return partner;
}

bool deprecates(const CatalogueFunction& function, std::string_view name) {
  const auto& names = function.deprecated_aliases;
  return !function.deprecated.empty() || std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

CatalogueDiff diff(const Catalogue& before, const Catalogue& after) {
  CatalogueDiff out;
  const Names old_names(before);
  const Names new_names(after);
  const std::vector<std::optional<std::size_t>> partner = match(before, after, new_names);
  std::set<std::size_t> had;
  for (std::size_t i = 0; i < before.functions.size(); ++i) {
    const CatalogueFunction& old = before.functions[i];
    if (partner[i]) had.insert(*partner[i]);
    for (std::string_view name : names_of(old)) {
      // A method may have moved to a base: it can still be called by its old name.
      const std::optional<std::size_t> now = new_names.find(name);
      if (now) {
        const CatalogueFunction& function = after.functions[*now];
        if (!deprecates(old, name) && deprecates(function, name)) {
          out.deprecated.push_back({std::string(name), function.deprecated});
        } else {
          ++out.unchanged;
        }
      } else if (partner[i]) {
        out.renamed.push_back({std::string(name), after.functions[*partner[i]].name});
      } else {
        out.removed.emplace_back(name);
      }
    }
  }
  std::set<std::string_view> said;  // as the new name of something
  for (const RenamedFunction& row : out.renamed) said.insert(row.to);
  for (std::size_t i = 0; i < after.functions.size(); ++i) {
    const CatalogueFunction& function = after.functions[i];
    if (!had.contains(i)) {
      if (!old_names.find(function.name)) out.added.push_back(function.name);
      continue;
    }
    for (std::string_view name : names_of(function)) {
      if (!old_names.find(name) && !said.contains(name)) out.new_names.emplace_back(name);
    }
  }
  std::sort(out.removed.begin(), out.removed.end());
  std::sort(out.new_names.begin(), out.new_names.end());
  std::sort(out.renamed.begin(), out.renamed.end(),
            [](const auto& a, const auto& b) { return a.from < b.from; });
  std::sort(out.deprecated.begin(), out.deprecated.end(),
            [](const auto& a, const auto& b) { return a.name < b.name; });
  return out;
}

}  // namespace seamark::catalog
