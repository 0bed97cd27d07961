// Reads one file's statements: scopes, what they bind, the chains that they use.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "seamark/usage/resolve/name_tree.h"
#include "seamark/usage/scan/lexer.h"
#include "seamark/usage/scan/reading.h"
#include "seamark/usage/scan/skim.h"
#include "seamark/usage/scan/words.h"

namespace seamark::usage {

class Reader {
 public:
  static constexpr std::size_t kMaxEvents = 4u << 20;    // of one file; names behind are not counted
  static constexpr std::size_t kMaxOpenScopes = 150;     // one in another; Python's limit is 100 indents
  static constexpr std::size_t kMaxFrames = 1000;        // brackets and lambdas, one in another
  static constexpr std::size_t kMaxComprehensions = 64;  // one in another

  // Borrows all of it.
  Reader(const Vocabulary::Tables& tables, NameTree& tree, Words& words, Reading& reading);

  // Reads a text as Lexer wants it. `seeds` are names to watch from its beginning. Names that turned out too
  // late to be worth it are added to `late`: then the text wants to be read again, with them as well.
  void read(const char* text, std::uint32_t size, const std::vector<std::string_view>& seeds,
            std::vector<std::string_view>& late);

 private:
  // What is open while a statement is read: the statement itself, brackets, lambdas.
  enum class Role : std::uint8_t {
    kStatement,
    kGroup,       // brackets that only group: names in them can be targets
    kTrailer,     // a call, a subscript
    kDisplay,     // {...}, and fields of f-strings
    kParameters,  // of def; also tuples in them (Python 2)
    kTypes,       // type parameters
    kItems,       // with (...)
    kLambdaParameters,
    kLambdaBody,
  };
  enum class Clause : std::uint8_t { kNone, kTarget, kFirstIterable, kRest };  // of a comprehension
  enum class Target : std::uint8_t {
    kNo,
    kPending,  // bound when the statement or header ends
    kNow,
    kItem,  // what stands directly behind `as`
  };
  enum class Kind : std::uint8_t {
    kPlain,
    kDef,
    kClass,
    kFor,
    kWith,
    kExcept,
    kDelete,
    kCase,
    kType,
    kHeader
  };
  static constexpr std::uint32_t kUnset = 0xffffffff;

  struct Place {
    std::uint32_t begin = 0;
    std::uint32_t size = 0;
  };
  struct Value {
    EventKind kind = EventKind::kBindUnknown;
    std::uint32_t link = 0;
  };
  struct Part {                    // an argument, an item, a value
    std::uint32_t event = 0;       // the events before it
    std::uint32_t begin = kUnset;  // where its first token stands
  };
  struct Frame {
    Role role = Role::kStatement;
    Clause clause = Clause::kNone;
    Target target = Target::kNo;
    bool first_clause = false;
    bool pattern = false;
    bool expecting = false;           // a parameter's name
    bool assignable = false;          // nothing but grouping brackets around it
    bool walrus = false;              // its value is being read
    bool skips = false;               // brackets in which what does not matter is left out
    std::uint32_t comprehension = 0;  // its scope; 0: none
    std::uint32_t outer_scope = 0;    // around the comprehension or lambda
    std::uint32_t first_event = 0;
    std::uint32_t first_scope = 0;
    std::uint32_t first_parameter = 0;
    std::uint32_t call = kUnset;  // the chain that this calls
    Part part;
    Value item;  // of Target::kItem
    Place walrus_name;
    Part walrus_value;
  };
  struct OpenScope {
    std::uint32_t scope = 0;
    std::uint32_t indent = 0;          // of its header
    Place class_name;                  // bound behind the body; size 0: no class
    std::uint32_t first_def = kUnset;  // where the first function in it begins
    std::size_t watched = 0;           // names watched before it
  };
  enum Watch : std::uint8_t { kIgnored = 0, kForInstance = 1, kFully = 2 };
  struct Watched {
    std::uint32_t name = 0;
    std::uint8_t before = kIgnored;  // what it was outside of the scope
  };

  // Lines (reader_lines.cc).
  std::uint32_t next_line(std::uint32_t at);
  [[nodiscard]] std::uint32_t recovery_point(const Token& token) const;
  void skimmed_scope();
  void note_def();

  // Statements (reader.cc).
  std::uint32_t read_line();
  void begin_statement();
  void end_statement();
  bool first_token(const Token& token);
  void take(Token& token);
  void take_keyword(const Token& token);
  void take_equal();
  void take_augmented();
  void take_colon();
  void take_comma();
  void annotate();
  void end_segment();
  void withdraw_segment(bool bind);
  void end_header();
  void flush_pending();
  bool looks_like_case();

