#include "seamark/report/render/chart_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <stdexcept>

#include "seamark/base/text.h"
#include "seamark/model/outcome.h"
#include "seamark/report/build/exhibit_text.h"
#include "seamark/report/render/json_parts.h"

namespace seamark::report::chart {

using analysis::Datum;
using analysis::Exhibit;
using analysis::Unit;

namespace {

// After Okabe and Ito; as lines and dots all have a contrast of 3 or nearly so with light and dark grounds.
constexpr const char* kBlue = "#0072b2";
constexpr const char* kVermilion = "#d55e00";
constexpr const char* kGreen = "#009e73";
constexpr const char* kPurple = "#b8659b";

Value* member(Value& document, std::string_view key) {
  if (document.is_array()) {
    std::size_t index = 0;
    const auto [end, failed] = std::from_chars(key.data(), key.data() + key.size(), index);
    if (failed != std::errc() || end != key.data() + key.size()) return nullptr;
    return index < document.as_array().size() ? &document.as_array()[index] : nullptr;
  }
  if (!document.is_object()) return nullptr;
  for (auto& [name, value] : document.as_object()) {
    if (name == key) return &value;
  }
  return nullptr;
}

}  // namespace

Value form(std::string_view json) {
  Result<Value> document = parse_json(json);
  if (!document) throw std::logic_error("a form is no JSON: " + document.error().message());
  return std::move(document.value());
}

Value& at(Value& document, std::string_view path) {
  Value* place = &document;
  for (std::size_t begin = 0; begin <= path.size();) {
    const std::size_t end = std::min(path.find('.', begin), path.size());
    place = member(*place, path.substr(begin, end - begin));
    if (place == nullptr) throw std::logic_error(fmt::format("a form has no '{}'", path));
    begin = end + 1;
  }
  return *place;
}

std::string clipped(std::string_view text, std::size_t max_bytes) {
  std::string line = one_line(text);
  if (line.size() <= max_bytes) return line;
  return std::string(utf8_prefix(line, max_bytes - 3)) + "…";
}

Value::Object row_of(const Exhibit& figure, const std::vector<Datum>& row) {
  Value::Object out;
  for (std::size_t c = 0; c < row.size(); ++c) {
    const std::string& key = figure.columns[c].key;
    const Datum& datum = row[c];
    if (datum.unit == Unit::kText) {
      out.emplace_back(key, Value(clipped(datum.text, 200)));
      continue;
    }
    out.emplace_back(key, json::number(datum.value));
    if (datum.interval) {
      out.emplace_back(key + "_low", json::number(datum.interval->low));
      out.emplace_back(key + "_high", json::number(datum.interval->high));
    }
    out.emplace_back(key + "_text",
                     Value(datum.value ? datum_text(datum, true) : "no data: " + clipped(datum.reason, 120)));
  }
  return out;
}

std::size_t column_of(const Exhibit& figure, std::string_view key) {
  for (std::size_t c = 0; c < figure.columns.size(); ++c) {
    if (figure.columns[c].key == key) return c;
  }
  throw std::logic_error(fmt::format("{} has no column '{}'", figure.id, key));
}

std::vector<std::string> texts_of(const Exhibit& figure, std::string_view key) {
  const std::size_t column = column_of(figure, key);
  std::vector<std::string> out;
  for (const std::vector<Datum>& row : figure.rows) {
    const std::string text = clipped(row[column].text, 200);
    if (std::find(out.begin(), out.end(), text) == out.end()) out.push_back(text);
  }
  return out;
}

std::vector<double> numbers_of(const Exhibit& figure, std::span<const std::string_view> keys) {
  std::vector<double> out;
  for (const std::string_view key : keys) {
    const std::size_t column = column_of(figure, key);
    for (const std::vector<Datum>& row : figure.rows) {
      if (row[column].value) out.push_back(*row[column].value);
    }
  }
  return out;
}

LogScale log_scale(std::span<const double> values, double margin, int most) {
  std::vector<double> positive;
  std::copy_if(values.begin(), values.end(), std::back_inserter(positive), [](double x) { return x > 0; });
  if (positive.empty()) positive = {1};
  const auto [low, high] = std::minmax_element(positive.begin(), positive.end());
  LogScale scale{*low / margin, *high * margin, {}};
  const int first = static_cast<int>(std::floor(std::log10(scale.low)));
  const int last = static_cast<int>(std::ceil(std::log10(scale.high)));
  std::vector<double> between = {1};
  if (std::log10(scale.high / scale.low) < 2) between = {1, 2, 5};
  const int step = last - first > most ? 2 : 1;
  for (int power = first; power <= last; power += step) {
    for (const double factor : between) {
      const double tick = factor * std::pow(10, power);
      if (tick >= scale.low && tick <= scale.high) scale.ticks.push_back(tick);
    }
  }
  return scale;
}

void set_log_scale(Value& spec, std::string_view channel, const LogScale& scale) {
  Value& place = at(spec, channel);
  at(place, "scale").set("domain", numbers(std::array{scale.low, scale.high}));
  at(place, "axis").set("values", numbers(scale.ticks));
}

void set_colors(Value& spec, std::string_view channel, const Colors& colors) {
  Value::Array domain;
  Value::Array range;
  for (const auto& [name, color] : colors) {
    domain.emplace_back(name);
    range.emplace_back(color);
  }
  at(spec, channel)
      .set("scale", Value::Object{{"domain", Value(std::move(domain))}, {"range", Value(std::move(range))}});
}

Colors framework_colors(std::span<const std::string> labels, const Frameworks& known) {
  Colors out;
  for (const std::string& label : labels) {
    const auto one = std::find_if(known.all().begin(), known.all().end(),
                                  [&](const Framework& framework) { return framework.label == label; });
    out.emplace_back(label, one == known.all().end() ? kPurple : one->color);
  }
  return out;
}

Colors device_colors(std::span<const std::string> devices) {
  constexpr std::array kColors = {kBlue, kVermilion, kGreen, kPurple};
  Colors out;
  for (std::size_t i = 0; i < devices.size(); ++i)
    out.emplace_back(devices[i], kColors.at(i % kColors.size()));
  return out;
}

Colors category_colors(std::span<const std::string> categories) {
  // By the category's number. Dark text stands in all of them.
  constexpr std::array kColors = {"#e69f00", "#56b4e9", "#009e73", "#cc79a7", "#f0e442", "#d55e00", "#4393c3",
                                  "#999999", "#ddcc77", "#44aa99", "#ee8866", "#aaaaee", "#dddddd"};
  Colors out;
  for (const std::string& name : categories) {
    const std::optional<Category> category = category_from(name);
    const std::size_t place = category ? static_cast<std::size_t>(*category) - 1 : kColors.size() - 1;
    out.emplace_back(name, kColors.at(std::min(place, kColors.size() - 1)));
  }
  return out;
}

Value tooltip(std::initializer_list<std::pair<std::string_view, std::string>> fields) {
  Value::Array out;
  for (const auto& [field, title] : fields) {
    out.emplace_back(
        Value::Object{{"field", Value(field)}, {"type", Value("nominal")}, {"title", Value(title)}});
  }
  return Value(std::move(out));
}

Value strings(std::span<const std::string> texts) {
  Value::Array out;
  for (const std::string& text : texts) out.emplace_back(text);
  return Value(std::move(out));
}

Value numbers(std::span<const double> values) {
  Value::Array out;
  for (const double value : values) out.emplace_back(value);
  return Value(std::move(out));
}

}  // namespace seamark::report::chart
