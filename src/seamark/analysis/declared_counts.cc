#include "seamark/analysis/declared_counts.h"

#include <algorithm>
#include <utility>

namespace seamark::analysis {
namespace {

// Several entries of a framework are several targets.
bool was_run(const std::vector<FrameworkVersions>& run, const DeclaredHead& head) {
  return std::any_of(run.begin(), run.end(), [&](const FrameworkVersions& one) {
    return one.framework == head.framework &&
           std::find(one.versions.begin(), one.versions.end(), head.version) != one.versions.end();
  });
}

}  // namespace

DeclaredCounts count_declared(const Declared& declared) {
  DeclaredCounts counts;
  for (const DeclaredFunction& function : declared.functions) {
    ++counts.functions;
    if (function.host_only) {
      ++counts.host_only;
      continue;
    }
    counts.named += function.state == DeclaredState::kNamed ? 1 : 0;
    counts.partial += function.state == DeclaredState::kPartial ? 1 : 0;
    counts.missing += function.state == DeclaredState::kMissing ? 1 : 0;
    counts.no_operator += function.state == DeclaredState::kNoOperator ? 1 : 0;
    counts.unknown += function.state == DeclaredState::kUnknown ? 1 : 0;
  }
  return counts;
}

std::vector<Declared> choose_declared(std::vector<Declared> all, const std::vector<FrameworkVersions>& run) {
  std::vector<Declared> chosen;
  for (Declared& one : all) {
    const bool wanted = std::any_of(run.begin(), run.end(), [&](const FrameworkVersions& framework) {
      return framework.framework == one.head.framework;
    });
    if (!wanted) continue;
    const auto same = std::find_if(chosen.begin(), chosen.end(), [&](const Declared& other) {
      return other.head.framework == one.head.framework && other.head.device == one.head.device;
    });
    if (same == chosen.end()) {
      chosen.push_back(std::move(one));
    } else if (was_run(run, one.head) && !was_run(run, same->head)) {
      *same = std::move(one);
    }
  }
  std::stable_sort(chosen.begin(), chosen.end(),
                   [](const Declared& a, const Declared& b) { return a.head.framework < b.head.framework; });
  return chosen;
}

}  // namespace seamark::analysis
