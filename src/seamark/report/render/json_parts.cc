#include "seamark/report/render/json_parts.h"

#include <cmath>

namespace seamark::report::json {

using analysis::Measured;
using analysis::Rate;
using Object = Value::Object;
using Array = Value::Array;

Value number(double value) { return std::isfinite(value) ? Value(value) : Value(); }

Value number(const std::optional<double>& value) { return value ? number(*value) : Value(); }

Value flag(const std::optional<bool>& value) { return value ? Value(*value) : Value(); }

Value interval(const std::optional<analysis::Interval>& value) {
  if (!value) return {};
  return Value(Array{number(value->low), number(value->high)});
}

Value strings(const std::vector<std::string>& texts) {
  Array array;
  for (const std::string& text : texts) array.emplace_back(text);
  return Value(std::move(array));
}

void put(Object& object, const std::string& key, const Measured& measured) {
  const bool finite = measured.value && std::isfinite(*measured.value);
  object.emplace_back(key, number(measured.value));
  std::string reason = measured.reason.empty() ? "not measured" : measured.reason;
  if (measured.value && !finite) reason = "not a finite number";
  object.emplace_back(key + "_reason", finite ? Value() : Value(reason));
}

Value rate(const Rate& rate) {
  Object object{{"count", Value(rate.count)}, {"total", Value(rate.total)}};
  put(object, "value", {rate.value, rate.reason});
  object.emplace_back("interval", interval(rate.interval));
  return Value(std::move(object));
}

}  // namespace seamark::report::json
