#include "seamark/report/build/declared_parts.h"

#include <fmt/format.h>

#include <algorithm>

#include "seamark/analysis/declared_check.h"
#include "seamark/analysis/declared_counts.h"
#include "seamark/analysis/dtype_verdict.h"
#include "seamark/base/text.h"
#include "seamark/report/build/derive.h"
#include "seamark/report/render/number_text.h"

namespace seamark::report {
namespace {

using analysis::DeclaredCounts;
using Align = Column::Align;

constexpr std::size_t kNamesShown = 4;

std::string package_of(const DeclaredHead& head) {
  return fmt::format("{} {}", one_line(head.package), one_line(head.package_version));
}

std::string names_text(const std::vector<std::string>& names) {
  const std::size_t shown = std::min(names.size(), kNamesShown);
  std::string out;
  for (std::size_t i = 0; i < shown; ++i) out += (i == 0 ? "" : ", ") + one_line(names[i]);
  if (names.size() > shown) out += fmt::format(" and {} more", names.size() - shown);
  return out;
}

Tone tone_of(DeclaredState state) {
  if (state == DeclaredState::kMissing) return Tone::kBad;
  return state == DeclaredState::kPartial ? Tone::kPartial : Tone::kDim;
}

Cell number_cell(int count) { return {count_text(count), count == 0 ? Tone::kDim : Tone::kPlain}; }

// "f32, bf16", in the order of all reports.
std::string dtypes_text(const DeclaredFunction& function, bool named) {
  std::vector<std::string> found;
  for (const std::string_view dtype : analysis::dtype_order()) {
    if (named_in(function, dtype) == named) found.emplace_back(dtype);
  }
  return join(found, ", ");
}

// What its lists say of data types, or nothing.
std::string dtypes_sentence(const DeclaredFunction& function) {
  const std::string named = dtypes_text(function, true);
  const std::string missing = dtypes_text(function, false);
  if (named.empty() && missing.empty()) return {};
  return fmt::format("data types: {}{}", named.empty() ? "none" : named,
                     missing.empty() ? std::string() : "; not " + missing);
}

bool is_gap(const DeclaredFunction& function) {
  return !function.host_only &&
         (function.state == DeclaredState::kMissing || function.state == DeclaredState::kPartial);
}

Value function_value(const DeclaredFunction& function) {
  Value dtypes = Value::Object{};
  for (const std::string& dtype : function.dtypes)
    dtypes.set(dtype, named_in(function, dtype) == true ? "named" : "missing");
  return Value(Value::Object{{"name", Value(function.name)},
                             {"state", Value(name_of(function.state))},
                             {"host_only", Value(function.host_only)},
                             {"cases", Value(function.cases)},
                             {"cases_named", Value(function.named)},
                             {"operators", text_list(function.operators)},
                             {"operators_missing", text_list(function.missing)},
                             {"dtypes", std::move(dtypes)},
                             {"note", text_or_null(function.note)}});
}

Value check_value(const analysis::DeclaredCheck& check, const analysis::Summary& summary) {
  return Value(Value::Object{{"target", Value(summary.targets[check.target].target)},
                             {"dtypes", Value(check.compared)},
                             {"named_fails", text_list(check.named_fails)},
                             {"missing_runs", text_list(check.missing_runs)}});
}

TextTable check_table(const analysis::Summary& summary) {
  TextTable table({{"target"},
                   {"data types\nof", Align::kLeft, 0, 16},
                   {"compared", Align::kRight},
                   {"named, does\nnot run", Align::kRight},
                   {"not named,\nruns", Align::kRight}});
  for (const Declared& one : summary.declared) {
    for (const analysis::DeclaredCheck& check : analysis::check_declared(one, summary)) {
      const auto cell = [&](const std::vector<std::string>& pairs) -> Cell {
        const auto count = static_cast<double>(pairs.size());
        return {fmt::format("{} ({:.1f}%)", pairs.size(), 100 * count / check.compared),
                pairs.empty() ? Tone::kDim : Tone::kPartial};
      };
      const std::string& target = summary.targets[check.target].target;
      table.add_row({Cell::target(target), fmt::format("{}, {}", package_of(one.head), one.head.device),
                     number_cell(check.compared), cell(check.named_fails), cell(check.missing_runs)});
      if (!check.named_fails.empty())
        table.add_note(fmt::format("{}, named and does not run: {}", target, names_text(check.named_fails)));
      if (!check.missing_runs.empty())
        table.add_note(fmt::format("{}, not named and runs: {}", target, names_text(check.missing_runs)));
    }
  }
  return table;
}

TextTable gap_table(const std::vector<Declared>& declared) {
  TextTable table({{"function", Align::kLeft, 0, 24},
                   {"cases\nnamed", Align::kRight},
                   {"operators without a kernel", Align::kLeft, 0, 30}});
  for (const Declared& one : declared) {
    bool first = true;
    for (const DeclaredFunction& function : one.functions) {
      if (!is_gap(function)) continue;
      if (first) {
        table.add_section(
            fmt::format("{}: {} names no kernel for what these call", one.head.device, package_of(one.head)));
      }
      first = false;
      table.add_row({Cell::function(function.name, tone_of(function.state)),
                     fmt::format("{}/{}", function.named, function.cases), names_text(function.missing)});
    }
  }
  return table;
}

Section section_of(TextTable table) {
  return {.id = "declared",
          .heading = "Declared, not attempted",
          .note = std::string(declared_meaning()),
          .blocks = {std::move(table)}};
}

}  // namespace

std::string_view declared_meaning() {
  return "declared: a version names a kernel for every operator that a function's core cases call on the "
         "CPU. "
         "Nothing was run, lowered or compiled for the device; it does not say that the function runs there. "
         "Data types are those of its own lists.";
}

const DeclaredFunction* find_declared(const Declared& declared, std::string_view function) {
  const auto found = std::find_if(declared.functions.begin(), declared.functions.end(),
                                  [&](const DeclaredFunction& one) { return one.name == function; });
  return found == declared.functions.end() ? nullptr : &*found;
}

std::string declared_sentence(const DeclaredHead& head, const DeclaredFunction& function) {
  const std::string package = package_of(head);
  const std::string cases = plural(function.cases, "core case");
  switch (function.state) {
    case DeclaredState::kNamed:
      return fmt::format("{} names a kernel for every operator that its {} {}", package, cases,
                         function.cases == 1 ? "calls" : "call");
    case DeclaredState::kPartial:
      return fmt::format("{} names a kernel for every operator in {} of {}, none for {}", package,
                         function.named, cases, names_text(function.missing));
    case DeclaredState::kMissing:
      return fmt::format("{} names no kernel for {}", package, names_text(function.missing));
    case DeclaredState::kNoOperator:
      return fmt::format("nothing to declare: its {} {} no operator", cases,
                         function.cases == 1 ? "calls" : "call");
    case DeclaredState::kUnknown:
      return fmt::format("not known: {}", one_line(function.note));
  }
  return {};
}

Section declared_section(const std::vector<Declared>& declared) {
  if (declared.empty()) return {};
  TextTable table({{"framework"},
                   {"device"},
                   {"named by", Align::kLeft, 0, 16},
                   {"func-\ntions", Align::kRight, 2},
                   {"every\noperator", Align::kRight},
                   {"in some\ncases", Align::kRight},
                   {"none", Align::kRight},
                   {"calls\nnone", Align::kRight, 1},
                   {"not\nknown", Align::kRight, 1},
                   {"host-\nonly", Align::kRight, 1}});
  for (const Declared& one : declared) {
    const DeclaredCounts counts = analysis::count_declared(one);
    table.add_row({one.head.framework, one.head.device, package_of(one.head), number_cell(counts.functions),
                   number_cell(counts.named), number_cell(counts.partial), number_cell(counts.missing),
                   number_cell(counts.no_operator), number_cell(counts.unknown),
                   number_cell(counts.host_only)});
  }
  Section section = section_of(std::move(table));
  if (TextTable gaps = gap_table(declared); !gaps.empty()) section.blocks.emplace_back(std::move(gaps));
  return section;
}

Section declared_section(const analysis::Summary& summary) {
  Section section = declared_section(summary.declared);
  if (TextTable checks = check_table(summary); !checks.empty())
    section.blocks.emplace_back(std::move(checks));
  return section;
}

Section declared_of(const std::vector<Declared>& declared, std::string_view function) {
  TextTable table({{"device"}, {"declared", Align::kLeft, 0, 40}});
  for (const Declared& one : declared) {
    const DeclaredFunction* found = find_declared(one, function);
    if (found == nullptr) continue;
    const Tone tone = found->host_only ? Tone::kDim : tone_of(found->state);
    table.add_row({one.head.device, {std::string(name_of(found->state)), tone}});
    table.add_note(declared_sentence(one.head, *found), Tone::kPlain);
    if (const std::string dtypes = dtypes_sentence(*found); !dtypes.empty()) table.add_note(dtypes);
    if (!one.head.note.empty()) table.add_note(one.head.note);
    if (!found->note.empty() && found->state != DeclaredState::kUnknown) table.add_note(found->note);
  }
  if (table.empty()) return {};
  return section_of(std::move(table));
}

Value declared_value(const std::vector<Declared>& declared, const analysis::Summary* summary) {
  Value::Array list;
  for (const Declared& one : declared) {
    const DeclaredCounts counts = analysis::count_declared(one);
    Value::Array functions;
    for (const DeclaredFunction& function : one.functions) functions.push_back(function_value(function));
    Value::Array checks;
    if (summary != nullptr) {
      for (const analysis::DeclaredCheck& check : analysis::check_declared(one, *summary))
        checks.push_back(check_value(check, *summary));
    }
    list.emplace_back(Value::Object{{"evidence", Value("declared")},
                                    {"framework", Value(one.head.framework)},
                                    {"framework_version", Value(one.head.version)},
                                    {"device", Value(one.head.device)},
                                    {"family", Value(one.head.family)},
                                    {"package", Value(one.head.package)},
                                    {"package_version", Value(one.head.package_version)},
                                    {"source", Value(one.head.source)},
                                    {"note", text_or_null(one.head.note)},
                                    {"taken", text_or_null(iso_text(one.head.taken_unix_us))},
                                    {"counts", Value(Value::Object{{"functions", Value(counts.functions)},
                                                                   {"named", Value(counts.named)},
                                                                   {"partial", Value(counts.partial)},
                                                                   {"missing", Value(counts.missing)},
                                                                   {"no_operator", Value(counts.no_operator)},
                                                                   {"unknown", Value(counts.unknown)},
                                                                   {"host_only", Value(counts.host_only)}})},
                                    {"dtype_checks", Value(std::move(checks))},
                                    {"functions", Value(std::move(functions))}});
  }
  return Value(std::move(list));
}

std::string declared_csv(const std::vector<Declared>& declared) {
  std::string out =
      "framework,framework_version,device,family,package,package_version,function,state,host_only,cases,"
      "cases_named,operators_missing,dtypes,dtypes_missing,note\r\n";
  const auto field = [](const std::string& text) { return csv_field(one_line(text)); };
  for (const Declared& one : declared) {
    const DeclaredHead& head = one.head;
    for (const DeclaredFunction& function : one.functions) {
      out += fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}\r\n", field(head.framework),
                         field(head.version), field(head.device), field(head.family), field(head.package),
                         field(head.package_version), field(function.name), name_of(function.state),
                         function.host_only ? 1 : 0, function.cases, function.named,
                         field(join(function.missing, " ")), field(join(function.dtypes, " ")),
                         field(join(function.dtypes_missing, " ")), field(function.note));
    }
  }
  return out;
}

}  // namespace seamark::report
