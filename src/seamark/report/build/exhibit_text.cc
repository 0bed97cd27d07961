#include "seamark/report/build/exhibit_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>
#include <vector>

#include "seamark/base/log_commands.h"
#include "seamark/base/text.h"
#include "seamark/base/value.h"
#include "seamark/report/document/document_formats.h"
#include "seamark/report/render/json_parts.h"
#include "seamark/report/render/number_text.h"

namespace seamark::report {

using analysis::Datum;
using analysis::Exhibit;
using analysis::ExhibitColumn;
using analysis::ResultSet;
using analysis::Unit;

namespace {

// In the order of Unit.
constexpr std::array<std::string_view, 7> kUnitNames = {"text",  "functions", "percent", "s",
                                                        "ratio", "count",     "number"};
std::string_view unit_name(Unit unit) { return kUnitNames.at(static_cast<std::size_t>(unit)); }

// A head on one line.
std::string head_of(const ExhibitColumn& column) { return one_line(column.head); }

// A head with its one line break; devices are named by what was run.
std::string broken_head(const ExhibitColumn& column) {
  const std::size_t line_end = column.head.find('\n');
  std::string head = one_line(column.head.substr(0, line_end));
  if (line_end != std::string::npos) head += "\n" + one_line(column.head.substr(line_end + 1));
  return head;
}

// One decimal, without one that is zero.
std::string decimal(double value, int digits) {
  std::string text = fmt::format("{:.{}f}", value, digits);
  if (text.ends_with(".0")) text.resize(text.size() - 2);
  return text;
}

// Two decimals; of what is smaller, a probability for instance, its first two digits.
std::string plain_text(double value) {
  const double size = std::abs(value);
  return size > 0 && (size < 0.095 || size >= 1e6) ? fmt::format("{:.2g}", value)
                                                   : fmt::format("{:.2f}", value);
}

std::string number_text(Unit unit, double value, const Glyphs& glyphs) {
  switch (unit) {
    case Unit::kCount:
    case Unit::kTally:
      return count_text(static_cast<std::int64_t>(std::llround(value)));
    case Unit::kPercent:
      return decimal(value, 1) + "%";
    case Unit::kSeconds:
      // Thousandths of a millisecond, as the study printed; of what is shorter three digits.
      return value < 1e-4 ? fmt::format("{:.3g} ms", value * 1e3) : fmt::format("{:.3f} ms", value * 1e3);
    case Unit::kRatio:
      return ratio_text(value, glyphs);
    case Unit::kNumber:
      return plain_text(value);
    case Unit::kText:
      break;
  }
  throw std::logic_error("a text is no number");
}

std::string interval_of(const Datum& datum, const Glyphs& glyphs) {
  if (!datum.interval) return {};
  const auto& [low, high] = *datum.interval;
  switch (datum.unit) {
    case Unit::kPercent:
      return fmt::format(" [{:.0f}{}{:.0f}]", low, glyphs.range, high);
    case Unit::kRatio:
      return fmt::format(" [{}]", interval_text(datum.interval, glyphs, glyphs.none));
    case Unit::kSeconds:
      return fmt::format(" [{:.3g}{}{:.3g}]", low * 1e3, glyphs.range, high * 1e3);
    case Unit::kNumber:
      return fmt::format(" [{:.2f}, {:.2f}]", low, high);
    default:
      return {};
  }
}

std::string cell_text(const Datum& datum, const Glyphs& glyphs) {
  if (datum.unit == Unit::kText) return one_line(datum.text);
  if (!datum.value) return glyphs.none;
  std::string text = number_text(datum.unit, *datum.value, glyphs);
  if (datum.total) text += fmt::format(" of {}", count_text(*datum.total));
  text += interval_of(datum, glyphs);
  if (datum.printed) text += fmt::format(" (printed: {})", number_text(datum.unit, *datum.printed, glyphs));
  return text;
}

// Its notes, then why cells are empty, each reason once.
std::vector<std::string> notes_under(const Exhibit& exhibit, const Glyphs& glyphs) {
  std::vector<std::string> out;
  out.reserve(exhibit.notes.size());
  for (const std::string& note : exhibit.notes) out.push_back(one_line(note));
  for (const std::vector<Datum>& row : exhibit.rows) {
    for (const Datum& datum : row) {
      if (datum.unit == Unit::kText || datum.value || datum.reason.empty()) continue;
      std::string reason = fmt::format("{} {}", glyphs.none, one_line(datum.reason));
      if (std::find(out.begin(), out.end(), reason) == out.end()) out.push_back(std::move(reason));
    }
  }
  return out;
}

// "tpu-v3+aot: compiled only: ...", one per device that has a note.
std::vector<std::string> device_notes(const ResultSet& findings) {
  std::vector<std::string> out;
  for (const analysis::DeviceResult& device : findings.devices) {
    if (!device.note.empty()) out.push_back(one_line(fmt::format("{}: {}", device.label, device.note)));
  }
  return out;
}

// --- for people

// Short, for columns side by side: the sign stands in the head, and what was printed in round brackets.
std::string narrow_text(const Datum& datum, const Glyphs& glyphs) {
  Datum shown = datum;
  shown.printed.reset();
  std::string text = cell_text(shown, glyphs);
  if (datum.printed) text += fmt::format(" ({})", number_text(datum.unit, *datum.printed, glyphs));
  if (datum.unit == Unit::kPercent && !datum.total)
    text.erase(std::remove(text.begin(), text.end(), '%'), text.end());
  return text;
}

bool any_printed(const Exhibit& exhibit) {
  const auto printed = [](const Datum& datum) { return datum.printed.has_value(); };
  return std::any_of(exhibit.rows.begin(), exhibit.rows.end(), [&](const std::vector<Datum>& row) {
    return std::any_of(row.begin(), row.end(), printed);
  });
}

Column column_of(const ExhibitColumn& column, std::size_t least) {
  Column out;
  out.head = broken_head(column);
  out.align = column.unit == Unit::kText ? Column::Align::kLeft : Column::Align::kRight;
  if (column.unit == Unit::kText) out.elastic = least;
  if (column.unit == Unit::kPercent) out.head += " %";
  return out;
}

TextTable table_of(const Exhibit& exhibit, const Glyphs& glyphs) {
  // Where there is much to show, names give way before figures do.
  constexpr std::size_t kMany = 6;
  std::vector<Column> columns;
  columns.reserve(exhibit.columns.size());
  for (const ExhibitColumn& column : exhibit.columns)
    columns.push_back(column_of(column, exhibit.columns.size() > kMany ? 10 : 20));
  TextTable table(std::move(columns));
  table.keep_all_columns();  // a figure is never cut
  for (const std::vector<Datum>& row : exhibit.rows) {
    std::vector<Cell> cells;
    cells.reserve(row.size());
    for (const Datum& datum : row) {
      cells.push_back(exhibit.columns[cells.size()].key == "function" ? Cell::function(datum.text)
                                                                      : Cell(narrow_text(datum, glyphs)));
    }
    table.add_row(std::move(cells));
  }
  return table;
}

Document document_of(const ResultSet& findings, std::span<const Exhibit> exhibits, bool unicode) {
  Document out;
  out.head = {{"", findings.title}, {"", findings.source}};
  for (const std::string& note : device_notes(findings)) out.head.push_back({"", note});
  for (const Exhibit& exhibit : exhibits) out.add(exhibit_section(exhibit, unicode));
  out.add(contradiction_section(findings));
  return out;
}

// --- CSV and JSON

std::string plain_number(const std::optional<double>& value) {
  return value && std::isfinite(*value) ? fmt::format("{:.9g}", *value) : std::string();
}

std::string csv_of(std::span<const Exhibit> exhibits) {
  std::string out = "exhibit,row,column,text,value,unit,low,high,printed,reason,total\r\n";
  for (const Exhibit& exhibit : exhibits) {
    for (std::size_t r = 0; r < exhibit.rows.size(); ++r) {
      for (std::size_t c = 0; c < exhibit.columns.size(); ++c) {
        const Datum& datum = exhibit.rows[r][c];
        const auto end = [&](double analysis::Interval::* part) {
          return datum.interval ? plain_number((*datum.interval).*part) : std::string();
        };
        out += fmt::format(
            "{},{},{},{},{},{},{},{},{},{},{}\r\n", exhibit.id, r + 1, exhibit.columns[c].key,
            csv_field(one_line(datum.text)), plain_number(datum.value), unit_name(exhibit.columns[c].unit),
            end(&analysis::Interval::low), end(&analysis::Interval::high), plain_number(datum.printed),
            csv_field(one_line(datum.reason)), datum.total ? fmt::format("{}", *datum.total) : std::string());
      }
    }
  }
  return out;
}

Value datum_value(const Datum& datum) {
  if (datum.unit == Unit::kText) return Value(datum.text);
  Value::Object object;
  json::put(object, "value", {datum.value, datum.reason});
  if (datum.interval) object.emplace_back("interval", json::interval(datum.interval));
  if (datum.printed) object.emplace_back("printed", json::number(datum.printed));
  if (datum.total) object.emplace_back("total", Value(*datum.total));
  return Value(std::move(object));
}

std::string json_of(const ResultSet& findings, std::span<const Exhibit> exhibits,
                    const RenderOptions& options) {
  Value::Array list;
  for (const Exhibit& exhibit : exhibits) {
    Value::Array columns;
    for (const ExhibitColumn& column : exhibit.columns) {
      columns.emplace_back(Value::Object{{"key", Value(column.key)},
                                         {"head", Value(head_of(column))},
                                         {"unit", Value(unit_name(column.unit))}});
    }
    Value::Array rows;
    for (const std::vector<Datum>& row : exhibit.rows) {
      Value::Object object;
      for (std::size_t c = 0; c < row.size(); ++c) {
        object.emplace_back(exhibit.columns[c].key, datum_value(row[c]));
      }
      rows.emplace_back(std::move(object));
    }
    list.emplace_back(Value::Object{{"id", Value(exhibit.id)},
                                    {"title", Value(exhibit.title)},
                                    {"columns", Value(std::move(columns))},
                                    {"rows", Value(std::move(rows))},
                                    {"notes", json::strings(exhibit.notes)}});
  }
  Value::Array devices;
  for (const analysis::DeviceResult& device : findings.devices) {
    devices.emplace_back(Value::Object{
        {"key", Value(device.key)}, {"label", Value(device.label)}, {"note", text_or_null(device.note)}});
  }
  const Value document(Value::Object{{"kind", Value("seamark-exhibits")},
                                     {"tool_version", Value(options.tool_version)},
                                     {"title", Value(findings.title)},
                                     {"source", Value(findings.source)},
                                     {"devices", Value(std::move(devices))},
                                     {"exhibits", Value(std::move(list))},
                                     {"contradictions", json::strings(findings.contradictions)}});
  return dump_json_pretty(document);
}

// --- LaTeX

std::string latex_escape(std::string_view raw) {
  std::string out;
  for (const char c : one_line(raw)) {
    if (std::string_view("&%$#_{}").find(c) != std::string_view::npos) out += '\\';
    out += c == '\\'  ? "\\textbackslash{}"
           : c == '~' ? "\\textasciitilde{}"
           : c == '^' ? "\\textasciicircum{}"
                      : std::string(1, c);
  }
  return out;
}

std::string latex_of(const ResultSet& findings, std::span<const Exhibit> exhibits) {
  const Glyphs glyphs = Glyphs::of(false);
  std::string out = "% \\usepackage{booktabs,longtable}\n";
  for (const std::string& note : device_notes(findings)) out += "% " + latex_escape(note) + "\n";
  for (const Exhibit& exhibit : exhibits) {
    if (exhibit.rows.empty()) {
      out += fmt::format("\n% {}: {}: no data\n", exhibit.id, latex_escape(exhibit.title));
      continue;
    }
    std::string align;
    std::string heads;
    for (const ExhibitColumn& column : exhibit.columns) {
      align += column.unit == Unit::kText ? 'l' : 'r';
      heads += (heads.empty() && align.size() == 1 ? "" : " & ") + latex_escape(head_of(column));
    }
    out += fmt::format(
        "\n\\begin{{longtable}}{{{}}}\n\\caption{{{}}}\\label{{{}}}\\\\\n\\toprule\n{} \\\\\n"
        "\\midrule\n\\endhead\n",
        align, latex_escape(exhibit.title), exhibit.id, heads);
    for (const std::vector<Datum>& row : exhibit.rows) {
      std::string line;
      for (std::size_t c = 0; c < row.size(); ++c) {
        line += (c == 0 ? "" : " & ") + latex_escape(cell_text(row[c], glyphs));
      }
      out += line + " \\\\\n";
    }
    out += "\\bottomrule\n\\end{longtable}\n";
    for (const std::string& note : notes_under(exhibit, glyphs)) out += "% " + latex_escape(note) + "\n";
  }
  return without_log_commands(out);
}

}  // namespace

std::string number_of(const Exhibit& exhibit) {
  const std::string words = replace_all(exhibit.id, "-", " ");
  return upper(words.substr(0, 1)) + words.substr(1);
}

Section exhibit_section(const Exhibit& exhibit, bool unicode) {
  const Glyphs glyphs = Glyphs::of(unicode);
  Section out{.id = exhibit.id, .heading = number_of(exhibit), .note = exhibit.title, .blocks = {}};
  if (!exhibit.rows.empty()) out.blocks.emplace_back(table_of(exhibit, glyphs));
  Items notes{notes_under(exhibit, glyphs)};
  if (any_printed(exhibit)) {
    notes.texts.emplace_back("in round brackets: as printed, where that is another figure");
  }
  if (!notes.texts.empty()) out.blocks.emplace_back(std::move(notes));
  return out;
}

Section contradiction_section(const ResultSet& findings) {
  if (findings.contradictions.empty()) return {};
  return {.id = "contradictions",
          .heading = "What does not agree",
          .note = "What the source says of itself in two ways; kept as printed, and counted nowhere twice.",
          .blocks = {Items{findings.contradictions}}};
}

std::string datum_text(const Datum& datum, bool unicode) { return cell_text(datum, Glyphs::of(unicode)); }

std::string render_exhibits(Format format, const ResultSet& findings, std::span<const Exhibit> exhibits,
                            const RenderOptions& options) {
  switch (format) {
    case Format::kJson:
      return json_of(findings, exhibits, options);
    case Format::kCsv:
      return csv_of(exhibits);
    case Format::kLatex:
      return latex_of(findings, exhibits);
    default:
      return render(format, findings.title, document_of(findings, exhibits, options.unicode), options);
  }
}

}  // namespace seamark::report
