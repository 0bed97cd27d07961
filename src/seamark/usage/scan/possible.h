// The tier `possible`: calls of methods of objects whose type the text does not tell (rules.md). One
// more pass over the text, for those who ask for it.
#pragma once

#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "seamark/usage/resolve/name_tree.h"
#include "seamark/usage/scan/lexer.h"
#include "seamark/usage/scan/name_finder.h"

namespace seamark::usage {

class PossibleCalls {
 public:
  // Borrows both.
  PossibleCalls(const Vocabulary::Tables& tables, NameTree& tree) : tables_(tables), tree_(tree) {}

  // Adds to `usage.names`, by its frameworks, and where `uses` are asked for to `usage.uses`. `text` as the
  // lexer wants it; `known_ends`: where the chains end whose object is known, in any order.
  void add(std::string_view text, std::vector<std::uint32_t>& known_ends, FileUsage& usage, bool uses);

 private:
  struct Call {
    std::string_view method;
    std::string_view root;  // the chain's first name; empty: it begins with no name
    std::uint32_t end = 0;  // of the method's name
  };
  // Keeps the tokens there; nullptr: nowhere.
  void read(std::string_view text, std::vector<Token>* tokens);
  Token read_import(bool from);
  Token next() {
    const Token token = lexer_.next();
    if (tokens_ != nullptr) tokens_->push_back(token);
    return token;
  }
  // Gives the method that at least these calls are of; kNone: there is none.
  std::uint32_t count(std::string_view method, std::uint32_t calls, FileUsage& usage);
  [[nodiscard]] std::string_view text_of(const Token& token) const {
    return text_.substr(token.begin, token.end - token.begin);
  }

  const Vocabulary::Tables& tables_;
  NameTree& tree_;
  Words keywords_;
  Lexer lexer_{keywords_};
  std::vector<Token>* tokens_ = nullptr;
  std::string_view text_;
  std::vector<Call> calls_;
  std::unordered_set<std::string_view> imported_;  // names that an import statement binds
  std::unordered_set<std::string_view> defined_;   // names of the file's own functions and methods
  std::unordered_map<std::string_view, std::uint32_t> by_method_;
  std::unordered_map<const Vocabulary::Tables::Method*, std::uint32_t> nodes_;  // of the tree
};

}  // namespace seamark::usage
