// One file of Python as rules see it: its tokens, the blocks that they stand in, the qualified names of its
// chains. Whatever the bytes, something comes of it.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "seamark/audit/text_index.h"
#include "seamark/audit/values.h"
#include "seamark/base/text.h"
#include "seamark/usage/scan/lexer.h"

namespace seamark::audit {

enum class Kind : std::uint8_t {
  kNewline,  // ends a logical line
  kName,     // keywords too
  kString,   // one literal; of an f-string what stands before, between and behind its fields
  kNumber,
  kOpen,   // ( [ {, and { of a field
  kClose,  // of any
  kDot,
  kMark,  // every operator, comma, colon
};

struct Token {  // without initializers: a vector of them is made by memset
  Kind kind;
  bool field;           // kOpen and kClose: of an f-string
  bool keyword;         // of kName
  std::uint32_t begin;  // in the text, and behind it
  std::uint32_t end;
  std::uint32_t match;   // of a bracket: the other one; kNone: none
  std::uint32_t line;    // the logical line
  std::uint32_t around;  // the innermost bracket that is open there and no field's; kNone: none in its line
};

// A logical line.
struct Line {
  std::uint32_t first = 0;  // tokens, the newline included
  std::uint32_t last = 0;
  std::uint32_t indent = 0;     // columns; a tab goes to the next multiple of 8
  std::uint32_t block = 0;      // that it stands in
  std::uint32_t opens = kNone;  // the block whose header it is
  std::uint32_t colon = kNone;  // the token that ends the header
};

// A suite with its header: `if x:` and what is below. Block 0 is the module.
struct Block {
  std::string_view
      keyword;  // if, elif, else, for, while, try, except, finally, with, def, class; empty: the module
  std::string_view name;  // of def and class
  std::uint32_t parent = 0;
  std::uint32_t header_line = kNone;
  std::uint32_t last_line = 0;
  std::uint32_t before = kNone;  // what this one goes on with: the if of an else, the try of an except
  std::uint32_t next = kNone;    // what goes on with this one
  std::uint32_t first_decorator = kNone;  // a line; kNone: none
};

// A dotted name as it stands in the text, and what it means.
struct Chain {
  std::uint32_t first = 0;  // tokens
  std::uint32_t last = 0;
  std::string_view qualified;  // torch.cuda.synchronize
  std::string_view function;   // that it counts for; empty: none is known
  std::string_view gives;      // the type of what its call returns; empty: not known

  [[nodiscard]] bool means(std::string_view glob) const {
    return glob_match(glob, qualified) || glob_match(glob, function);
  }
};

// What one name of an import statement binds.
struct Import {
  std::string_view
      name;  // torch.cuda.amp, or torch.cuda.amp.autocast of `from torch.cuda.amp import autocast`
  std::uint32_t token = 0;
};

// The use of a name that was found before (usage::Use), with its texts.
struct NamedUse {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
  std::string_view qualified;
  std::string_view function;
  std::string_view gives;
};

class Syntax {
 public:
  // Keeps no words but these; without: all. Borrowed.
  void keep_words(const WordFilter& words) { kept_ = &words; }
  // `text` as usage::Lexer wants it, borrowed; so are the texts of the uses. `known`: first parts of names
  // that only `uses` tell of. `tokens`: of the text, where they are read already.
  void read(std::string_view text, std::span<const NamedUse> uses, std::span<const std::string> known,
            std::span<const usage::Token> tokens = {});

