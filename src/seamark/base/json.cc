// JSON in and out of Value. Reading goes through nlohmann's SAX parser straight into our tree, so that
// depth, duplicate keys and size are checked as they come; writing is our own.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "seamark/base/log_commands.h"
#include "seamark/base/text.h"
#include "seamark/base/value.h"

namespace seamark {
namespace {

// Objects up to this size are checked for duplicate keys by comparing, larger ones by sorting.
constexpr std::size_t kSmallObject = 16;
constexpr std::size_t kLongestComplaint = 300;

class TreeBuilder {
 public:
  using number_integer_t = std::int64_t;
  using number_unsigned_t = std::uint64_t;
  using number_float_t = double;
  using string_t = std::string;
  using binary_t = nlohmann::json::binary_t;

  explicit TreeBuilder(const DocumentLimits& limits) : limits_(limits) {}

  [[nodiscard]] const std::optional<Error>& error() const { return error_; }
  [[nodiscard]] Value take() { return std::move(root_); }

  bool null() { return add(nullptr); }
  bool boolean(bool b) { return add(b); }
  bool number_integer(std::int64_t i) { return add(i); }
  bool number_unsigned(std::uint64_t u) {
    if (u > static_cast<std::uint64_t>(INT64_MAX)) return add(static_cast<double>(u));
    return add(static_cast<std::int64_t>(u));
  }
  bool number_float(double d, const std::string& /*text*/) { return add(d); }
  bool string(std::string& s) { return add(std::move(s)); }
  bool binary(binary_t& /*b*/) { return false; }
  bool start_object(std::size_t /*size*/) { return open(Value::Object{}); }
  bool start_array(std::size_t /*size*/) { return open(Value::Array{}); }
  bool end_array() { return close(); }

  bool key(std::string& name) {
    Value::Object& object = open_.back()->as_object();
    if (object.size() < kSmallObject) {
      for (const Value::Member& member : object) {
        if (member.first == name) return duplicate(name);
      }
    }
    object.emplace_back(std::move(name), Value());
    return true;
  }

  bool end_object() {
    const Value::Object& object = open_.back()->as_object();
    if (object.size() > kSmallObject) {
      std::vector<std::string_view> names;
      names.reserve(object.size());
      for (const Value::Member& member : object) names.emplace_back(member.first);
      std::sort(names.begin(), names.end());
      const auto twice = std::adjacent_find(names.begin(), names.end());
      if (twice != names.end()) return duplicate(*twice);
    }
    return close();
  }

  template <typename Exception>
  bool parse_error(std::size_t /*position*/, const std::string& /*token*/, const Exception& e) {
    // "[json.exception.parse_error.101] parse error at line 1, column 5: ..."
    std::string_view text = e.what();
    if (const auto bracket = text.find("] "); bracket != std::string_view::npos)
      text.remove_prefix(bracket + 2);
    constexpr std::string_view kPrefix = "parse error at ";
    if (text.starts_with(kPrefix)) text.remove_prefix(kPrefix.size());
    error_ = Error(DocumentError::kSyntax,
                   "not valid JSON: " + std::string(utf8_prefix(one_line(text), kLongestComplaint)));
    return false;
  }

 private:
  // Puts a value where the next one goes: the root, the end of the open array or the last key of the
  // open object.
  template <typename T>
  Value* place(T&& value) {
    if (open_.empty()) {
      root_ = Value(std::forward<T>(value));
      return &root_;
    }
    Value& parent = *open_.back();
    if (parent.is_array()) return &parent.as_array().emplace_back(std::forward<T>(value));
    Value& slot = parent.as_object().back().second;
    slot = Value(std::forward<T>(value));
    return &slot;
  }
  template <typename T>
  bool add(T&& value) {
    place(std::forward<T>(value));
    return true;
  }
  template <typename T>
  bool open(T&& container) {
    if (std::cmp_greater_equal(open_.size(), limits_.max_depth)) {
      error_ =
          Error(DocumentError::kTooDeep, fmt::format("JSON nested deeper than {} levels", limits_.max_depth));
      return false;
    }
    // Pointers to open values stay good: an open value is always the last of its parent.
    open_.push_back(place(std::forward<T>(container)));
    return true;
  }
  bool close() {
    open_.pop_back();
    return true;
  }
  bool duplicate(std::string_view name) {
    error_ = Error(DocumentError::kDuplicateKey, fmt::format("duplicate key \"{}\" in a JSON object",
                                                             utf8_prefix(one_line(name), kLongestComplaint)));
    return false;
  }

