// Finds the functions that a file uses: by rules.md, or as the study did.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>
#include <vector>

#include "seamark/model/usage.h"
#include "seamark/usage/scan/lexer.h"

namespace seamark::usage {

// One function of one file.
struct NameCount {
  std::uint32_t name = 0;  // NameFinder::name()
  UsageTier tier = UsageTier::kResolved;
  std::uint32_t calls = 0;
  std::uint32_t references = 0;
};

// One use of a function, a class or anything else below a framework.
struct Use {
  std::uint32_t name =
      0;  // the function that it counts for: NameFinder::name(); kNoName: a module, a constant
  std::uint32_t written = 0;  // the qualified name as imports and bindings have it: likewise
  UsageTier tier = UsageTier::kResolved;
  bool call = false;
  std::uint32_t begin = 0;  // of its chain in FileUsage::text, and behind it
  std::uint32_t end = 0;
};
inline constexpr std::uint32_t kNoName = 0xffffffff;

// Views hold until the next scan().
struct FileUsage {
  std::vector<NameCount> names;        // each (name, tier) once
  std::uint32_t frameworks = 0;        // bit i: the file imports Vocabulary::frameworks()[i]
  std::uint32_t unresolved_stars = 0;  // star imports of a framework that no catalogue resolves
  // Where uses are asked for: what was scanned (line ends are \n, kTextMargin newlines before and behind it),
  // and every use in it, in no order. Of the tier possible, those at the lower bound.
  std::string_view text{};      // NOLINT(readability-redundant-member-init): aggregates leave it out
  std::vector<Use> uses{};      // NOLINT(readability-redundant-member-init)
  std::vector<Token> tokens{};  // NOLINT(readability-redundant-member-init): of the text; empty: not read
};

// One a thread. Numbers names as it meets them.
class NameFinder {
 public:
  virtual ~NameFinder() = default;
  // Never fails, whatever the bytes. Valid until the next call. `framed`: see SourceFile.
  virtual const FileUsage& scan(std::string_view text, bool framed) = 0;
  [[nodiscard]] virtual std::string_view name(std::uint32_t number) const = 0;
  // Index into Vocabulary::frameworks().
  [[nodiscard]] virtual std::uint32_t framework_of(std::uint32_t number) const = 0;
};

using MakeFinder = std::function<std::unique_ptr<NameFinder>()>;

}  // namespace seamark::usage
