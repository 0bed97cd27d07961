// What finds the functions that a file uses: by the rules of docs/usage.md, or as the study did.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>

#include "seamark/usage/scanner.h"
#include "seamark/usage/vocabulary.h"

namespace seamark::usage {

// One a thread. Numbers names as it meets them.
class NameFinder {
 public:
  virtual ~NameFinder() = default;
  // Never fails, whatever the bytes. Valid until the next call. `framed`: see SourceFile.
  virtual const FileUsage& scan(std::string_view text, bool framed) = 0;
  [[nodiscard]] virtual std::string_view name(std::uint32_t number) const = 0;
  [[nodiscard]] virtual std::uint32_t framework_of(std::uint32_t number) const = 0;
};

using MakeFinder = std::function<std::unique_ptr<NameFinder>()>;

// The rules of docs/usage.md; `vocabulary` is borrowed by all that are made.
[[nodiscard]] MakeFinder resolving_finder(const Vocabulary& vocabulary);

}  // namespace seamark::usage
