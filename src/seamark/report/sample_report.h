// What a sample says of the whole catalogue, in each format.
#pragma once

#include <string>

#include "seamark/analysis/summary.h"
#include "seamark/base/value.h"
#include "seamark/report/number_text.h"
#include "seamark/report/render_options.h"

namespace seamark::report {

// What the figures say and do not, the same in each format.
std::string sample_meaning(const analysis::SampleReport& sample);

// Empty where the run was of no sample.
std::string sample_section(const analysis::Summary& summary, const RenderOptions& options,
                           const Glyphs& glyphs);
std::string sample_markdown(const analysis::Summary& summary, const Glyphs& glyphs);
std::string sample_html(const analysis::Summary& summary, const Glyphs& glyphs);
// Null where the run was of no sample.
Value sample_value(const analysis::Summary& summary);

}  // namespace seamark::report
