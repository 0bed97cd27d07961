// `seamark compare STUDY SIDE` in each of its formats.
#pragma once

#include <string>

#include "seamark/analysis/study_compare.h"
#include "seamark/report/document/document.h"
#include "seamark/report/render/render_options.h"

namespace seamark::report {

// JUnit and SARIF are of the changes alone. Ends with a newline.
std::string render_study(Format format, const analysis::StudyComparison& comparison,
                         const RenderOptions& options);

// The comparison with the study, then its changes as those of any two sides.
Document study_document(const analysis::StudyComparison& comparison, const RenderOptions& options);

}  // namespace seamark::report
