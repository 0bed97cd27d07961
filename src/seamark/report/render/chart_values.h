// What fills the forms of figures: places in a document, rows as data, scales, palette.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "seamark/analysis/exhibit.h"
#include "seamark/base/value.h"
#include "seamark/model/frameworks.h"

namespace seamark::report::chart {

// A form as a document; throws std::logic_error where it is none.
Value form(std::string_view json);
// "spec.layer.0.encoding": the member there; throws std::logic_error where there is none.
Value& at(Value& document, std::string_view path);

// On one line, cut where it is longer.
std::string clipped(std::string_view text, std::size_t max_bytes);

// The columns under their keys, KEY_low and KEY_high of intervals, KEY_text as tables show it.
Value::Object row_of(const analysis::Exhibit& figure, const std::vector<analysis::Datum>& row);
// The column's place; throws std::logic_error where there is none.
std::size_t column_of(const analysis::Exhibit& figure, std::string_view key);
// The distinct texts of a column, in the order of rows.
std::vector<std::string> texts_of(const analysis::Exhibit& figure, std::string_view key);
// Values of these columns, where there are any.
std::vector<double> numbers_of(const analysis::Exhibit& figure, std::span<const std::string_view> keys);

// A domain around positive values and the ticks within it: powers of ten, with 2 and 5 where these are few,
// every other power where they are more than `most`.
struct LogScale {
  double low = 0;
  double high = 0;
  std::vector<double> ticks;
};
LogScale log_scale(std::span<const double> values, double margin, int most = 10);
// Sets the domain and the ticks of a channel such as "encoding.x".
void set_log_scale(Value& spec, std::string_view channel, const LogScale& scale);

// "scale": {"domain": ..., "range": ...} of a channel.
using Colors = std::vector<std::pair<std::string, std::string>>;
void set_colors(Value& spec, std::string_view channel, const Colors& colors);
// Of these names, in the order given. Frameworks, by their labels, and parts have colours of their own.
Colors framework_colors(std::span<const std::string> labels, const Frameworks& known);
Colors device_colors(std::span<const std::string> devices);
Colors category_colors(std::span<const std::string> categories);

// [{"field": ..., "title": ...}, ...] of texts.
Value tooltip(std::initializer_list<std::pair<std::string_view, std::string>> fields);
Value strings(std::span<const std::string> texts);
Value numbers(std::span<const double> values);

}  // namespace seamark::report::chart
