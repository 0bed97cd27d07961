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
  static Datum of(Unit unit, const Measured& measured);
  static Datum of(const Rate& rate);  // as a percentage
  static Datum none(Unit unit, std::string reason);
  static Datum count(std::int64_t count, Unit unit = Unit::kCount);
  // A fraction and its interval as percentages.
  static Datum percent(const Measured& fraction, const std::optional<Interval>& interval);
  // A percentage with Wilson's interval; "nothing ran" where total is 0. A count above its total, as a study
  // may print one, has the interval of the whole.
  static Datum share(std::int64_t count, std::int64_t total);
};

struct ExhibitColumn {
  std::string key;   // gpu_pass_percent: of CSV and JSON
  std::string head;  // as people read it; '\n' breaks it
  Unit unit = Unit::kText;
};

enum class Chart : std::uint8_t { kNone, kScatter, kDensity, kBars, kStackedBars, kHistogram, kSpread };

struct Exhibit {
  std::string id;  // table-1, figure-4
  std::string title;
  std::vector<ExhibitColumn> columns;
  std::vector<std::vector<Datum>> rows;  // of the columns' length
  std::vector<std::string> notes;
  Chart chart = Chart::kNone;  // of a figure; its rows are what is drawn, one mark a row

  // One that there is nothing for.
  static Exhibit none(std::string id, std::string title, std::string why);

  // For declarations (tabulate.h): each gives the exhibit with more notes, of which empty ones are left out;
  // always, where it has no rows, where it has some.
  Exhibit note(const std::vector<std::string>& texts) &&;
  Exhibit if_empty(const std::vector<std::string>& texts) &&;
  Exhibit if_filled(const std::vector<std::string>& texts) &&;
  // Where a value of this unit stands without an interval.
  Exhibit if_without_interval(Unit of, const char* text) &&;
  // Without the rows that have no value.
  Exhibit drop_empty_rows() &&;
};

}  // namespace seamark::analysis
