// TOML into Value, through toml++ (linked: the build defines TOML_HEADER_ONLY=0).
#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <exception>
#include <sstream>
#include <stdexcept>
#include <tuple>
#include <utility>
#include <vector>

#include "seamark/base/text.h"
#include "seamark/base/value.h"

namespace seamark {
namespace {

constexpr std::size_t kMaxBytes = std::size_t{64} << 20;
constexpr std::size_t kMaxDepth = 128;  // of tables and arrays in each other; of a header, and below it

int line_of(const toml::source_region& region) { return static_cast<int>(region.begin.line); }

Error complain(std::string_view file, int line, std::string_view what) {
  return Error(DocumentError::kSyntax, fmt::format("{}:{}: {}", file, line, what));
}

// Where a text's brackets and dotted keys nest too deep: toml++ bounds the brackets alone, and what it makes
// of a long dotted key is freed, and walked over, by recursion. Of valid TOML the depth is exact; of other
// text it is no less than what toml++ reads before it stops.
class DepthScan {
 public:
  explicit DepthScan(std::string_view text) : text_(text) {}

  // The line of what is too deep; 0: nothing is.
  [[nodiscard]] int too_deep() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '"' || c == '\'') {
        skip_string(c);
        continue;
      }
      ++at_;
      if (c == '#') at_ = std::min(text_.find('\n', at_), text_.size());
      if (c == '\n') ++line_;
      if (c == '\n' || c == ',') dots_ = 0;
      if (c == '.') ++dots_;
      if (c == '[' || c == '{') open();
      if (c == ']' || c == '}') close();
      if (below_ + dots_ > kMaxDepth) return line_;
    }
    return 0;
  }

 private:
  void open() {
    open_.push_back(dots_ + 1);
    below_ += dots_ + 1;
    dots_ = 0;
  }

  void close() {
    dots_ = 0;
    if (open_.empty()) return;
    below_ -= open_.back();
    open_.pop_back();
  }

  [[nodiscard]] bool three(char quote) const { return text_.substr(at_).starts_with(std::string(3, quote)); }

  void skip_string(char quote) {
    const bool lines = three(quote);
    at_ += lines ? 3 : 1;
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '\n' && !lines) return;
      if (c == '\n') ++line_;
      if (c == quote && (!lines || three(quote))) {
        at_ += lines ? 3 : 1;
        for (int more = 0; lines && more < 2 && at_ < text_.size() && text_[at_] == quote; ++more) ++at_;
        return;
      }
      // An escaped newline is left for the next turn, which counts it.
      const bool escape = c == '\\' && quote == '"' && at_ + 1 < text_.size() && text_[at_ + 1] != '\n';
      at_ += escape ? 2 : 1;
    }
  }

  std::string_view text_;
  std::size_t at_ = 0;
  int line_ = 1;
  std::size_t dots_ = 0;           // of the key or value at hand
  std::size_t below_ = 0;          // the sum of open_
  std::vector<std::size_t> open_;  // what each open bracket adds, with the key before it
};

template <typename T>
std::string as_text(const T& date_or_time) {
  std::ostringstream out;
  out << date_or_time;
  return out.str();
}

// Thrown and caught in this file only, to leave the recursion.
struct Refused : std::exception {
  explicit Refused(Error why) : error(std::move(why)) {}
  Error error;
};

class Converter {
 public:
  explicit Converter(std::string_view file) : file_(file) {}

  [[nodiscard]] Value convert(const toml::node& node, int line) const {
    if (line_of(node.source()) > 0) line = line_of(node.source());
    Value value = bare(node, line);
    value.set_line(line);
    return value;
  }

 private:
  [[nodiscard]] Value bare(const toml::node& node, int line) const {
    switch (node.type()) {
      case toml::node_type::table:
        return table(*node.as_table(), line);
      case toml::node_type::array:
        return array(*node.as_array(), line);
      case toml::node_type::string:
        return Value(node.as_string()->get());
      case toml::node_type::integer:
        return Value(static_cast<std::int64_t>(node.as_integer()->get()));
      case toml::node_type::boolean:
        return Value(node.as_boolean()->get());
      case toml::node_type::floating_point:
        return number(node.as_floating_point()->get(), line);
      case toml::node_type::date:
        return Value(as_text(node.as_date()->get()));
      case toml::node_type::time:
        return Value(as_text(node.as_time()->get()));
      case toml::node_type::date_time:
        return Value(as_text(node.as_date_time()->get()));
      case toml::node_type::none:
        break;
    }
    throw std::logic_error("a TOML node without a type");
  }

  [[nodiscard]] Value number(double d, int line) const {
    if (!std::isfinite(d)) throw Refused(complain(file_, line, "expected a finite number"));
    return Value(d);
  }

  [[nodiscard]] Value array(const toml::array& array, int line) const {
    Value::Array items;
    items.reserve(array.size());
    for (const toml::node& item : array) items.push_back(convert(item, line));
    return Value(std::move(items));
  }

  // toml++ sorts keys by name; the order of the document is in their positions.
  [[nodiscard]] Value table(const toml::table& table, int line) const {
    struct Entry {
      toml::source_position at;
      const toml::key* key;
      const toml::node* node;
    };
    std::vector<Entry> entries;
    entries.reserve(table.size());
    for (const auto& [key, node] : table) entries.push_back({key.source().begin, &key, &node});
    std::stable_sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
      return std::tie(a.at.line, a.at.column) < std::tie(b.at.line, b.at.column);
    });
    Value::Object members;
    members.reserve(entries.size());
    for (const Entry& entry : entries) {
      const int at = entry.at.line > 0 ? static_cast<int>(entry.at.line) : line;
      Value value = convert(*entry.node, at);
      // A value is where its key is: that is the line to look at.
      if (!value.is_object() && entry.at.line > 0) value.set_line(at);
      members.emplace_back(std::string(entry.key->str()), std::move(value));
    }
    return Value(std::move(members));
  }

  std::string_view file_;
};

}  // namespace

Result<Value> parse_toml(std::string_view text, std::string_view file) {
  if (text.size() > kMaxBytes) {
    return Error(DocumentError::kTooLarge, fmt::format("{}: longer than {} bytes", file, kMaxBytes));
  }
  if (!is_utf8(text)) return Error(DocumentError::kNotUtf8, fmt::format("{}: not UTF-8 text", file));
  if (const int line = DepthScan(text).too_deep(); line > 0)
    return complain(file, line, fmt::format("nested deeper than {} levels", kMaxDepth));
  try {
    const toml::table document = toml::parse(text, file);
    return Converter(file).convert(document, 1);
  } catch (const toml::parse_error& e) {
    return complain(file, line_of(e.source()), one_line(e.description()));
  } catch (const Refused& refused) {
    return refused.error;
  }
}

}  // namespace seamark
