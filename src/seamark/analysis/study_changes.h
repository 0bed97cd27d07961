// What a run changes against a published study, in the words of change.h. Internal to the room.
#pragma once

#include "seamark/analysis/study_compare.h"

namespace seamark::analysis {

// A pair for each target of `told`. The study's side has no cases: what it published is of functions, so
// are newly failing, no longer run, slower, faster, dropped and added; cases stand there for expectations,
// and for what fails with nothing to compare with. Comparison::unanswered has what it says nothing of.
Comparison changes_since(const Study& study, const Summary& summary, const StudyComparison& told,
                         const StudyOptions& options);

}  // namespace seamark::analysis
