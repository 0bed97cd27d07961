// What the JSON documents of this room share.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "seamark/analysis/stats.h"
#include "seamark/base/value.h"

namespace seamark::report::json {

// Null for what is not finite.
Value number(double value);
Value number(const std::optional<double>& value);
Value flag(const std::optional<bool>& value);
Value interval(const std::optional<analysis::Interval>& value);
Value strings(const std::vector<std::string>& texts);
template <typename Enum>
Value name_or_null(const std::optional<Enum>& value) {
  return value ? Value(name_of(*value)) : Value();
}
// "key" and "key_reason": a number, or null and why.
void put(Value::Object& object, const std::string& key, const analysis::Measured& measured);
Value rate(const analysis::Rate& rate);

}  // namespace seamark::report::json
