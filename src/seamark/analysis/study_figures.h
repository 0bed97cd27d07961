// Figures 1 to 10 of The Grand Illusion (Mince et al. 2023) from any findings, as the data that is drawn.
#pragma once

#include <vector>

#include "seamark/analysis/exhibit.h"
#include "seamark/analysis/result_set.h"
#include "seamark/analysis/study_tables.h"

namespace seamark::analysis {

// In the study's order; one that the findings have nothing for has no rows, and says why.
std::vector<Exhibit> study_figures(const ResultSet& findings, const ExhibitChoice& choice = {});

}  // namespace seamark::analysis
