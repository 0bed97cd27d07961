#include "seamark/catalog/row.h"

#include <fmt/format.h>

namespace seamark::catalog {

std::string Row::text(std::string_view key, bool required) {
  const Value* member = value_.find(key);
  if (member == nullptr || member->is_null()) {
    if (required) wrong(key, "a string");
    return {};
  }
  if (!member->is_string() || (required && member->as_string().empty())) {
    wrong(key, "a string");
    return {};
  }
  return member->as_string();
}

std::int64_t Row::count(std::string_view key, bool required) {
  const Value* member = value_.find(key);
  if ((member == nullptr || member->is_null()) && !required) return 0;
  if (member == nullptr || !member->is_int() || member->as_int() < 0) {
    wrong(key, "a count");
    return 0;
  }
  return member->as_int();
}

bool Row::flag(std::string_view key) {
  const Value* member = value_.find(key);
  if (member == nullptr || member->is_null()) return false;
  if (!member->is_bool()) wrong(key, "true or false");
  return member->is_bool() && member->as_bool();
}

std::vector<std::string> Row::texts(std::string_view key) {
  std::vector<std::string> list;
  const Value* member = value_.find(key);
  if (member == nullptr || member->is_null()) return list;
  if (!member->is_array()) {
    wrong(key, "a list of strings");
    return list;
  }
  for (const Value& item : member->as_array()) {
    if (!item.is_string()) {
      wrong(key, "a list of strings");
      return list;
    }
    list.push_back(item.as_string());
  }
  return list;
}

void Row::wrong(std::string_view key, std::string_view expected) {
  if (problem_.empty()) problem_ = fmt::format("has a '{}' that is not {}", key, expected);
}

}  // namespace seamark::catalog
