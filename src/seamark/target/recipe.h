// Environment recipes (data/environments/*.toml): exact packages that make an interpreter with one
// framework.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "seamark/base/result.h"
#include "seamark/target/target_error.h"

namespace seamark::target {

struct Recipe {
  std::string name;
  std::string framework;
  std::string summary;
  std::vector<std::string> pythons;   // "3.11", best first
  std::vector<std::string> systems;   // "Linux-x86_64"; empty: any
  bool prefer_headers = false;        // an interpreter with Python.h before one without
  std::vector<std::string> packages;  // pinned requirements, the framework first
  std::vector<std::string> sources;   // names of them that are published as source alone (pure Python)
  std::vector<std::string> refuse;    // globs of packages that must never come
  std::string cpu_index;              // asked as well when they would
  std::string verify;                 // Python that must run afterwards
  std::int64_t download_mib = 0;      // about, told beforehand
  std::int64_t disk_mib = 0;
  double minutes = 0;

  // What pip is asked for: wheels, but for `sources`.
  [[nodiscard]] std::vector<std::string> pip_arguments() const;
  // 12 hex digits over what decides the content.
  [[nodiscard]] std::string hash() const;
};

class Recipes {
 public:
  Recipes() = default;
  // All *.toml of a folder, by name. kUnreadable, kBadEntry.
  static Result<Recipes> load(const std::filesystem::path& folder);
  static Result<Recipe> parse(std::string_view toml, std::string_view file);

  [[nodiscard]] const std::vector<Recipe>& all() const { return recipes_; }
  [[nodiscard]] const Recipe* find(std::string_view name) const;
  // kUnknownEnvironment with the nearest name.
  [[nodiscard]] Result<const Recipe*> need(std::string_view name) const;

 private:
  std::vector<Recipe> recipes_;
};

}  // namespace seamark::target
