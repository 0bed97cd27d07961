// A sample as it was drawn, for `seamark sample`.
#pragma once

#include <string>

#include "seamark/model/sample.h"
#include "seamark/report/document/document.h"

namespace seamark::report {

// As a document, JSON, or CSV: one row per function of the record, overlaps and exclusions too.
[[nodiscard]] std::string render_sample(Format format, const Sample& sample, const RenderOptions& options);

}  // namespace seamark::report
