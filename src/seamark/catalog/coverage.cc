#include "seamark/catalog/coverage.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "seamark/base/text.h"
#include "seamark/catalog/names.h"

namespace seamark::catalog {
namespace {

struct Found {
  std::string suite;  // empty: no case
  Level level = Level::kListed;
  std::int64_t calls = 0;
};

constexpr std::array kBands = {80, 90, 100};

Level level_of(const store::FunctionEvidence& row) {
  if (row.verified) return Level::kVerified;
  if (row.executed) return Level::kExecuted;
  if (row.compiled) return Level::kCompiled;
  return Level::kFailed;
}

class Coverer {
 public:
  Coverer(const Catalogue& catalogue, const Rules& rules)
      : catalogue_(catalogue), rules_(rules), names_(catalogue), found_(catalogue.functions.size()) {}

  void add_cases(std::span<const CaseInfo> cases) {
    for (const CaseInfo& info : cases) {
      if (info.framework != catalogue_.head.framework) continue;
      const auto index = names_.find(info.function);
      if (!index) {
        unmatched_.insert(info.function);
        continue;
      }
      std::string& suite = found_[*index].suite;
      if (suite.empty() || (suite != curated() && info.suite == curated())) suite = info.suite;
    }
  }

  void add_evidence(std::span<const store::FunctionEvidence> evidence) {
    for (const store::FunctionEvidence& row : evidence) {
      if (row.framework != catalogue_.head.framework ||
          public_version(row.version) != public_version(catalogue_.head.version)) {
        continue;
      }
      const auto index = names_.find(row.function);
      if (!index) continue;
      Found& found = found_[*index];
      if (!found.suite.empty()) found.level = std::max(found.level, level_of(row));
    }
  }

  void add_usage(std::span<const UsageRow> usage) {
    for (const UsageRow& row : usage) {
      if (!is_certain(row.tier) || row.framework != catalogue_.head.framework) continue;
      if (const auto index = names_.find(row.function)) found_[*index].calls += row.calls;
    }
  }

  Coverage finish() const {
    Coverage out;
    out.head = catalogue_.head;
    std::vector<FunctionCover> called;
    for (std::size_t i = 0; i < found_.size(); ++i) {
      const CatalogueFunction& function = catalogue_.functions[i];
      if (found_[i].calls > 0) called.push_back(judge(function, found_[i]));
      if (!function.deprecated.empty()) {
        ++out.deprecated;
        if (!found_[i].suite.empty()) out.deprecated_covered.push_back(function.name);
        continue;
      }
      FunctionCover row = judge(function, found_[i]);
      ++out.counts[static_cast<std::size_t>(row.cover) - 1][static_cast<std::size_t>(row.level) - 1];
      if (row.cover == Cover::kNotTestable) ++out.reasons[row.reason];
      out.functions.push_back(std::move(row));
    }
    out.total = static_cast<std::int64_t>(out.functions.size());
    out.unmatched.assign(unmatched_.begin(), unmatched_.end());
    out.by_calls = bands(std::move(called));
    return out;
  }

 private:
  static std::vector<CallBand> bands(std::vector<FunctionCover> called) {
    std::sort(called.begin(), called.end(), [](const FunctionCover& one, const FunctionCover& other) {
      return std::tie(other.calls, one.function->name) < std::tie(one.calls, other.function->name);
    });
    std::int64_t all = 0;
    for (const FunctionCover& row : called) all += row.calls;
    std::vector<CallBand> bands;
    for (const int percent : kBands) {
      CallBand band{.percent = percent};
      for (const FunctionCover& row : called) {
        if (100 * band.calls >= percent * all) break;
        ++band.functions;
        band.calls += row.calls;
        const bool covered = row.cover == Cover::kCurated || row.cover == Cover::kAutomatic;
        if (row.cover == Cover::kCurated) band.curated += row.calls;
        (covered ? band.by_level[static_cast<std::size_t>(row.level) - 1] : band.uncovered) += row.calls;
      }
      if (band.calls > 0) bands.push_back(band);
    }
    return bands;
  }

  [[nodiscard]] std::string curated() const { return rules_.suites.empty() ? "" : rules_.suites.front(); }

  [[nodiscard]] FunctionCover judge(const CatalogueFunction& function, const Found& found) const {
    FunctionCover row{.function = &function, .suite = found.suite, .reason = {}};
    row.level = found.level;
    row.calls = found.calls;
    if (found.suite.empty()) imply(function, row);
    if (!row.suite.empty()) {
      row.cover = row.suite == curated() ? Cover::kCurated : Cover::kAutomatic;
      return row;
    }
    for (const NotTestable& rule : rules_.not_testable) {
      const bool kind = rule.kinds.empty() ||
                        std::find(rule.kinds.begin(), rule.kinds.end(), function.kind) != rule.kinds.end();
      if (!kind || (!rule.names.empty() && !any_glob(rule.names, function.name))) continue;
      row.cover = Cover::kNotTestable;
      row.reason = rule.reason;
      return row;
    }
    row.cover = function.declared.empty() ? Cover::kNone : Cover::kDeclared;
    return row;
  }

  // Through cases of its class.
  void imply(const CatalogueFunction& function, FunctionCover& row) const {
    if (function.holder.empty()) return;
    for (const Implied& rule : rules_.implied) {
      if (!any_glob(rule.names, function.name)) continue;
      const auto holder = names_.find_exact(function.holder);
      if (!holder || found_[*holder].suite.empty()) return;
      row.suite = found_[*holder].suite;
      row.level = found_[*holder].level;
      row.reason = rule.reason;
      return;
    }
  }

  const Catalogue& catalogue_;
  const Rules& rules_;
  Names names_;
  std::vector<Found> found_;
  std::set<std::string> unmatched_;
};

}  // namespace

std::string_view name_of(Cover cover) {
  switch (cover) {
    case Cover::kCurated:
      return "curated";
    case Cover::kAutomatic:
      return "automatic";
    case Cover::kNotTestable:
      return "not-testable";
    case Cover::kDeclared:
      return "declared";
    case Cover::kNone:
      return "not-covered";
  }
  return "unknown";
}

std::string_view name_of(Level level) {
  switch (level) {
    case Level::kListed:
      return "listed";
    case Level::kFailed:
      return "failed";
    case Level::kCompiled:
      return "compiled";
    case Level::kExecuted:
      return "executed";
    case Level::kVerified:
      return "verified";
  }
  return "unknown";
}

std::int64_t Coverage::count(Cover cover) const {
  const auto& row = counts[static_cast<std::size_t>(cover) - 1];
  return std::accumulate(row.begin(), row.end(), std::int64_t{0});
}

std::int64_t Coverage::count(Level level) const {
  const std::size_t column = static_cast<std::size_t>(level) - 1;
  return counts[static_cast<std::size_t>(Cover::kCurated) - 1][column] +
         counts[static_cast<std::size_t>(Cover::kAutomatic) - 1][column];
}

Coverage cover(const Catalogue& catalogue, const Rules& rules, std::span<const CaseInfo> cases,
               std::span<const store::FunctionEvidence> evidence, std::span<const UsageRow> usage) {
  Coverer coverer(catalogue, rules);
  coverer.add_cases(cases);
  coverer.add_evidence(evidence);
  coverer.add_usage(usage);
  return coverer.finish();
}

}  // namespace seamark::catalog
