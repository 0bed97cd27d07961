// Counts as the study did (docs/usage.md, "As the study counted"): in a file whose lines import a framework,
// every identifier that is the last part of the name of one of its functions.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "seamark/model/catalogue.h"
#include "seamark/usage/resolve/vocabulary.h"
#include "seamark/usage/scan/name_finder.h"

namespace seamark::usage {

// The last parts of all names of catalogues. Shared by all threads.
class BareNames {
 public:
  struct Name {
    std::string name;
    std::uint32_t framework = 0;  // index into frameworks()
  };

  // At most 32 frameworks.
  BareNames(std::vector<Framework> frameworks, std::span<const Catalogue> catalogues);

  [[nodiscard]] std::span<const Framework> frameworks() const { return frameworks_; }
  [[nodiscard]] const std::string& hash() const { return hash_; }  // equal for equal names, 16 hex digits
  [[nodiscard]] const Name& at(std::uint32_t number) const { return names_[number]; }
  [[nodiscard]] std::size_t size() const { return names_.size(); }
  // The numbers of a name, one per framework that has it; empty for none.
  [[nodiscard]] std::span<const std::uint32_t> find(std::string_view name) const;

 private:
  std::vector<Framework> frameworks_;
  std::vector<Name> names_;  // by name, then framework
  std::vector<std::uint32_t> numbers_;
  struct Range {
    std::uint32_t begin = 0;
    std::uint32_t end = 0;
  };
  std::unordered_map<std::string_view, Range> by_name_;  // views of names_
  std::string hash_;
};

class PaperScanner final : public NameFinder {
 public:
  explicit PaperScanner(const BareNames& names);  // borrowed
  // All uses are calls: the study did not tell them from other mentions.
  const FileUsage& scan(std::string_view text, bool framed) override;
  [[nodiscard]] std::string_view name(std::uint32_t number) const override { return names_.at(number).name; }
  [[nodiscard]] std::uint32_t framework_of(std::uint32_t number) const override {
    return names_.at(number).framework;
  }

 private:
  void count(std::string_view identifier);

  const BareNames& names_;
  FileUsage usage_;
  std::vector<std::uint32_t> counted_;  // by number: uses in this file
};

// `names` is borrowed by all that are made.
[[nodiscard]] MakeFinder bare_finder(const BareNames& names);

// Bit i: a line of `text` matches the study's filter, (from.*MODULE|import.*MODULE), of frameworks[i]. It
// errs both ways: comments and `import torchvision` match.
[[nodiscard]] std::uint32_t imports_by_line(std::string_view text, std::span<const Framework> frameworks);

}  // namespace seamark::usage
