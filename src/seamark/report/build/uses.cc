#include "seamark/report/build/uses.h"

namespace seamark::report {

Uses::Uses(const analysis::ResultSet* findings, std::string source) : source_(std::move(source)) {
  if (findings == nullptr) return;
  for (const analysis::FrameworkResult& framework : findings->frameworks) {
    for (const analysis::FunctionResult& one : framework.functions) {
      if (one.calls) by_name_.emplace(Key{framework.name, one.name}, &one);
    }
  }
}

const analysis::FunctionResult* Uses::of(const analysis::FunctionRow& function) const {
  const auto at = by_name_.find(Key{function.framework, function.name});
  return at == by_name_.end() ? nullptr : at->second;
}

std::optional<std::int64_t> Uses::calls_of(const analysis::FunctionRow& function) const {
  const analysis::FunctionResult* use = of(function);
  return use == nullptr ? std::nullopt : use->calls;
}

}  // namespace seamark::report
