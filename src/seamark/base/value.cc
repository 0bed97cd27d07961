#include "seamark/base/value.h"

#include <stdexcept>

namespace seamark {

Value::Value(const Value&) = default;
Value::Value(Value&&) noexcept = default;
Value& Value::operator=(const Value&) = default;
Value& Value::operator=(Value&&) noexcept = default;
Value::~Value() = default;

const Value* Value::find(std::string_view key) const {
  const auto* object = std::get_if<Object>(&data_);
  if (object == nullptr) return nullptr;
  for (const Member& member : *object) {
    if (member.first == key) return &member.second;
  }
  return nullptr;
}

std::string Value::string_or(std::string_view key, std::string_view fallback) const {
  const Value* found = find(key);
  return found != nullptr && found->is_string() ? found->as_string() : std::string(fallback);
}

double Value::number_or(std::string_view key, double fallback) const {
  const Value* found = find(key);
  return found != nullptr && found->is_number() ? found->as_number() : fallback;
}

bool Value::bool_or(std::string_view key, bool fallback) const {
  const Value* found = find(key);
  return found != nullptr && found->is_bool() ? found->as_bool() : fallback;
}

Value& Value::set(std::string_view key, Value value) {
  if (is_null()) data_ = Object{};
  if (!is_object()) throw std::logic_error("Value::set on a " + std::string(type_name()));
  for (Member& member : as_object()) {
    if (member.first == key) {
      member.second = std::move(value);
      return *this;
    }
  }
  as_object().emplace_back(std::string(key), std::move(value));
  return *this;
}

Value& Value::push(Value value) {
  if (is_null()) data_ = Array{};
  if (!is_array()) throw std::logic_error("Value::push on a " + std::string(type_name()));
  as_array().push_back(std::move(value));
  return *this;
}

std::string_view Value::type_name() const {
  switch (data_.index()) {
    case 0:
      return "null";
    case 1:
      return "boolean";
    case 2:
      return "integer";
    case 3:
      return "number";
    case 4:
      return "string";
    case 5:
      return "array";
    default:
      return "table";
  }
}

Value text_or_null(std::string text) { return text.empty() ? Value() : Value(std::move(text)); }

Value text_list(std::span<const std::string> texts) {
  Value::Array list;
  list.reserve(texts.size());
  for (const std::string& text : texts) list.emplace_back(text);
  return list;
}

}  // namespace seamark
