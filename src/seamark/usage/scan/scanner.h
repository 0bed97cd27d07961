// From the text of one file to the functions it uses (rules.md).
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "seamark/usage/resolve/vocabulary.h"
#include "seamark/usage/scan/name_finder.h"

namespace seamark::usage {

// One a thread. Keeps its buffers and the names it has met from file to file. A name that no file should be
// able to make large is cut: at most 200 bytes, else the chain is not counted.
class Scanner final : public NameFinder {
 public:
  // The vocabulary is borrowed. `possible`: the tiers possible-least and possible-most as well. `uses`: where
  // each use stands, of files that import no framework too.
  explicit Scanner(const Vocabulary& vocabulary, bool possible = false, bool uses = false);
  ~Scanner() override;
  Scanner(const Scanner&) = delete;
  Scanner& operator=(const Scanner&) = delete;

  // A text that is not framed is copied.
  const FileUsage& scan(std::string_view text, bool framed) override;
  [[nodiscard]] std::string_view name(std::uint32_t number) const override;
  [[nodiscard]] std::uint32_t framework_of(std::uint32_t number) const override;
  // The type of what a call of that name gives; empty: not known.
  [[nodiscard]] std::string_view given_by(std::uint32_t number) const;

 private:
  class State;
  std::unique_ptr<State> state_;
};

// `vocabulary` is borrowed by all that are made.
[[nodiscard]] MakeFinder resolving_finder(const Vocabulary& vocabulary, bool possible = false);

}  // namespace seamark::usage
