#include "seamark/report/render/chart_spec.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "seamark/base/text.h"
#include "seamark/model/outcome.h"
#include "seamark/report/build/exhibit_text.h"
#include "seamark/report/document/text_table.h"
#include "seamark/report/render/chart_templates.h"
#include "seamark/report/render/chart_values.h"
#include "seamark/report/render/number_text.h"

namespace seamark::report {

using analysis::Datum;
using analysis::Exhibit;
using analysis::ResultSet;
using chart::at;
using chart::tooltip;

namespace {

constexpr const char* kPartial = "#e69f00";
constexpr const char* kComplete = "#c04a00";
constexpr const char* kEither = "#9a8f7a";  // published together alone
constexpr std::string_view kEitherName = "partial or complete";

// --- what a figure says of itself

std::string source_of(const ResultSet& findings) {
  const std::size_t slash = findings.title.rfind('/');
  const std::string title = slash == std::string::npos ? findings.title : findings.title.substr(slash + 1);
  return findings.published ? findings.title : fmt::format("{}, {}", title, findings.source);
}

bool has_column(const Exhibit& figure, std::string_view key) {
  return std::any_of(figure.columns.begin(), figure.columns.end(),
                     [&](const auto& column) { return column.key == key; });
}

bool is_of_times(const Exhibit& figure) {
  return std::none_of(figure.columns.begin(), figure.columns.end(), [](const auto& column) {
    return column.key == "decile" || column.key == "category" || column.key == "failing_percent" ||
           column.key == "median_ulp";
  });
}

// As readers know the framework.
std::string label_of(std::string_view framework, const ResultSet& findings) {
  return chart::clipped(findings.known.label(framework), 60);
}

// The figure with the frameworks as readers know them.
Exhibit labelled(Exhibit figure, const ResultSet& findings) {
  if (!has_column(figure, "framework")) return figure;
  const std::size_t column = chart::column_of(figure, "framework");
  for (std::vector<Datum>& row : figure.rows) row[column].text = label_of(row[column].text, findings);
  return figure;
}

// The devices of a figure's rows, in the order of the findings.
std::vector<std::string> devices_of(const Exhibit& figure, const ResultSet& findings) {
  std::vector<std::string> out = chart::texts_of(figure, "device");
  const auto place = [&](const std::string& label) {
    return std::find_if(findings.devices.begin(), findings.devices.end(),
                        [&](const auto& one) { return chart::clipped(one.label, 200) == label; });
  };
  std::stable_sort(out.begin(), out.end(),
                   [&](const std::string& x, const std::string& y) { return place(x) < place(y); });
  return out;
}

std::string verdict_evidence(const Exhibit& figure, const ResultSet& findings) {
  std::vector<std::string> executed;
  std::vector<std::string> compiled;
  if (has_column(figure, "device")) {
    for (const std::string& label : devices_of(figure, findings)) {
      const auto device =
          std::find_if(findings.devices.begin(), findings.devices.end(),
                       [&](const auto& one) { return chart::clipped(one.label, 200) == label; });
      const bool only = device != findings.devices.end() && !device->note.empty();
      (only ? compiled : executed).push_back(label);
    }
  }
  std::vector<std::string> parts;
  if (!executed.empty()) parts.push_back("executed on " + join(executed, ", "));
  if (!compiled.empty()) parts.push_back("compiled for " + join(compiled, ", ") + ", never executed");
  return join(parts, "; ");
}

// What the numbers rest on.
std::string evidence_of(const Exhibit& figure, const ResultSet& findings) {
  if (has_column(figure, "evidence")) return join(chart::texts_of(figure, "evidence"), "; ");
  const bool derived = figure.id == "figure-3" || figure.id == "figure-7";
  if (findings.published) {
    if (derived && !findings.raw_note.empty()) return findings.raw_note;
    return is_of_times(figure) ? findings.time_note : "published";
  }
  return is_of_times(figure) ? "measured; " + findings.time_note : verdict_evidence(figure, findings);
}

void add_lines(Value::Array& lines, std::string_view text, std::size_t width) {
  const std::string folded = wrapped(one_line(text), width);
  for (const std::string_view line : split_lines(folded)) {
    if (!trim(line).empty()) lines.emplace_back(trim(line));
  }
}

Value title_of(const Exhibit& figure, const ResultSet& findings, std::size_t width) {
  Value::Array title;
  add_lines(title, fmt::format("{} · {}", number_of(figure), chart::clipped(figure.title, 160)),
            width * 3 / 4);
  Value::Array below;
  add_lines(below, chart::clipped(source_of(findings), 200), width);
  if (const std::string evidence = evidence_of(figure, findings); !evidence.empty() && !figure.rows.empty())
    add_lines(below, "evidence: " + chart::clipped(evidence, 300), width);
  return Value(Value::Object{{"text", Value(std::move(title))}, {"subtitle", Value(std::move(below))}});
}

// --- data

Value rows_of(const Exhibit& figure) {
  Value::Array out;
  for (const std::vector<Datum>& row : figure.rows) out.emplace_back(chart::row_of(figure, row));
  return Value(std::move(out));
}

void set_rows(Value& spec, Value rows) { spec.set("data", Value::Object{{"values", std::move(rows)}}); }

// A row of figures 4 and 5 as up to three marks: partial, complete, and both together with the interval.
void add_parts(Value::Array& out, const Exhibit& figure, const std::vector<Datum>& row) {
  const Datum& partial = row[chart::column_of(figure, "partial_percent")];
  const Datum& complete = row[chart::column_of(figure, "complete_percent")];
  const Datum& both = row[chart::column_of(figure, "failing_percent")];
  const bool split = partial.value && complete.value;
  const auto add = [&](std::string_view part, const Datum& datum, int rank, bool drawn, bool whole) {
    Value one(chart::row_of(figure, row));
    one.set("part", part);
    one.set("rank", rank);
    one.set("percent", datum.value ? Value(*datum.value) : Value());
    one.set("low", datum.interval ? Value(datum.interval->low) : Value());
    one.set("high", datum.interval ? Value(datum.interval->high) : Value());
    if (datum.value) one.set("end", std::max(*datum.value, datum.interval ? datum.interval->high : 0));
    one.set("percent_text", one.string_or(whole ? "failing_percent_text" : "", ""));
    one.set("drawn", drawn);
    one.set("whole", whole);
    out.push_back(std::move(one));
  };
  if (split) {
    add("complete", complete, 1, true, false);
    add("partial", partial, 2, true, false);
  }
  add(split ? "both" : kEitherName, both, 3, !split && both.value.has_value(), true);
}

chart::Colors part_colors(const Value& rows) {
  chart::Colors all = {{"complete", kComplete}, {"partial", kPartial}, {std::string(kEitherName), kEither}};
  std::erase_if(all, [&](const auto& one) {
    return std::none_of(rows.as_array().begin(), rows.as_array().end(), [&](const Value& row) {
      return row.bool_or("drawn", false) && row.string_or("part", "") == one.first;
    });
  });
  return all;
}

// Just above the greatest end of an interval, 20 to 100.
double percent_end(const Value& rows) {
  double high = 15;
  for (const Value& row : rows.as_array()) high = std::max(high, row.number_or("end", 0));
  return std::min(100.0, std::ceil((high + 1) / 10) * 10);
}

// A text where a framework has no number for a device that others have one for.
void add_absent(Value::Array& out, const Exhibit& figure, const ResultSet& findings) {
  const std::size_t framework = chart::column_of(figure, "framework");
  const std::size_t device = chart::column_of(figure, "device");
  const std::size_t share =
      chart::column_of(figure, has_column(figure, "category") ? "percent" : "failing_percent");
  for (const std::string& name : chart::texts_of(figure, "framework")) {
    for (const std::string& label : devices_of(figure, findings)) {
      const bool there = std::any_of(figure.rows.begin(), figure.rows.end(), [&](const auto& row) {
        return row[share].value && chart::clipped(row[framework].text, 200) == name &&
               chart::clipped(row[device].text, 200) == label;
      });
      if (there) continue;
      bool none_fails = false;
      for (const analysis::FrameworkResult& found : findings.frameworks) {
        for (std::size_t i = 0; i < findings.devices.size() && i < found.totals.size(); ++i) {
          none_fails |= label_of(found.name, findings) == name &&
                        chart::clipped(findings.devices[i].label, 200) == label &&
                        has_column(figure, "category") && found.totals[i].counts &&
                        found.totals[i].counts->total() > 0 && found.totals[i].counts->failing() == 0;
        }
      }
      out.emplace_back(Value::Object{
          {"framework", name}, {"device", label}, {"absent", none_fails ? "none fails" : "no data"}});
    }
  }
}

Value parts_of(const Exhibit& figure, const ResultSet& findings) {
  Value::Array out;
  for (const std::vector<Datum>& row : figure.rows) add_parts(out, figure, row);
  add_absent(out, figure, findings);
  return Value(std::move(out));
}

// --- forms

Value scatter(const Exhibit& figure, const ResultSet& findings) {
  Value spec = chart::form(chart::scatter_form());
  const std::string a = chart::clipped(figure.columns[chart::column_of(figure, "a_s")].head, 60);
  const std::string b = chart::clipped(figure.columns[chart::column_of(figure, "b_s")].head, 60);
  const chart::LogScale scale =
      chart::log_scale(chart::numbers_of(figure, std::array<std::string_view, 2>{"a_s", "b_s"}), 1.6);
  const std::vector<std::string> frameworks = chart::texts_of(figure, "framework");
  chart::set_log_scale(spec, "layer.3.encoding.x", scale);
  chart::set_log_scale(spec, "layer.3.encoding.y", scale);
  at(spec, "layer.3.encoding.x").set("title", "time per function on " + a);
  at(spec, "layer.3.encoding.y").set("title", "time per function on " + b);
  chart::set_colors(spec, "layer.3.encoding.color", chart::framework_colors(frameworks, findings.known));
  at(spec, "layer.3.encoding.shape").set("scale", Value::Object{{"domain", chart::strings(frameworks)}});
  at(spec, "layer.3.encoding")
      .set("tooltip", tooltip({{"function", "function"},
                               {"framework", "framework"},
                               {"a_s_text", "on " + a},
                               {"b_s_text", "on " + b},
                               {"ratio_text", "ratio"}}));
  for (const auto& [factor, name] :
       {std::pair{1.0, "as fast"}, std::pair{10.0, "10× slower"}, std::pair{0.1, "10× faster"}}) {
    const double from = std::max(scale.low, scale.low / factor);
    const double to = std::min(scale.high, scale.high / factor);
    if (from >= to) continue;
    for (const double x : {from, to}) {
      at(spec, "layer.0.data.values").push(Value::Object{{"x", x}, {"y", x * factor}, {"line", name}});
    }
    at(spec, factor < 1 ? "layer.2.data.values" : "layer.1.data.values")
        .push(Value::Object{{"x", to}, {"y", to * factor}, {"line", name}});
  }
  Value rows = rows_of(figure);
  for (Value& row : rows.as_array()) {
    const double a_s = row.number_or("a_s", 0);
    if (a_s > 0) row.set("ratio_text", ratio_text(row.number_or("b_s", 0) / a_s, Glyphs::of(true)));
  }
  set_rows(spec, std::move(rows));
  return spec;
}

Value density(const Exhibit& figure, const ResultSet& findings) {
  Value spec = chart::form(chart::density_form());
  const std::vector<std::string> devices = devices_of(figure, findings);
  chart::set_log_scale(
      spec, "spec.encoding.x",
      chart::log_scale(chart::numbers_of(figure, std::array<std::string_view, 1>{"seconds"}), 1, 5));
  chart::set_colors(spec, "spec.encoding.color", chart::device_colors(devices));
  at(spec, "spec.layer.1.encoding.strokeDash")
      .set("scale", Value::Object{{"domain", chart::strings(devices)},
                                  {"range", Value(Value::Array{Value(Value::Array{Value(1), Value(0)}),
                                                               Value(Value::Array{Value(6), Value(3)})})}});
  at(spec, "facet.column").set("sort", chart::strings(chart::texts_of(figure, "framework")));
  at(spec, "spec.layer.2.encoding")
      .set("tooltip", tooltip({{"framework", "framework"},
                               {"device", "device"},
                               {"seconds_text", "time"},
                               {"density_shown", "density per decade"}}));
  Value rows = rows_of(figure);
  for (Value& row : rows.as_array())
    row.set("density_shown", fmt::format("{:.3f}", row.number_or("density", 0)));
  set_rows(spec, std::move(rows));
  return spec;
}

Value share(const Exhibit& figure, const ResultSet& findings) {
  Value spec = chart::form(chart::share_form());
  const std::vector<std::string> frameworks = chart::texts_of(figure, "framework");
  at(spec, "encoding.y").set("sort", chart::strings(frameworks));
  chart::set_colors(spec, "layer.0.encoding.color", chart::framework_colors(frameworks, findings.known));
  at(spec, "encoding")
      .set("tooltip", tooltip({{"framework", "framework"},
                               {"faster_percent_text", "faster"},
                               {"functions_text", "functions"}}));
  Value rows = rows_of(figure);
  for (Value& row : rows.as_array()) {
    row.set("end", row.number_or("faster_percent_high", row.number_or("faster_percent", 0)));
    row.set("label", row.string_or("faster_percent_text", ""));
  }
  set_rows(spec, std::move(rows));
  return spec;
}

void set_parts(Value& spec, Value rows, const Exhibit& figure, std::string_view channel) {
  chart::set_colors(spec, "spec.layer.0.encoding.color", part_colors(rows));
  at(spec, channel)
      .set("scale", Value::Object{{"domain", chart::numbers(std::array{0.0, percent_end(rows)})}});
  at(spec, "spec.encoding")
      .set("tooltip", has_column(figure, "decile") ? tooltip({{"framework", "framework"},
                                                              {"device", "device"},
                                                              {"decile_text", "decile"},
                                                              {"partial_percent_text", "partial"},
                                                              {"complete_percent_text", "complete"},
                                                              {"failing_percent_text", "both"},
                                                              {"functions_text", "functions tested"}})
                                                   : tooltip({{"framework", "framework"},
                                                              {"device", "device"},
                                                              {"partial_percent_text", "partial"},
                                                              {"complete_percent_text", "complete"},
                                                              {"failing_percent_text", "both"}}));
  set_rows(spec, std::move(rows));
}

Value deciles(const Exhibit& figure, const ResultSet& findings) {
  Value spec = chart::form(chart::decile_form());
  at(spec, "facet.row").set("sort", chart::strings(devices_of(figure, findings)));
  at(spec, "facet.column").set("sort", chart::strings(chart::texts_of(figure, "framework")));
  set_parts(spec, parts_of(figure, findings), figure, "spec.encoding.y");
  return spec;
}

Value most_used(const Exhibit& figure, const ResultSet& findings) {
  Value spec = chart::form(chart::top_form());
  at(spec, "facet.row").set("sort", chart::strings(chart::texts_of(figure, "framework")));
  at(spec, "spec.encoding.y").set("sort", chart::strings(devices_of(figure, findings)));
  set_parts(spec, parts_of(figure, findings), figure, "spec.encoding.x");
  return spec;
}

Value categories(const Exhibit& figure, const ResultSet& findings) {
  Value spec = chart::form(chart::category_form());
  std::vector<std::string> names = chart::texts_of(figure, "category");
  std::sort(names.begin(), names.end(),
            [](const std::string& x, const std::string& y) { return category_from(x) < category_from(y); });
  at(spec, "facet.row").set("sort", chart::strings(chart::texts_of(figure, "framework")));
  at(spec, "spec.encoding.y").set("sort", chart::strings(devices_of(figure, findings)));
  chart::set_colors(spec, "spec.layer.0.encoding.color", chart::category_colors(names));
  at(spec, "spec.layer.0.encoding")
      .set("tooltip", tooltip({{"framework", "framework"},
                               {"device", "device"},
                               {"category", "category"},
                               {"functions_text", "functions"},
                               {"percent_text", "of the failing"}}));
  Value rows = rows_of(figure);
  std::map<std::pair<std::string, std::string>, double> totals;
  for (Value& row : rows.as_array()) {
    const auto rank = std::find(names.begin(), names.end(), row.string_or("category", "")) - names.begin();
    row.set("rank", static_cast<int64_t>(rank));
    row.set("total", false);
    totals[{row.string_or("framework", ""), row.string_or("device", "")}] += row.number_or("functions", 0);
  }
  for (const auto& [place, total] : totals) {
    rows.push(
        Value::Object{{"framework", place.first},
                      {"device", place.second},
                      {"total", true},
                      {"end", 100},
                      {"functions_text", fmt::format("of {}", count_text(static_cast<int64_t>(total)))}});
  }
  add_absent(rows.as_array(), figure, findings);
  set_rows(spec, std::move(rows));
  return spec;
}

Value factors(const Exhibit& figure, const ResultSet& findings) {
  Value spec = chart::form(chart::factor_form());
  const std::vector<std::string> frameworks = chart::texts_of(figure, "framework");
  chart::set_colors(spec, "spec.encoding.color", chart::framework_colors(frameworks, findings.known));
  at(spec, "facet.column").set("sort", chart::strings(chart::texts_of(figure, "generations")));
  at(spec, "spec.encoding.xOffset").set("sort", chart::strings(frameworks));
  at(spec, "spec.layer.2.encoding.shape").set("scale", Value::Object{{"domain", chart::strings(frameworks)}});
  at(spec, "spec.layer.2.encoding")
      .set("tooltip", tooltip({{"framework", "framework"},
                               {"generations", "generations"},
                               {"factor_text", "by at least"},
                               {"faster_percent_text", "functions"}}));
  set_rows(spec, rows_of(figure));
  return spec;
}

Value histogram(const Exhibit& figure, const ResultSet& findings) {
  Value spec = chart::form(chart::histogram_form());
  const std::vector<std::string> devices = devices_of(figure, findings);
  chart::set_log_scale(
      spec, "spec.encoding.x",
      chart::log_scale(chart::numbers_of(figure, std::array<std::string_view, 2>{"from_s", "to_s"}), 1));
  chart::set_colors(spec, "spec.encoding.color", chart::device_colors(devices));
  at(spec, "spec.encoding.color").set("legend", nullptr);
  at(spec, "facet.row").set("sort", chart::strings(devices));
  at(spec, "spec.encoding")
      .set("tooltip", tooltip({{"device", "device"},
                               {"from_s_text", "from"},
                               {"to_s_text", "to"},
                               {"functions_text", "functions"}}));
  set_rows(spec, rows_of(figure));
  return spec;
}

// Where the axis of errors begins: what is exact stands there.
constexpr double kLeastUlp = 0.01;

Value spread(const Exhibit& figure) {
  Value spec = chart::form(chart::spread_form());
  at(spec, "facet.row").set("sort", chart::strings(chart::texts_of(figure, "target")));
  at(spec, "spec.encoding")
      .set("tooltip", tooltip({{"target", "target"},
                               {"dtype", "dtype"},
                               {"median_ulp_text", "median"},
                               {"p90_ulp_text", "90%"},
                               {"p99_ulp_text", "99%"},
                               {"max_ulp_text", "most"},
                               {"results_text", "results"}}));
  Value rows = rows_of(figure);
  std::vector<double> drawn;
  for (Value& row : rows.as_array()) {
    for (const char* key : {"median_ulp", "p90_ulp", "p99_ulp", "max_ulp"}) {
      drawn.push_back(std::max(row.number_or(key, 0), kLeastUlp));
      row.set(fmt::format("{}_at", key), drawn.back());
    }
  }
  chart::set_log_scale(spec, "spec.encoding.x", chart::log_scale(drawn, 1.5));
  set_rows(spec, std::move(rows));
  return spec;
}

Value nothing(const Exhibit& figure) {
  Value spec = chart::form(chart::nothing_form());
  std::string text = "no data";
  for (const std::string& note : figure.notes) text += ": " + chart::clipped(note, 300);
  const std::string folded(trim(wrapped(text, 62)));
  set_rows(spec, Value(Value::Array{Value(Value::Object{{"text", Value(folded)}})}));
  return spec;
}

// The form of a figure, by what it has columns of.
Value drawn(const Exhibit& figure, const ResultSet& findings) {
  if (figure.rows.empty()) return nothing(figure);
  switch (figure.chart) {
    case analysis::Chart::kScatter:
      return scatter(figure, findings);
    case analysis::Chart::kDensity:
      return density(figure, findings);
    case analysis::Chart::kBars:
      return has_column(figure, "factor") ? factors(figure, findings) : share(figure, findings);
    case analysis::Chart::kStackedBars:
      if (has_column(figure, "category")) return categories(figure, findings);
      return has_column(figure, "decile") ? deciles(figure, findings) : most_used(figure, findings);
    case analysis::Chart::kHistogram:
      return histogram(figure, findings);
    case analysis::Chart::kSpread:
      return spread(figure);
    case analysis::Chart::kNone:
      break;
  }
  return nothing(figure);
}

// Characters of a subtitle that stand above the drawing.
std::size_t title_width(const Exhibit& figure) {
  if (figure.rows.empty()) return 90;
  if (figure.chart == analysis::Chart::kDensity) return 60 + 32 * chart::texts_of(figure, "framework").size();
  if (has_column(figure, "decile")) return 52 + 26 * chart::texts_of(figure, "framework").size();
  if (has_column(figure, "generations")) return 40 + 46 * chart::texts_of(figure, "generations").size();
  return 90;
}

}  // namespace

Value chart_spec(const Exhibit& figure, const ResultSet& findings) {
  const Exhibit shown = labelled(figure, findings);
  Value spec(Value::Object{
      {"$schema", Value("https://vega.github.io/schema/vega-lite/v6.json")},
      {"description", Value(fmt::format("{}: {}", number_of(figure), chart::clipped(figure.title, 160)))},
      {"title", title_of(shown, findings, title_width(shown))}});
  const Value form = drawn(shown, findings);
  for (const auto& [key, value] : form.as_object()) spec.set(key, value);
  return spec;
}

}  // namespace seamark::report