  const DocumentLimits& limits_;
  Value root_;
  std::vector<Value*> open_;
  std::optional<Error> error_;
};

void write_string(std::string& out, std::string_view text) {
  static constexpr char kHex[] = "0123456789abcdef";
  out += '"';
  std::size_t start = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    if (c >= 0x20 && c != '"' && c != '\\' && c != 0x7f) continue;
    out.append(text, start, i - start);
    start = i + 1;
    switch (c) {
      case '"':
        out += "\\\"";
        break;
      case '\\':
        out += "\\\\";
        break;
      case '\n':
        out += "\\n";
        break;
      case '\t':
        out += "\\t";
        break;
      case '\r':
        out += "\\r";
        break;
      default:
        out += "\\u00";
        out += kHex[c >> 4];
        out += kHex[c & 15];
    }
  }
  out.append(text, start);
  out += '"';
}

void write_number(std::string& out, double d) {
  if (!std::isfinite(d)) throw std::invalid_argument("a non-finite number has no JSON");
  char buffer[32];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, d).ptr;
  const std::string_view digits(buffer, static_cast<std::size_t>(end - buffer));
  out += digits;
  // Stays a floating number when it is read again.
  if (digits.find_first_of(".e") == std::string_view::npos) out += ".0";
}

class Writer {
 public:
  explicit Writer(bool pretty) : pretty_(pretty) {}
  [[nodiscard]] std::string take() { return json_without_log_commands(std::move(out_)); }

  void write(const Value& value, std::size_t depth) {
    if (value.is_null()) {
      out_ += "null";
    } else if (value.is_bool()) {
      out_ += value.as_bool() ? "true" : "false";
    } else if (value.is_int()) {
      char buffer[24];
      out_.append(buffer, std::to_chars(buffer, buffer + sizeof buffer, value.as_int()).ptr);
    } else if (value.is_double()) {
      write_number(out_, value.as_number());
    } else if (value.is_string()) {
      write_text(value.as_string());
    } else if (value.is_array()) {
      write_array(value.as_array(), depth);
    } else {
      write_object(value.as_object(), depth);
    }
  }

 private:
  void write_text(std::string_view text) {
    if (is_utf8(text)) {
      write_string(out_, text);
    } else {
      write_string(out_, repair_utf8(text));
    }
  }
  void write_array(const Value::Array& array, std::size_t depth) {
    out_ += '[';
    for (std::size_t i = 0; i < array.size(); ++i) {
      separate(i, depth + 1);
      write(array[i], depth + 1);
    }
    if (!array.empty()) new_line(depth);
    out_ += ']';
  }
  void write_object(const Value::Object& object, std::size_t depth) {
    out_ += '{';
    for (std::size_t i = 0; i < object.size(); ++i) {
      separate(i, depth + 1);
      write_text(object[i].first);
      out_ += pretty_ ? ": " : ":";
      write(object[i].second, depth + 1);
    }
    if (!object.empty()) new_line(depth);
    out_ += '}';
  }
  void separate(std::size_t index, std::size_t depth) {
    if (index > 0) out_ += ',';
    new_line(depth);
  }
  void new_line(std::size_t depth) {
    if (!pretty_) return;
    out_ += '\n';
    out_.append(2 * depth, ' ');
  }

  bool pretty_;
  std::string out_;
};

}  // namespace

Result<Value> parse_json(std::string_view text, const DocumentLimits& limits) {
  if (text.size() > limits.max_bytes) {
    return Error(DocumentError::kTooLarge, fmt::format("JSON of {} bytes is longer than the limit of {}",
                                                       text.size(), limits.max_bytes));
  }
  // The parser takes a NUL for the end of its input and skips a byte order mark: neither is JSON.
  if (text.find('\0') != std::string_view::npos) {
    return Error(DocumentError::kSyntax, "not valid JSON: it holds a NUL byte");
  }
  if (text.starts_with("\xef\xbb\xbf")) {
    return Error(DocumentError::kSyntax, "not valid JSON: it starts with a byte order mark");
  }
  TreeBuilder builder(limits);
  const char* begin = text.data();
  static constexpr char kNothing[] = "";
  if (begin == nullptr) begin = kNothing;
  if (nlohmann::json::sax_parse(begin, begin + text.size(), &builder)) return builder.take();
  if (builder.error()->is(DocumentError::kSyntax) && !is_utf8(text)) {
    return Error(DocumentError::kNotUtf8, "not valid JSON: it is not UTF-8");
  }
  return *builder.error();
}

std::string dump_json(const Value& value) {
  Writer writer(false);
  writer.write(value, 0);
  return writer.take();
}

std::string dump_json_pretty(const Value& value) {
  Writer writer(true);
  writer.write(value, 0);
  return writer.take() + "\n";
}

}  // namespace seamark
