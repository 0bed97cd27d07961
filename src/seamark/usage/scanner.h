// From the text of one file to the functions it uses (docs/usage.md, "How names are resolved").
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "seamark/model/usage.h"
#include "seamark/usage/vocabulary.h"

namespace seamark::usage {

// One function of one file.
struct NameCount {
  std::uint32_t name = 0;  // Scanner::name()
  UsageTier tier = UsageTier::kResolved;
  std::uint32_t calls = 0;
  std::uint32_t references = 0;
};

// Views hold until the next scan().
struct FileUsage {
  std::vector<NameCount> names;        // each (name, tier) once
  std::uint32_t frameworks = 0;        // bit i: the file imports Vocabulary::frameworks()[i]
  std::uint32_t unresolved_stars = 0;  // star imports of a framework that no catalogue resolves
};

// One a thread. Keeps its buffers and the names it has met from file to file. A name that no file should be
// able to make large is cut: at most 200 bytes, else the chain is not counted.
class Scanner {
 public:
  explicit Scanner(const Vocabulary& vocabulary);  // borrowed
  ~Scanner();
  Scanner(const Scanner&) = delete;
  Scanner& operator=(const Scanner&) = delete;

  // Never fails, whatever the bytes. `framed`: see SourceFile; else the text is copied.
  const FileUsage& scan(std::string_view text, bool framed = false);
  [[nodiscard]] std::string_view name(std::uint32_t id) const;
  // Index into Vocabulary::frameworks().
  [[nodiscard]] std::uint32_t framework_of(std::uint32_t id) const;

 private:
  class State;
  std::unique_ptr<State> state_;
};

}  // namespace seamark::usage