  [[nodiscard]] std::string_view text() const { return text_; }
  [[nodiscard]] const std::vector<Token>& tokens() const { return tokens_; }
  [[nodiscard]] const std::vector<Line>& lines() const { return lines_; }
  [[nodiscard]] const std::vector<Block>& blocks() const { return blocks_; }
  [[nodiscard]] const std::vector<Chain>& chains() const { return chains_; }
  [[nodiscard]] const std::vector<Import>& imports() const { return imports_; }
  [[nodiscard]] std::string_view text_of(std::uint32_t token) const {
    return text_.substr(tokens_[token].begin, tokens_[token].end - tokens_[token].begin);
  }
  [[nodiscard]] bool is(std::uint32_t token, std::string_view text) const {
    return token < tokens_.size() && same_text(text_of(token), text);
  }
  // Names by their text, in the order of the file, without the `x` of `x.y` and the `y` that is neither
  // called nor assigned; made when they are first asked for.
  [[nodiscard]] const TextIndex& names() const;
  // Names, keywords, marks and [ by their text, in the order of the file; of them what keep_words() keeps.
  [[nodiscard]] const TextIndex& words() const { return words_; }
  [[nodiscard]] const std::vector<std::uint32_t>& strings() const { return strings_; }  // tokens
  [[nodiscard]] bool strings_may_have(std::string_view text) const { return runs_.may_have(text); }
  // Chains by what they mean: 2n is the qualified name of chain n, 2n + 1 the function that it counts for.
  [[nodiscard]] const TextIndex& meanings() const { return meanings_; }
  // Adds the first tokens of the chains that mean one of these: names, or with `globs` patterns.
  void add_meaning(std::span<const std::string> names, bool globs, std::vector<std::uint32_t>& tokens) const;
  // The chain that begins there; nullptr: none.
  [[nodiscard]] const Chain* chain_at(std::uint32_t token) const {
    return chain_at_[token] == kNone ? nullptr : &chains_[chain_at_[token]];
  }
  // That a token stands in; of a header, the block around it.
  [[nodiscard]] std::uint32_t block_of(std::uint32_t token) const {
    const Line& line = lines_[tokens_[token].line];
    return line.opens != kNone && token > line.colon ? line.opens : line.block;
  }
  // Of its expressions and names; made when they are first asked for.
  [[nodiscard]] Values& values() const;
  // The def (or the module, 0) around a block, itself included.
  [[nodiscard]] std::uint32_t function_of(std::uint32_t block) const;
  // Whether a block is another one, or in it.
  [[nodiscard]] bool is_within(std::uint32_t inner, std::uint32_t outer) const {
    while (inner != 0 && inner != outer) inner = blocks_[inner].parent;
    return inner == outer;
  }
  // Whether the last statement of a block, of itself and not of one in it, begins with that word.
  [[nodiscard]] bool ends_with(std::uint32_t block, std::string_view word) const {
    const Line& last = lines_[blocks_[block].last_line];
    return last.block == block && is(last.first, word);
  }
  // Whether `import module`, or something below it, stands in the file.
  [[nodiscard]] bool imports_module(std::string_view module) const;
  // The line of a place in the text, and the column in it in characters, from 1.
  struct Position {
    std::uint32_t line = 1;
    std::uint32_t column = 1;
  };
  [[nodiscard]] Position position_of(std::uint32_t offset) const;
  // The whole line of the text that a place is in, trimmed.
  [[nodiscard]] std::string_view source_line(std::uint32_t offset) const;
  // The first place that Python does not parse, of what shows in tokens: brackets, strings, `print "x"`.
  struct Fault {
    std::uint32_t begin = 0;
    std::string_view what;
  };
  [[nodiscard]] std::optional<Fault> fault() const;
  // The bracket that is open around a token; kNone: none in its line.
  [[nodiscard]] std::uint32_t bracket_around(std::uint32_t token) const { return tokens_[token].around; }
  // Where a primary (a name with its attributes, calls and subscripts) begins whose last token is `last`.
  [[nodiscard]] std::uint32_t primary_begin(std::uint32_t last) const;
  // Behind the string that begins there: with its fields, and with literals that follow it.
  [[nodiscard]] std::uint32_t string_end(std::uint32_t first) const;
  // Adds behind which tokens a primary that begins at `first` can end, the shortest first.
  void primary_ends(std::uint32_t first, std::vector<std::uint32_t>& ends) const;

 private:
  [[nodiscard]] bool is_cut_off(std::uint32_t string) const;
  void read_tokens(std::span<const usage::Token> read);
  void read_blocks();
  void read_imports();
  void read_import(std::uint32_t first, std::uint32_t last);
  void read_from(std::uint32_t first, std::uint32_t last);
  void bind(std::string_view name, std::string module, std::uint32_t token);
  void read_words();
  void read_chains(std::span<const NamedUse> uses, std::span<const std::string> known);

  std::string_view text_;
  std::vector<Token> tokens_;
  std::vector<Line> lines_;
  std::vector<Block> blocks_;
  std::vector<Chain> chains_;
  std::vector<std::uint32_t> chain_at_;
  std::vector<Import> imports_;
  std::vector<std::uint32_t> strings_;
  Runs runs_;  // of the strings
  const WordFilter* kept_ = nullptr;
  TextIndex words_;
  TextIndex meanings_;
  std::deque<std::string> texts_;                                 // of imports and chains
  std::unordered_map<std::string_view, std::string_view> bound_;  // by imports
  WordFilter filter_;                                             // kept_ and bound_
  mutable std::unique_ptr<Values> values_;
  mutable TextIndex names_;
  mutable bool has_names_ = false;
  mutable std::vector<std::uint32_t> line_starts_;  // empty: nobody has asked
};

template <std::size_t... kSizes>
[[nodiscard]] bool is_one_of(std::string_view text, const char (&... names)[kSizes]) {
  return (same_text(text, {names, kSizes - 1}) || ...);
}

// A name that nobody outside of the file calls, by the convention: _f
[[nodiscard]] inline bool is_private(std::string_view name) {
  return name.starts_with('_') && !name.starts_with("__");
}

// What a string literal holds: without its prefix and quotes; of a part of an f-string what is there of it.
[[nodiscard]] std::string_view inside_of(std::string_view literal);

}  // namespace seamark::audit
