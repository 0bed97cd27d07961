#include "seamark/analysis/declared_check.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "seamark/analysis/dtype_verdict.h"
#include "seamark/base/text.h"
#include "seamark/model/target_name.h"

namespace seamark::analysis {
namespace {

// A wrong result was made there; one that the host made was not.
std::optional<bool> runs(const std::optional<DtypeCell>& cell) {
  if (!cell || cell->verdict == DtypeVerdict::kUnknown) return std::nullopt;
  if (cell->verdict == DtypeVerdict::kFallsBack) return false;
  return cell->passed > 0 || cell->verdict == DtypeVerdict::kWrong;
}

}  // namespace

std::vector<DeclaredCheck> check_declared(const Declared& declared, const Summary& summary) {
  std::map<std::string_view, const DeclaredFunction*> functions;
  for (const DeclaredFunction& one : declared.functions) {
    if (!one.host_only && !one.dtypes.empty()) functions.emplace(one.name, &one);
  }
  std::vector<DeclaredCheck> checks;
  for (std::size_t t = 0; t < summary.targets.size(); ++t) {
    const Result<TargetName> name = TargetName::parse(summary.targets[t].target);
    // The kernels of a mode are another compiler's; ahead of time the device's own are compiled.
    if (summary.targets[t].framework != declared.head.framework || !name ||
        name->family != declared.head.family || (!name->mode.empty() && name->mode != "aot"))
      continue;
    checks.push_back({.target = t, .compared = 0, .named_fails = {}, .missing_runs = {}});
  }
  if (checks.empty() || functions.empty()) return {};
  for (const FunctionRow& function : summary.functions) {
    const auto found = functions.find(function.name);
    if (found == functions.end() || function.host_only) continue;
    for (const DtypeRow& row : dtypes_of(function)) {
      const std::optional<bool> named = named_in(*found->second, row.dtype);
      if (!named) continue;
      for (DeclaredCheck& check : checks) {
        const std::optional<bool> ran = runs(row.cells[check.target]);
        if (!ran) continue;
        ++check.compared;
        if (*named != *ran)
          (*named ? check.named_fails : check.missing_runs).push_back(function.name + " " + row.dtype);
      }
    }
  }
  std::erase_if(checks, [](const DeclaredCheck& check) { return check.compared == 0; });
  return checks;
}

}  // namespace seamark::analysis
