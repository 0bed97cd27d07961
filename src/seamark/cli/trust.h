// Which configs that were found the user trusts: `seamark trust`.
#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

#include "seamark/base/result.h"

namespace seamark::cli {

struct TrustedFile {
  std::filesystem::path file;
  bool changed = false;  // since it was trusted, or it is gone: it is not trusted as it is now
};

// A file for each, named by the SHA-256 of the config's path and text; it holds the path. The path is
// absolute, with the links of its folders resolved: a link to a trusted config elsewhere has another.
class TrustList {
 public:
  // Of the user's state folder (user_state_dir()).
  static TrustList of_user();
  explicit TrustList(std::filesystem::path folder) : folder_(std::move(folder)) {}

  [[nodiscard]] bool holds(const std::filesystem::path& config, std::string_view text) const;
  // In place of what was said of the path before. kEnvironment where the user has no home.
  Status add(const std::filesystem::path& config, std::string_view text) const;
  // False: it was not trusted.
  Result<bool> remove(const std::filesystem::path& config) const;
  // By path.
  [[nodiscard]] Result<std::vector<TrustedFile>> all() const;

 private:
  [[nodiscard]] std::filesystem::path entry(const std::filesystem::path& config, std::string_view text) const;

  std::filesystem::path folder_;  // empty: none
};

}  // namespace seamark::cli
