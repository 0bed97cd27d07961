#include "seamark/store/encode.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <utility>

namespace seamark::store {

namespace {

static_assert(sizeof(double) == 8);

bool is_storable(const Value& value) {
  if (value.is_double()) return std::isfinite(value.as_number());
  if (value.is_array()) {
    for (const Value& item : value.as_array()) {
      if (!is_storable(item)) return false;
    }
  }
  if (value.is_object()) {
    for (const auto& [key, member] : value.as_object()) {
      if (!is_storable(member)) return false;
    }
  }
  return true;
}

Value storable(const Value& value) {
  if (value.is_double() && !std::isfinite(value.as_number())) {
    const double number = value.as_number();
    return std::isnan(number) ? "nan" : number > 0 ? "inf" : "-inf";
  }
  if (value.is_array()) {
    Value::Array copy;
    copy.reserve(value.as_array().size());
    for (const Value& item : value.as_array()) copy.push_back(storable(item));
    return copy;
  }
  if (value.is_object()) {
    Value::Object copy;
    copy.reserve(value.as_object().size());
    for (const auto& [key, member] : value.as_object()) copy.emplace_back(key, storable(member));
    return copy;
  }
  return value;
}

Status read_list(const Value* value, std::vector<std::string>& list) {
  if (value == nullptr || value->is_null()) return {};
  if (!value->is_array()) return Error(DocumentError::kSyntax, "expected a list of strings");
  for (const Value& item : value->as_array()) {
    if (!item.is_string()) return Error(DocumentError::kSyntax, "expected a list of strings");
    list.push_back(item.as_string());
  }
  return {};
}

// Without the parser, where nothing in it needs one: names, of which a catalogue has thousands. False: it
// does.
bool read_plain_list(std::string_view json, std::vector<std::string>& list) {
  const auto plain = [](char c) { return c >= ' ' && c != '\\' && static_cast<unsigned char>(c) < 0x7f; };
  if (!json.starts_with('[') || !json.ends_with(']') || !std::all_of(json.begin(), json.end(), plain))
    return false;
  json = json.substr(1, json.size() - 2);
  while (json.starts_with('"')) {
    const std::size_t end = json.find('"', 1);
    if (end == std::string_view::npos) return false;
    list.emplace_back(json.substr(1, end - 1));
    json.remove_prefix(end + 1);
    if (json.empty()) return true;
    if (!json.starts_with(",\"")) return false;
    json.remove_prefix(1);
  }
  return false;
}

}  // namespace

std::string encode_document(const Value& value) {
  if (value.is_null()) return {};
  return is_storable(value) ? dump_json(value) : dump_json(storable(value));
}

std::string encode_document(const Value& value, const SecretShapes* secrets) {
  if (secrets == nullptr) return encode_document(value);
  Value copy = value;
  return encode_document(secrets->mask(copy) ? copy : value);
}

std::string_view masked(std::string_view text, const SecretShapes* secrets, std::deque<std::string>& texts) {
  if (secrets == nullptr || text.empty()) return text;
  std::string copy(text);
  return secrets->mask(copy) ? texts.emplace_back(std::move(copy)) : text;
}

Result<Value> decode_document(std::string_view json) {
  if (json.empty()) return Value();
  return parse_json(json);
}

std::string encode_list(const std::vector<std::string>& list) {
  return list.empty() ? std::string() : dump_json(text_list(list));
}

Result<std::vector<std::string>> decode_list(std::string_view json) {
  std::vector<std::string> list;
  if (json.empty() || read_plain_list(json, list)) return list;
  list.clear();
  Result<Value> value = parse_json(json);
  if (!value) return value.error();
  if (Status read = read_list(&*value, list); !read) return read.error();
  return list;
}

std::string encode_placement(const Placement& placement) {
  Value::Object object;
  if (!placement.method.empty()) object.emplace_back("method", placement.method);
  if (!placement.outputs.empty()) object.emplace_back("outputs", text_list(placement.outputs));
  if (!placement.fallback_ops.empty()) object.emplace_back("fallback_ops", text_list(placement.fallback_ops));
  if (!placement.note.empty()) object.emplace_back("note", placement.note);
  return object.empty() ? std::string() : dump_json(Value(std::move(object)));
}

Status decode_placement(std::string_view json, Placement& placement) {
  if (json.empty()) return {};
  Result<Value> value = parse_json(json);
  if (!value) return value.error();
  placement.method = value->string_or("method", "");
  placement.note = value->string_or("note", "");
  if (Status read = read_list(value->find("outputs"), placement.outputs); !read) return read;
  return read_list(value->find("fallback_ops"), placement.fallback_ops);
}

std::vector<std::uint8_t> encode_samples(std::span<const double> samples) {
  std::vector<std::uint8_t> bytes(samples.size() * sizeof(double));
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const auto bits = std::bit_cast<std::uint64_t>(samples[i]);
    for (std::size_t b = 0; b < 8; ++b) bytes[i * 8 + b] = static_cast<std::uint8_t>(bits >> (8 * b));
  }
  return bytes;
}

std::optional<std::vector<double>> decode_samples(std::span<const std::uint8_t> bytes) {
  if (bytes.size() % 8 != 0) return std::nullopt;
  std::vector<double> samples(bytes.size() / 8);
  for (std::size_t i = 0; i < samples.size(); ++i) {
    std::uint64_t bits = 0;
    for (std::size_t b = 0; b < 8; ++b) bits |= static_cast<std::uint64_t>(bytes[i * 8 + b]) << (8 * b);
    samples[i] = std::bit_cast<double>(bits);
  }
  return samples;
}

}  // namespace seamark::store
