// What the formats of a comparison say in the same words. All texts are one line of plain text: results are
// made harmless for a terminal, not for a markup.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "seamark/analysis/change.h"
#include "seamark/report/render/number_text.h"

namespace seamark::report {

// "RuntimeError: expected ...": type and the first line of the message, at most 300 bytes.
std::string first_error_line(const analysis::CaseCell& cell);
// "passes (verified)", "fails: not-implemented", "skip: no such dtype", "not attempted".
std::string standing_text(const analysis::CaseCell& cell);

// The case, else the function, else "(all of it)".
std::string place_of(const analysis::Change& change);
// What is to be known of a change beside its kind and place. `pair` holds it; nullptr: it is of a target.
std::string statement_of(const analysis::Change& change, const analysis::PairDelta* pair,
                         const Glyphs& glyphs);

// "A" for one target, "A against B" for two.
std::string pair_title(const analysis::PairDelta& pair);
// "run 7c07ac23 of c.db, 2026-11-21 19:31 UTC".
std::string side_text(const analysis::OperandFacts& side);
// "2 findings (of new-failures, slower)" or "no findings (of ...)".
std::string answer_of(const analysis::Comparison& comparison);
// "host cpu: X, now Y".
std::string drift_text(const analysis::Drift& drift);
// Kinds that the earlier side has nothing for, by reason: "category-changed, weaker-evidence: not published".
std::vector<std::string> unanswered_texts(const analysis::Comparison& comparison);
// "1.02× (1.00–1.04) over 410 cases"; empty where nothing was timed.
std::string overall_text(const analysis::Overall& overall, const Glyphs& glyphs);

// Changes of one kind, in their order.
std::vector<const analysis::Change*> changes_of(const std::vector<analysis::Change>& changes,
                                                analysis::ChangeKind kind);
// How many of one kind are not expected.
std::size_t unexpected_of(const std::vector<analysis::Change>& changes, analysis::ChangeKind kind);
// "newly failing": the heading of a kind.
std::string heading_of(analysis::ChangeKind kind);

}  // namespace seamark::report
