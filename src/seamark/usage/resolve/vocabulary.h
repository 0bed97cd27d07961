// What the scanner knows beforehand: the frameworks' roots, what factories give, and, with catalogues, every
// name of every function. Read once, shared by all threads.
#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "seamark/base/result.h"
#include "seamark/model/catalogue.h"
#include "seamark/model/frameworks.h"
#include "seamark/usage/usage_error.h"

namespace seamark::usage {

// Of a qualified name: relu of torch.relu.
[[nodiscard]] inline std::string_view last_part(std::string_view qualified) {
  return qualified.substr(qualified.rfind('.') + 1);  // npos + 1 is 0
}

class Vocabulary {
 public:
  // `folder` is data/usage, beside data/frameworks.toml; at most one catalogue a framework. kBadRules.
  static Result<Vocabulary> load(const std::filesystem::path& folder, std::vector<Catalogue> catalogues = {});
  Vocabulary(Vocabulary&&) noexcept;
  Vocabulary& operator=(Vocabulary&&) noexcept;
  ~Vocabulary();

  // Of other frameworks than those that it has catalogues of. Of a function, name, aliases, kind and bases
  // are used.
  void add(std::vector<Catalogue> catalogues);

  [[nodiscard]] std::span<const Framework> frameworks() const;
  // Equal for two that count alike: rules and catalogues, 16 hex digits.
  [[nodiscard]] std::string hash() const;

  class Tables;
  [[nodiscard]] const Tables& tables() const { return *tables_; }

 private:
  explicit Vocabulary(std::unique_ptr<Tables> tables);
  std::unique_ptr<Tables> tables_;
};

}  // namespace seamark::usage
