// A hand-made summary that the tests of this room render: nine targets of three frameworks, with every
// verdict, a target that only compiles, one that falls back to the host and one that is not usable.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "seamark/analysis/summary.h"

namespace seamark::report::testing {

analysis::Summary sample_summary();

// The same with Detail::kFull: two attempts of one failing case.
analysis::Summary sample_summary_with_attempts();

// Calls `change` with every string of the summary that comes from outside (names, messages, versions,
// devices, reasons, keys and texts of documents), so that a test can make all of them hostile.
void for_each_text(analysis::Summary& summary, const std::function<void(std::string&)>& change);

// Markup, quotes, escape sequences, control and bidirectional characters, invalid UTF-8, commas, pipes
// and line ends; a different text for each n.
std::string hostile_text(int n);
analysis::Summary hostile_summary();

}  // namespace seamark::report::testing