  // Parts of expressions (reader_parts.cc).
  void take_name(Token& token);
  void take_target(const Token& token);
  void take_pattern_name(Token& token);
  void take_parameter(const Token& token);
  void take_open(const Token& token);
  [[nodiscard]] Role role_of(const Token& token) const;
  void skip_arguments();
  void take_close(Token& token);
  void take_lambda();
  void begin_lambda_body();
  void take_walrus();
  void take_for();
  void take_in();
  void take_if();
  void take_as();
  void end_lambda_bodies();
  void end_lambdas();
  void end_walrus(Frame& frame);
  bool push_frame(Role role);
  void pop_frame();
  void restart_part(Frame& frame) { frame.part = {.event = event_count(), .begin = kUnset}; }
  void use_chain(Token& token, bool callable);
  void use_on_call(std::uint32_t call, Token& token);
  [[nodiscard]] char next_char() const { return lexer_.at(lexer_.peek()); }
  [[nodiscard]] bool before_equal() const;
  [[nodiscard]] Value value_of(const Part& part) const;

  // Imports (reader_imports.cc). They give the token that ends the statement.
  Token read_import();
  Token read_from();
  Token read_redirects(bool global);
  Token read_dotted(Token token, bool absolute, std::uint32_t& root, std::uint32_t& node, Place& first);
  Token read_alias(Token token, Place& place);
  void bind_import(Place place, std::uint32_t node, BindingFlags flags);
  void bind_star(std::uint32_t node);

  // Scopes, names and events (reader_scopes.cc).
  std::uint32_t new_scope(ScopeKind kind, std::uint32_t parent);
  void push_scope(ScopeKind kind, Place class_name);
  void pop_scope();
  [[nodiscard]] std::uint32_t walrus_scope() const;
  [[nodiscard]] std::uint32_t event_count() const {
    return static_cast<std::uint32_t>(reading_.events.size());
  }
  Event* add(EventKind kind, std::uint32_t scope, std::uint32_t name);
  void bind(Place place, Value value, std::uint32_t scope, bool walrus = false);
  void bind_unknown(std::uint32_t name, std::uint32_t scope) { add(EventKind::kBindUnknown, scope, name); }
  [[nodiscard]] bool watched(std::uint32_t name) const { return name < watch_.size() && watch_[name] != 0; }
  [[nodiscard]] Skim::Word word(const char* text, std::uint32_t size) const;
  void filter_word(std::string_view word, bool in);
  std::uint32_t watch(std::string_view name, Watch how);
  void watch_everywhere(std::string_view name);
  [[nodiscard]] std::uint32_t watched_name(Place place) const;
  [[nodiscard]] bool may_give_instance(const Event& call) const;
  bool occurs(std::string_view name, std::uint32_t from, std::uint32_t to);
  [[nodiscard]] std::string_view text_of(Place place) const { return {text_ + place.begin, place.size}; }

  const Vocabulary::Tables& tables_;
  NameTree& tree_;
  Words& words_;
  Reading& reading_;
  Skim skim_;
  WordFilter filter_;
  Lexer lexer_;
  const char* text_ = nullptr;
  std::uint32_t size_ = 0;
  std::vector<std::string_view>* late_ = nullptr;
  std::size_t search_budget_ = 0;

  std::vector<std::uint8_t> watch_;        // Watch by name
  std::vector<Watched> watched_;           // in the order that names were first watched, or more
  std::vector<std::uint32_t> redirected_;  // by name: the scope that last sent it elsewhere
  std::vector<OpenScope> open_;            // the module, functions and classes
  std::uint32_t scope_ = 0;                // the innermost, lambdas and comprehensions included

  // The statement.
  std::vector<Frame> frames_;
  std::size_t frames_left_out_ = 0;
  std::size_t comprehensions_ = 0;
  Kind kind_ = Kind::kPlain;
  bool first_ = true;      // its first token is still to come
  bool compound_ = false;  // its header's colon is still to come
  bool named_ = false;     // the name of a def, class or type was met
  bool parameters_met_ = false;
  Token last_;
  std::uint32_t pending_call_ = kUnset;
  std::uint32_t line_begin_ = 0;
  std::uint32_t matters_at_ = 0;  // something in the brackets before may matter
  std::uint32_t line_indent_ = 0;
  Place def_name_;
  std::vector<std::uint32_t> parameters_;  // watched ones, of the def and of lambdas
  std::vector<std::uint32_t> pending_;     // names to be bound to something unknown
  // Its targets. A segment is what stands between two =.
  bool assigned_ = false;
  bool annotated_ = false;
  bool augmented_ = false;
  bool all_plain_ = true;
  bool segment_other_ = false;  // more than one name
  bool segment_comma_ = false;
  std::uint32_t segment_names_ = 0;
  Place segment_name_;
  std::vector<std::uint32_t> segment_uses_;  // events of names that are targets if = follows
  std::vector<Place> targets_;               // plain ones
};

}  // namespace seamark::usage
