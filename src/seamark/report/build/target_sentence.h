// One sentence that says what a run found on one target.
#pragma once

#include <cstddef>
#include <string>

#include "seamark/analysis/summary.h"
#include "seamark/report/render/number_text.h"

namespace seamark::report {

// "torch/lazy runs 54 of 63 functions, half of them on the host, typically 7.02× slower than torch/cpu; 2
// unanswered": functions that pass of those that ran, how many of these fell back to the host, the median of
// the warm ratios. Plain text on one line, without a period.
std::string target_sentence(const analysis::Summary& summary, std::size_t target, const Glyphs& glyphs);

}  // namespace seamark::report
