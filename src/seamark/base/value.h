// Value: one small tree for JSON and TOML documents, so that no other file needs their heavy headers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "seamark/base/result.h"

namespace seamark {

enum class DocumentError { kSyntax = 1, kTooDeep = 2, kTooLarge = 3, kDuplicateKey = 4, kNotUtf8 = 5 };
constexpr std::string_view room_of(DocumentError) { return "document"; }

class Value {
 public:
  using Array = std::vector<Value>;
  using Member = std::pair<std::string, Value>;
  using Object = std::vector<Member>;  // in order of input, keys unique

  Value() = default;                                    // null
  Value(std::nullptr_t) {}                              // NOLINT(google-explicit-constructor)
  Value(bool b) : data_(b) {}                           // NOLINT(google-explicit-constructor)
  Value(int i) : data_(static_cast<int64_t>(i)) {}      // NOLINT(google-explicit-constructor)
  Value(int64_t i) : data_(i) {}                        // NOLINT(google-explicit-constructor)
  Value(double d) : data_(d) {}                         // NOLINT(google-explicit-constructor)
  Value(std::string s) : data_(std::move(s)) {}         // NOLINT(google-explicit-constructor)
  Value(std::string_view s) : data_(std::string(s)) {}  // NOLINT(google-explicit-constructor)
  Value(const char* s) : data_(std::string(s)) {}       // NOLINT(google-explicit-constructor)
  Value(Array a) : data_(std::move(a)) {}               // NOLINT(google-explicit-constructor)
  Value(Object o) : data_(std::move(o)) {}              // NOLINT(google-explicit-constructor)

  // Defined in value.cc: inlined, the variant's own are large and g++ 12 warns falsely about them.
  Value(const Value&);
  Value(Value&&) noexcept;
  Value& operator=(const Value&);
  Value& operator=(Value&&) noexcept;
  ~Value();

  [[nodiscard]] bool is_null() const { return std::holds_alternative<std::monostate>(data_); }
  [[nodiscard]] bool is_bool() const { return std::holds_alternative<bool>(data_); }
  [[nodiscard]] bool is_int() const { return std::holds_alternative<int64_t>(data_); }
  [[nodiscard]] bool is_double() const { return std::holds_alternative<double>(data_); }
  [[nodiscard]] bool is_number() const { return is_int() || is_double(); }
  [[nodiscard]] bool is_string() const { return std::holds_alternative<std::string>(data_); }
  [[nodiscard]] bool is_array() const { return std::holds_alternative<Array>(data_); }
  [[nodiscard]] bool is_object() const { return std::holds_alternative<Object>(data_); }

  // Throw std::bad_variant_access on another type: ask is_*() first when the input is untrusted.
  [[nodiscard]] bool as_bool() const { return std::get<bool>(data_); }
  [[nodiscard]] int64_t as_int() const { return std::get<int64_t>(data_); }
  [[nodiscard]] double as_number() const {  // an integer is widened
    return is_int() ? static_cast<double>(std::get<int64_t>(data_)) : std::get<double>(data_);
  }
  [[nodiscard]] const std::string& as_string() const { return std::get<std::string>(data_); }
  [[nodiscard]] const Array& as_array() const { return std::get<Array>(data_); }
  [[nodiscard]] Array& as_array() { return std::get<Array>(data_); }
  [[nodiscard]] const Object& as_object() const { return std::get<Object>(data_); }
  [[nodiscard]] Object& as_object() { return std::get<Object>(data_); }

  // Null when this is not an object or has no such key.
  [[nodiscard]] const Value* find(std::string_view key) const;
  // find() and the type in one step, with a fallback for absent, null and mistyped members.
  [[nodiscard]] std::string string_or(std::string_view key, std::string_view fallback) const;
  [[nodiscard]] double number_or(std::string_view key, double fallback) const;
  [[nodiscard]] bool bool_or(std::string_view key, bool fallback) const;
  // Replaces or appends; turns null into an object; throws std::logic_error on other types.
  Value& set(std::string_view key, Value value);
  // Appends; turns null into an array; throws std::logic_error on other types.
  Value& push(Value value);

  // "null", "boolean", "integer", "number", "string", "array" or "table" (for messages).
  [[nodiscard]] std::string_view type_name() const;

  // Line in the source document, from 1; 0 when unknown (JSON, or made by code).
  [[nodiscard]] int line() const { return line_; }
  void set_line(int line) { line_ = line; }

  friend bool operator==(const Value& a, const Value& b) { return a.data_ == b.data_; }

 private:
  std::variant<std::monostate, bool, int64_t, double, std::string, Array, Object> data_;
  int line_ = 0;
};

// The text, or null where it is empty.
[[nodiscard]] Value text_or_null(std::string text);
// An array of texts.
[[nodiscard]] Value text_list(std::span<const std::string> texts);

struct DocumentLimits {
  std::size_t max_bytes = std::size_t{64} << 20;
  int max_depth = 64;
};

// Strict JSON: one document, no NaN or Infinity, no trailing text, no duplicate keys, valid UTF-8.
// An integer outside int64 becomes a double.
Result<Value> parse_json(std::string_view text, const DocumentLimits& limits = {});

// One line; keys in their order. Throws std::invalid_argument on a non-finite number: say null or a
// tagged string instead. Bytes that are not UTF-8 are replaced by U+FFFD.
std::string dump_json(const Value& value);
// The same, indented by two spaces, with a final newline.
std::string dump_json_pretty(const Value& value);

// TOML 1.0. Dates become strings. Every value carries its line. `file` is named in errors
// ("file:line: what was expected").
Result<Value> parse_toml(std::string_view text, std::string_view file);

}  // namespace seamark
