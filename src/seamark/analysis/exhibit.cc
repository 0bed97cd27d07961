#include "seamark/analysis/exhibit.h"

#include <algorithm>

namespace seamark::analysis {

Datum Datum::of(std::string text) { return {Unit::kText, std::move(text), {}, {}, {}, {}, {}}; }
Datum Datum::of(Unit unit, double value) { return {unit, {}, value, {}, {}, {}, {}}; }
Datum Datum::none(Unit unit, std::string reason) { return {unit, {}, {}, std::move(reason), {}, {}, {}}; }

Datum Datum::of(Unit unit, const Measured& measured) {
  return measured.value ? of(unit, *measured.value) : none(unit, measured.reason);
}

void note_missing_intervals(Exhibit& exhibit) {
  for (const std::vector<Datum>& row : exhibit.rows) {
    for (const Datum& datum : row) {
      if (datum.unit != Unit::kPercent || !datum.value || datum.interval) continue;
      exhibit.notes.emplace_back(
          "without an interval: a percentage alone was published, not what it is a share of");
      return;
    }
  }
}

Datum Datum::share(std::int64_t count, std::int64_t total) {
  if (total == 0) return none(Unit::kPercent, "nothing ran");
  Datum out = of(Unit::kPercent, 100.0 * static_cast<double>(count) / static_cast<double>(total));
  const std::optional<Interval> interval = wilson(std::clamp(count, std::int64_t{0}, total), total);
  if (interval) out.interval = Interval{100 * interval->low, 100 * interval->high};
  out.total = total;
  return out;
}

}  // namespace seamark::analysis
