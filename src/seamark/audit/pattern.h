// What a rule looks for, written like the Python that it matches:
//
//   torch.cuda.synchronize(...)        a chain by its qualified name, however it was imported
//   torch.cuda.{Stream,Event}          one of several; `*` stands for any text within a part
//   $X.cuda(...)                       $X: any primary (a name with attributes, calls, subscripts; a literal)
//   $X.*                               any attribute
//   $M($X, ..., device="cuda|cuda:*")  ...: any arguments, also none; globs of what is in a string
//   ^ $X = iter(...)                   ^: where a statement begins
//   import apex                        a module that is imported, or one below it
//   f($X) where $X = g(...)            how the name was assigned last, in the function or around it
//   ^ $X = "a" ^ before f($X)          and is used so behind it; ^ at the end: where the statement ends
//   if $X.is_cuda: ^ raise $_          ^ between: a line ends, and the next begins
//   ^ $X = "a" below if g(...):        in such a branch, which has no elif and no else
//
// `below`, `where` and `before` stand in this order; of `before` the first $NAME is what is assigned.
//
// The same $NAME stands for the same text, $_ for anything each time, $name (lower case) for what begins with
// a name that is no constant; $tensor, $mask and $host for an expression, as long as it can be, that is a
// tensor on the device, one of truth values, or one in the host's memory (values.h); $stored for names that
// hold one in the host's memory, $plain for a dict without tensors. All else stands for itself.
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

// What the $NAMEs of a match stand for; the texts are the pattern's and the file's.
using Bindings = std::vector<std::pair<std::string_view, std::string_view>>;

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

  // What it asks Syntax::words() for.
  void add_words(WordFilter& words) const;

  // Adds the hashes (TextIndex::hash) of words and meanings: a file with a match has one of them. False: no
  // such words are known.
  [[nodiscard]] bool add_needed(std::vector<std::uint32_t>& hashes) const;

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
    kStatement,  // ^: where a statement begins, behind the first part where it ends and the next begins
  };
  enum class Stands : std::uint8_t {  // for what $NAME does
    kSame,                            // the same text everywhere
    kVariable,                        // $name: so does it, and begins with a name
    kAnything,                        // $_
    kTensor,
    kMask,
    kHost,
    kStored,
    kPlain,
  };
  struct Part {
    What what = What::kText;
    std::vector<std::string> texts;  // one of these; of kPrimary its name
    Stands stands = Stands::kSame;   // of kPrimary
  };
  struct Search;
  // Of `where`: the name, and the statement that assigned it.
  struct Where {
    std::string name;
    std::vector<Part> parts;
  };

  static Stands stands_for(std::string_view name);
  Status add_parts(std::string_view text);
  [[nodiscard]] bool is_assigned_so(const Syntax& syntax, std::uint32_t token, Bindings& bindings) const;
  [[nodiscard]] bool is_below(const Syntax& syntax, std::uint32_t token, Bindings& bindings) const;
  [[nodiscard]] bool is_used_behind(const Syntax& syntax, const Match& match) const;
  void join_commas();
  Status choose_anchor();
  [[nodiscard]] std::optional<std::size_t> argument_anchor();
  void choose_needed();
  [[nodiscard]] bool may_be_in(const Syntax& syntax) const;

  std::string text_;
  std::vector<Part> parts_;
  std::optional<Where> where_;
  std::vector<Part> below_;      // the header of a block; empty: any may be around it
  std::vector<Pattern> before_;  // one or none
  std::size_t anchor_ = 0;       // the part that is looked for first
  bool globs_ = false;           // its texts have * or ?
  struct Word {
    std::string text;
    std::uint32_t hash = 0;  // TextIndex::hash
  };
  // Of each part that has such texts: one of them is in every file with a match.
  std::vector<std::pair<What, std::vector<Word>>> needed_;
  std::size_t anchor_depth_ = 0;  // how many brackets it is in, where it is an argument
  bool import_ = false;           // parts_ is one kQualified: a module
};

}  // namespace seamark::audit
