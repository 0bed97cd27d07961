// A table or figure as data: its cells, their units, and why a cell is empty. The report room decides how it
// looks.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "seamark/analysis/stats.h"
#include "seamark/model/target_name.h"

namespace seamark::analysis {

enum class Unit : std::uint8_t {
  kText,
  kCount,    // functions
  kPercent,  // 0 to 100
  kSeconds,
  kRatio,   // b over a
  kTally,   // of anything but functions
  kNumber,  // without a unit: a coefficient, a probability
};

struct Datum {
  Unit unit = Unit::kText;
  std::string text;               // of kText
  std::optional<double> value;    // of the others
  std::string reason;             // why there is no value
  std::optional<double> printed;  // what a study printed in this place, where it is another figure
  std::optional<Interval> interval;
  std::optional<std::int64_t> total;  // of a share: what it is a share of

  static Datum of(std::string text);
  static Datum of(Unit unit, double value);
  static Datum none(Unit unit, std::string reason);
  // A percentage with Wilson's interval; "nothing ran" where total is 0. A count above its total, as a study
  // may print one, has the interval of the whole.
  static Datum share(std::int64_t count, std::int64_t total);
  static Datum of(Unit unit, const Measured& measured);
};

struct ExhibitColumn {
  std::string key;   // gpu_pass_percent: of CSV and JSON
  std::string head;  // as people read it; '\n' breaks it
  Unit unit = Unit::kText;
};

enum class Chart : std::uint8_t { kNone, kScatter, kDensity, kBars, kStackedBars, kHistogram };

struct Exhibit {
  std::string id;  // table-1, figure-4
  std::string title;
  std::vector<ExhibitColumn> columns;
  std::vector<std::vector<Datum>> rows;  // of the columns' length
  std::vector<std::string> notes;
  Chart chart = Chart::kNone;  // of a figure; its rows are what is drawn, one mark a row
};

// Says of percentages that stand without an interval why they do.
void note_missing_intervals(Exhibit& exhibit);

}  // namespace seamark::analysis
