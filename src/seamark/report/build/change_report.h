// `seamark compare A B` in each of its formats. Docs: docs/compare.md.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "seamark/analysis/change.h"
#include "seamark/base/value.h"
#include "seamark/report/document/document.h"
#include "seamark/report/document/finding.h"
#include "seamark/report/render/render_options.h"

namespace seamark::report {

// Ends with a newline.
std::string render_changes(Format format, const analysis::Comparison& comparison,
                           const RenderOptions& options);

// For people; as Markdown it fits into a comment on GitHub.
Document changes_document(const analysis::Comparison& comparison, const RenderOptions& options);
std::string changes_json(const analysis::Comparison& comparison, const RenderOptions& options);
// The members of that document but `schema` and `seamark`.
Value changes_object(const analysis::Comparison& comparison);
// A rule per kind of regression, a suite per pair of targets with a check per case of either side.
Findings changes_findings(const analysis::Comparison& comparison);

}  // namespace seamark::report
