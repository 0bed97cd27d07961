#include "seamark/catalog/coverage.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <set>
#include <utility>

#include "seamark/base/text.h"
#include "seamark/catalog/names.h"

namespace seamark::catalog {
namespace {

struct Found {
  std::string suite;  // empty: no case
  Level level = Level::kListed;
};

bool any_glob(const std::vector<std::string>& globs, std::string_view name) {
  return std::any_of(globs.begin(), globs.end(), [&](const auto& glob) { return glob_match(glob, name); });
}

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

  Coverage finish() const {
    Coverage out;
    out.head = catalogue_.head;
    for (std::size_t i = 0; i < found_.size(); ++i) {
      const CatalogueFunction& function = catalogue_.functions[i];
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
    return out;
  }

 private:
  [[nodiscard]] std::string curated() const { return rules_.suites.empty() ? "" : rules_.suites.front(); }

  [[nodiscard]] FunctionCover judge(const CatalogueFunction& function, const Found& found) const {
    FunctionCover row{.function = &function, .suite = found.suite, .reason = {}};
    row.level = found.level;
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
               std::span<const store::FunctionEvidence> evidence) {
  Coverer coverer(catalogue, rules);
  coverer.add_cases(cases);
  coverer.add_evidence(evidence);
  return coverer.finish();
}

}  // namespace seamark::catalog
