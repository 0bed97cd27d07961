// What a sample says of the whole catalogue.
#pragma once

#include "seamark/analysis/summary.h"
#include "seamark/base/value.h"
#include "seamark/report/document/document.h"
#include "seamark/report/render/number_text.h"

namespace seamark::report {

// Without blocks where the run was of no sample.
Section sample_section(const analysis::Summary& summary, const Glyphs& glyphs);
// Null where the run was of no sample.
Value sample_value(const analysis::Summary& summary);

}  // namespace seamark::report
