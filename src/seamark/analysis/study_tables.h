// Tables 1 to 8 of The Grand Illusion (Mince et al. 2023) from any findings, and the headlines of its text.
#pragma once

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "seamark/analysis/exhibit.h"
#include "seamark/analysis/result_set.h"

namespace seamark::analysis {

struct ExhibitChoice {
  std::optional<DevicePair> pair;       // devices a and b; nullopt: the findings' own
  std::vector<DevicePair> generations;  // older, newer; empty: the findings' own
  [[nodiscard]] std::optional<DevicePair> pair_of(const ResultSet& findings) const {
    return pair ? pair : findings.main_pair;
  }
  [[nodiscard]] const std::vector<DevicePair>& generations_of(const ResultSet& findings) const {
    return generations.empty() ? findings.generation_pairs : generations;
  }
};

// In the study's order. A table that the findings have nothing for is there, with no rows and the reason in
// its notes.
std::vector<Exhibit> study_tables(const ResultSet& findings, const ExhibitChoice& choice = {});
// The figures of the study's text: those of a study beside what was printed, the same measures of a store.
Exhibit headlines(const ResultSet& findings, const ExhibitChoice& choice = {});

}  // namespace seamark::analysis
