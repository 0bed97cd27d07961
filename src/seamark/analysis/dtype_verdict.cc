#include "seamark/analysis/dtype_verdict.h"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "seamark/model/verdict.h"

namespace seamark::analysis {
namespace {

constexpr std::array<std::string_view, 17> kOrder = {"f64",  "f32", "bf16", "f16", "f8e4m3", "f8e5m2",
                                                     "c128", "c64", "i64",  "i32", "i16",    "i8",
                                                     "u64",  "u32", "u16",  "u8",  "bool"};

DtypeVerdict verdict_of(const CaseCell& cell) {
  if (cell.outcome == Outcome::kPass) {
    if (cell.unchecked) return DtypeVerdict::kUnknown;
    return cell.placement == Where::kHost ? DtypeVerdict::kFallsBack : DtypeVerdict::kPass;
  }
  if (!failed(cell.outcome) || cell.unanswered) return DtypeVerdict::kUnknown;
  if (cell.fails_on_reference) return DtypeVerdict::kRefused;
  switch (cell.category.value_or(Category::kUnclassified)) {
    case Category::kType:
    case Category::kNotImplemented:
      return DtypeVerdict::kNotImplemented;
    case Category::kWrongResult:
    case Category::kFloatPrecision:
      return DtypeVerdict::kWrong;
    default:
      return DtypeVerdict::kFails;
  }
}

// How much a case says: what fails says more than what passes, and that more than what the reference refuses.
int weight(DtypeVerdict verdict) {
  switch (verdict) {
    case DtypeVerdict::kUnknown:
      return 0;
    case DtypeVerdict::kRefused:
      return 1;
    case DtypeVerdict::kPass:
      return 2;
    case DtypeVerdict::kFallsBack:
      return 3;
    case DtypeVerdict::kNotImplemented:
      return 4;
    case DtypeVerdict::kFails:
      return 5;
    case DtypeVerdict::kWrong:
      return 6;
  }
  return 0;
}

std::optional<DtypeCell> cell_of(const std::vector<const CaseRow*>& cases, std::size_t target) {
  DtypeCell cell;
  int refused = 0;
  for (const CaseRow* one : cases) {
    const CaseCell& of_case = one->cells[target];
    if (!of_case.planned) continue;
    const DtypeVerdict verdict = verdict_of(of_case);
    ++cell.cases;
    refused += verdict == DtypeVerdict::kRefused ? 1 : 0;
    cell.passed += verdict == DtypeVerdict::kPass || verdict == DtypeVerdict::kFallsBack ? 1 : 0;
    if (weight(verdict) > weight(cell.verdict)) cell.verdict = verdict;
  }
  if (cell.cases == 0) return std::nullopt;
  if (cell.verdict != DtypeVerdict::kRefused) cell.cases -= refused;
  return cell;
}

}  // namespace

std::string_view name_of(DtypeVerdict verdict) {
  switch (verdict) {
    case DtypeVerdict::kPass:
      return "pass";
    case DtypeVerdict::kFallsBack:
      return "falls-back";
    case DtypeVerdict::kRefused:
      return "refused";
    case DtypeVerdict::kNotImplemented:
      return "not-implemented";
    case DtypeVerdict::kFails:
      return "fails";
    case DtypeVerdict::kWrong:
      return "wrong";
    case DtypeVerdict::kUnknown:
      return "unknown";
  }
  return "unknown";
}

std::span<const std::string_view> dtype_order() { return kOrder; }

std::vector<DtypeRow> dtypes_of(const FunctionRow& function) {
  using Key = std::pair<std::size_t, std::string>;
  std::map<Key, std::vector<const CaseRow*>> by_dtype;
  for (const CaseRow& row : function.cases) {
    if (row.dtype.empty()) continue;
    const auto place =
        static_cast<std::size_t>(std::find(kOrder.begin(), kOrder.end(), row.dtype) - kOrder.begin());
    by_dtype[{place, row.dtype}].push_back(&row);
  }
  std::vector<DtypeRow> rows;
  for (const auto& [key, cases] : by_dtype) {
    DtypeRow row{key.second, {}};
    for (std::size_t t = 0; t < function.cells.size(); ++t) row.cells.push_back(cell_of(cases, t));
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace seamark::analysis
