// What code does that no table of functions shows, as data: data/audit/*.toml.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "seamark/audit/pattern.h"
#include "seamark/base/result.h"

namespace seamark::audit {

// What happens there, worst first.
enum class Effect : std::uint8_t {
  kSilent = 1,  // another result, and nothing says so
  kFails = 2,
  kDrift = 3,  // the numbers differ by more than rounding
  kSlow = 4,
  kFades = 5,  // deprecated, removed in a later version, or without effect
};
enum class FixClass : std::uint8_t {
  kSafe = 1,       // the old device's result stays
  kSuggested = 2,  // it may not: numbers, data or memory change
  kManual = 3,     // it is told, and left to people
};
// Where what stands before, behind or beside a match is looked for.
enum class Scope : std::uint8_t {
  kFunction = 1,  // or the lambda
  kLoop = 2,      // the innermost; outside of loops the rule does not hold
  kFile = 3,
  kBranch = 4,  // what the match's `if` opens; without one the function
  kClass = 5,   // outside of classes the file
};
enum class Effort : std::uint8_t { kMinutes = 1, kHours = 2, kRewrite = 3 };
// What a finding rests on.
enum class Proof : std::uint8_t {
  kCase = 1,    // a case of Seamark's shows it
  kJoin = 2,    // the function's measured results
  kTrace = 3,   // the program's own calls: `--trace` finds it, and no pattern
  kSource = 4,  // the code says it, and the source that is named
};

[[nodiscard]] std::string_view name_of(FixClass fix);      // safe, suggested, none
[[nodiscard]] std::string_view name_of(Effort effort);     // minutes, hours, rewrite
[[nodiscard]] std::string_view name_of(Proof proof);       // case, join, trace, source
[[nodiscard]] std::string_view meaning_of(Effect effect);  // "wrong in silence"
[[nodiscard]] std::string_view meaning_of(Proof proof);    // "a case of Seamark's shows it"

struct Rule {
  std::string id;     // DEV03
  std::string title;  // what the code does, a clause without a period
  std::string why;    // what then happens, and where
  std::string fix;    // what to do
  Effect effect = Effect::kFails;
  FixClass fix_class = FixClass::kManual;
  Effort effort = Effort::kMinutes;
  Proof proof = Proof::kSource;
  // Of kCase: a case of the suite `rules`, the target where it fails, and what it says there, or the
  // attribute that it has.
  std::string shown_by;
  std::string shown_on;
  std::string shown_says;
  std::string source;  // a thread, a file, a paper
  std::vector<std::string>
      targets;  // globs of FRAMEWORK/DEVICE[+MODE]; after "!" those that it does not concern

  // Of Python. A finding is a match of one of `match`, or of `functions` in any function or loop, whatever
  // `inside` says, in a file that imports one of `imports` (empty: any file)
  std::vector<std::string> imports;
  std::vector<Pattern> match;
  std::vector<Pattern> functions;
  std::vector<Pattern> unless;   // that no match of these holds,
  std::vector<Pattern> earlier;  // where one of these stands before it,
  std::vector<Pattern> between;  // one of these between the last of those and it,
  std::vector<Pattern> later;    // one of these behind it,
  std::vector<Pattern> also;     // one of these somewhere,
  std::vector<Pattern> missing;  // and none of these functions, in the same scope.
  Scope scope = Scope::kFunction;
  bool of_device = false;  // and its value, with what is called on it, is not in the host's memory
  // One of these is around it (empty: anything may be), and none of `outside`.
  //   loop                 a loop of the same function
  //   host                 where tensors are in the host's memory: datasets, collators, tokenizers, what is
  //                        called so, and tests of PyTorch
  //   def NAME             a function of that name, or a method that a method of that name calls
  //   class NAME           a class of that name, or of one that has such a base
  //   with NAME            a `with` of it
  //   if WORD              an `if` with that name or mark in its condition
  //   call NAME            the brackets of its call
  //   @NAME                a function that is decorated with it or handed to it, by name or as a lambda
  //   @NAME(WORD)          the same, with that keyword argument; @NAME(WORD=VALUE): of that value
  std::vector<std::string> inside;
  std::vector<std::string> outside;
  bool guards = true;  // code that is guarded against the absence of what it uses is no finding
  // Made of `match` and `functions`: TextIndex::hash of words; a file without all of these has no match.
  // Empty: any file may.
  std::vector<std::uint32_t> needed;

  // Of other files: lines that match one of these globs in files of these names.
  std::vector<std::string> files;
  std::vector<std::string> lines;

  std::vector<std::string> bad;   // each must be found,
  std::vector<std::string> good;  // and in none of these anything

  [[nodiscard]] bool concerns(std::string_view target) const;
  // What it rests on, in words; and the command that shows it again, empty where no case does.
  [[nodiscard]] std::string rests_on() const;
  [[nodiscard]] std::string show_command() const;
};

// In the order of ids. kUnreadable, or kBadRule with a line for each problem.
Result<std::vector<Rule>> load_rules(const std::filesystem::path& folder);
Result<std::vector<Rule>> parse_rules(std::string_view toml, std::string_view file);
[[nodiscard]] const Rule* find_rule(std::span<const Rule> rules,
                                    std::string_view id);  // nullptr: there is none

}  // namespace seamark::audit
