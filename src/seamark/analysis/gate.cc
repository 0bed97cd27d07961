#include "seamark/analysis/gate.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "seamark/analysis/analysis_error.h"
#include "seamark/analysis/change_cases.h"
#include "seamark/base/text.h"

namespace seamark::analysis {

namespace {

constexpr std::array<std::pair<std::string_view, ChangeKind>, 10> kWords{{
    {"new-failures", ChangeKind::kNewFailure},
    {"added-failures", ChangeKind::kAddedFailure},
    {"unexpected-passes", ChangeKind::kUnexpectedPass},
    {"category-changed", ChangeKind::kCategoryChanged},
    {"flaky", ChangeKind::kFlaky},
    {"not-run", ChangeKind::kNotRun},
    {"slower", ChangeKind::kSlower},
    {"dropped", ChangeKind::kDropped},
    {"weaker-evidence", ChangeKind::kWeakerEvidence},
    {"stale", ChangeKind::kStale},
}};

std::vector<std::string> words() {
  std::vector<std::string> out;
  for (const auto& [word, kind] : kWords) out.emplace_back(word);
  out.insert(out.end(), {"drift", "any", "none"});
  return out;
}

std::string_view word_of(ChangeKind kind) {
  const auto* known =
      std::find_if(kWords.begin(), kWords.end(), [&](const auto& one) { return one.second == kind; });
  return known == kWords.end() ? name_of(kind) : known->first;
}

Error unknown_word(std::string_view word) {
  const std::vector<std::string> known = words();
  const std::optional<std::string> near = nearest(word, known);
  return Error(AnalysisError::kBadGate, fmt::format("--fail-on: there is no kind of finding '{}'", word),
               near ? fmt::format("did you mean '{}'?", *near) : "some of " + join(known, ","));
}

}  // namespace

Gate Gate::standard() {
  Gate gate;
  gate.kinds_ = {ChangeKind::kNewFailure, ChangeKind::kSlower};
  return gate;
}

Result<Gate> Gate::parse(std::string_view list) {
  Gate gate;
  bool none = false;
  for (std::string_view word : split(list, ',')) {
    word = trim(word);
    if (word == "none") {
      none = true;
      continue;
    }
    if (word == "drift") {
      gate.drift_ = true;
      continue;
    }
    if (word == "any") {
      for (const auto& [name, kind] : kWords) gate.kinds_.push_back(kind);
      continue;
    }
    const std::size_t equals = word.find('=');
    const std::string_view name = word.substr(0, equals);
    const auto* known =
        std::find_if(kWords.begin(), kWords.end(), [&](const auto& one) { return one.first == name; });
    if (known == kWords.end()) return unknown_word(word);
    gate.kinds_.push_back(known->second);
    gate.named_.push_back(known->second);
    if (equals == std::string_view::npos) continue;
    const std::optional<double> factor = parse_double(word.substr(equals + 1));
    if (known->second != ChangeKind::kSlower || !factor || *factor < 1) {
      return Error(AnalysisError::kBadGate, fmt::format("--fail-on: '{}' is no factor of 1 and up", word),
                   "only slower takes one: slower=1.5");
    }
    gate.slower_ = factor;
  }
  if (none && (!gate.kinds_.empty() || gate.drift_)) {
    return Error(AnalysisError::kBadGate, "--fail-on: 'none' stands alone", "say none, or what to fail on");
  }
  std::sort(gate.kinds_.begin(), gate.kinds_.end());
  gate.kinds_.erase(std::unique(gate.kinds_.begin(), gate.kinds_.end()), gate.kinds_.end());
  return gate;
}

bool Gate::asks_for(const Change& change) const {
  if (change.expected || std::find(kinds_.begin(), kinds_.end(), change.kind) == kinds_.end()) return false;
  if (change.kind != ChangeKind::kSlower) return true;
  // One busy moment makes a time that was measured once a hundred times as long.
  if (!change.ratio || !change.ratio->interval) return false;
  return !slower_ || beyond(*change.ratio, change.clock, *slower_);
}

Result<Gate> Gate::within(const std::vector<Unanswered>& unanswered) const {
  Gate gate = *this;
  for (const Unanswered& one : unanswered) {
    const auto is_it = [&](ChangeKind kind) { return kind == one.kind; };
    if (std::any_of(named_.begin(), named_.end(), is_it)) {
      std::vector<std::string> rest;
      for (const auto& [word, kind] : kWords) {
        const bool answered =
            std::none_of(unanswered.begin(), unanswered.end(),
                         [&, of = kind](const Unanswered& other) { return other.kind == of; });
        if (answered) rest.emplace_back(word);
      }
      return Error(AnalysisError::kBadGate,
                   fmt::format("--fail-on: '{}' can never be found here: {}", word_of(one.kind), one.reason),
                   fmt::format("leave it out; this earlier side can answer: {}, drift", join(rest, ", ")));
    }
    std::erase_if(gate.kinds_, is_it);
  }
  return gate;
}

std::string Gate::text() const {
  std::vector<std::string> parts;
  for (const ChangeKind kind : kinds_) {
    parts.emplace_back(word_of(kind));
    if (kind == ChangeKind::kSlower && slower_) parts.back() += fmt::format("={}", *slower_);
  }
  if (drift_) parts.emplace_back("drift");
  return parts.empty() ? "none" : join(parts, ",");
}

void apply_gate(Comparison& comparison, const Gate& gate) {
  comparison.gate = gate.text();
  comparison.drift_counts = gate.asks_for_drift();
  comparison.findings = gate.asks_for_drift() ? static_cast<int>(comparison.drifts.size()) : 0;
  const auto mark = [&](std::vector<Change>& changes) {
    for (Change& change : changes) {
      change.finding = gate.asks_for(change);
      comparison.findings += change.finding ? 1 : 0;
    }
  };
  mark(comparison.of_targets);
  for (PairDelta& pair : comparison.pairs) mark(pair.changes);
}

}  // namespace seamark::analysis
