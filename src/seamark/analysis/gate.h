// Which changes are findings: `seamark compare --fail-on`.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "seamark/analysis/change.h"
#include "seamark/base/result.h"

namespace seamark::analysis {

class Gate {
 public:
  // New failures, and what is slower beyond the noise floor.
  static Gate standard();
  // "new-failures,slower=1.5": names of kinds, "any" (every regression) or "none"; kBadGate names the word.
  static Result<Gate> parse(std::string_view list);

  // Never for what is expected, nor for a ratio without an interval.
  [[nodiscard]] bool asks_for(const Change& change) const;
  [[nodiscard]] bool asks_for_drift() const { return drift_; }
  // Without what the earlier side has nothing for. kBadGate where such a kind was asked for by its name: that
  // gate could never find anything.
  [[nodiscard]] Result<Gate> within(const std::vector<Unanswered>& unanswered) const;
  // Canonical: "new-failures,slower=1.5"; "none".
  [[nodiscard]] std::string text() const;

 private:
  std::vector<ChangeKind> kinds_;  // in their order, each once
  std::vector<ChangeKind> named_;  // of these, by their own word
  std::optional<double> slower_;   // factor
  bool drift_ = false;
};

// Marks the findings and counts them, drift included.
void apply_gate(Comparison& comparison, const Gate& gate);

}  // namespace seamark::analysis
