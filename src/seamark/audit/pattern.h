// What a rule looks for, written like the Python that it matches:
//
//   torch.cuda.synchronize(...)        a chain by its qualified name, however it was imported
//   torch.cuda.{Stream,Event}          one of several; `*` stands for any text within a part
//   $X.cuda(...)                       $X: any primary (a name with attributes, calls, subscripts; a literal)
//   $X.*                               any attribute
//   $M($X, ..., device="cuda|cuda:*")  ...: any arguments, also none; a string: globs of what is in the
//   quotes ^ $X = iter(...)                   ^: where a statement begins import apex a module that is
//   imported, or one below it
//
// The same $NAME stands for the same text, $_ for anything each time, $name (lower case) for what begins with
// a name that is no constant. All else stands for itself.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "seamark/audit/syntax.h"
#include "seamark/base/result.h"

namespace seamark::audit {

enum class AuditError { kBadRule = 1, kUnreadable = 2, kBadBaseline = 3, kBadProject = 4, kBadTrace = 5 };
constexpr std::string_view room_of(AuditError) { return "audit"; }

// What the $NAMEs of a match stand for.
using Bindings = std::vector<std::pair<std::string, std::string>>;

struct Match {
  std::uint32_t first = 0;  // tokens
  std::uint32_t last = 0;
  std::uint32_t at = 0;  // the token that tells: of `$X.cuda()` the attribute
  Bindings bindings;
};

class Pattern {
 public:
  // kBadRule says what is wrong with it.
  static Result<Pattern> parse(std::string_view text);

  // Every match in the file, each beginning once, in the order of the text. `known`: what names stand for
  // already. Until `take` says false.
  void find(const Syntax& syntax, const Bindings& known, const std::function<bool(Match)>& take) const;

 private:
  enum class What : std::uint8_t {
    kText,       // a token
    kString,     // a string with one of these inside
    kQualified,  // a chain
    kAttribute,  // a dot and a name
    kPrimary,    // $X
    kGap,        // any tokens in these brackets
    kGapComma,   // nothing, or any tokens and a comma
    kCommaGap,   // nothing, or a comma and any tokens
    kStatement,  // ^
  };
  struct Part {
    What what = What::kText;
    std::vector<std::string> texts;  // one of these; of kPrimary its name
  };
  struct Search;

  Status add_parts(std::string_view text);
  void join_commas();
  Status choose_anchor();
  [[nodiscard]] std::optional<std::size_t> argument_anchor();

  std::string text_;
  std::vector<Part> parts_;
  std::size_t anchor_ = 0;  // the part that is looked for first
  std::vector<std::string>
      needles_;  // of a string: one of these is in every text that it matches; empty: not known
  std::size_t anchor_depth_ = 0;  // how many brackets it is in, where it is an argument
  bool import_ = false;           // parts_ is one kQualified: a module
};

}  // namespace seamark::audit
