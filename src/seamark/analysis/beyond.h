// What the study did not ask, as exhibits beside its own: rates on the device, trends with use, calls that
// break, what to mend first, ratios and their tests, cold against warm, and matrices by dtype and category
// (docs/report.md).
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "seamark/analysis/exhibit.h"
#include "seamark/analysis/operators.h"
#include "seamark/analysis/result_set.h"
#include "seamark/analysis/study_tables.h"
#include "seamark/analysis/summary.h"

namespace seamark::analysis {

struct BeyondOptions {
  ExhibitChoice choice;              // the pair that ratios are of; matrices keep to it where it is given
  const Summary* summary = nullptr;  // what the findings are of; nullptr: a published study
  std::string usage;                 // whose calls are counted, as users call it; empty: not known
  std::size_t to_do_rows = 0;        // per target; 0: all, with all that stands in them
  const std::vector<TargetOperators>* operators = nullptr;  // one per target of `summary`; nullptr: not read
};

// rates, errors, sample, trend, calls-weighted, to-do, missing-operators, ratios, slow, cold-warm, dtypes,
// categories, correlation, in this order. One that there is nothing for has no rows, and its notes say why.
std::vector<Exhibit> beyond_study(const ResultSet& findings, const BeyondOptions& options);

// Of them the one that stands on the page of a run.
Exhibit missing_operators(const ResultSet& findings, const BeyondOptions& options);

// Those of a run that are drawn, too.
std::vector<Exhibit> drawn_beyond(const ResultSet& findings, const BeyondOptions& options);

// Parts of it, each of several of these in order. Internal to the room.
std::vector<Exhibit> time_exhibits(const ResultSet& findings, const BeyondOptions& options);
std::vector<Exhibit> matrix_exhibits(const ResultSet& findings, const BeyondOptions& options);

// What they share.
// "compiled: tpu-v3+aot", devices by what their passes rest on.
std::vector<std::string> evidence_notes(const ResultSet& findings, const std::vector<std::size_t>& devices);
// Those of --pair, else all.
std::vector<std::size_t> asked_devices(const ResultSet& findings, const BeyondOptions& options);
// The pair's two where one was asked for, else all that have counts.
std::vector<std::size_t> matrix_devices(const ResultSet& findings, const BeyondOptions& options);

}  // namespace seamark::analysis
