// `seamark compare STUDY SIDE` in each of its formats.
#pragma once

#include <string>
#include <vector>

#include "seamark/analysis/study_compare.h"
#include "seamark/report/build/change_report.h"
#include "seamark/report/build/derive.h"
#include "seamark/report/render/render_options.h"

namespace seamark::report {

// The comparison with the study, and its changes as those of any two sides; JUnit and SARIF are of the
// changes alone. Ends with a newline.
std::string render_study(Format format, const analysis::StudyComparison& comparison,
                         const RenderOptions& options);

// Without the changes.
std::string study_terminal(const analysis::StudyComparison& comparison, const RenderOptions& options);
std::string study_markdown(const analysis::StudyComparison& comparison);
// With them.
std::string study_json(const analysis::StudyComparison& comparison, const RenderOptions& options);

// --- what the formats say in the same words

// "compiles" where nothing was executed, else "runs".
std::string verb_of(const analysis::StudyTarget& target);
// "jax 0.4.8 then, 0.10.2 now, libtpu 0.0.42.1".
std::string versions_text(const analysis::StudyTarget& target);
// What limits the figures.
std::vector<Note> study_notes(const analysis::StudyComparison& comparison);
// Functions that could not be checked, by reason.
struct Unchecked {
  std::string reason;
  std::vector<std::string> functions;
};
std::vector<Unchecked> unchecked_of(const analysis::StudyTarget& target);
// Lines that fail, and partly fail; those that were published first.
std::vector<const analysis::StudyLine*> failing_lines(const analysis::StudyTarget& target);

}  // namespace seamark::report
