#include "seamark/analysis/exhibit.h"

#include <algorithm>

namespace seamark::analysis {

Datum Datum::of(std::string text) { return {Unit::kText, std::move(text), {}, {}, {}, {}, {}}; }
Datum Datum::of(Unit unit, double value) { return {unit, {}, value, {}, {}, {}, {}}; }
Datum Datum::none(Unit unit, std::string reason) { return {unit, {}, {}, std::move(reason), {}, {}, {}}; }
Datum Datum::count(std::int64_t count, Unit unit) { return of(unit, static_cast<double>(count)); }

Datum Datum::of(Unit unit, const Measured& measured) {
  return measured.value ? of(unit, *measured.value) : none(unit, measured.reason);
}

Datum Datum::of(const Rate& rate) {
  return rate.value ? share(rate.count, rate.total) : none(Unit::kPercent, rate.reason);
}

Datum Datum::percent(const Measured& fraction, const std::optional<Interval>& interval) {
  if (!fraction.value) return none(Unit::kPercent, fraction.reason);
  Datum out = of(Unit::kPercent, 100 * *fraction.value);
  if (interval) out.interval = Interval{100 * interval->low, 100 * interval->high};
  return out;
}

Datum Datum::share(std::int64_t count, std::int64_t total) {
  if (total == 0) return none(Unit::kPercent, "nothing ran");
  Datum out = of(Unit::kPercent, 100.0 * static_cast<double>(count) / static_cast<double>(total));
  const std::optional<Interval> interval = wilson(std::clamp(count, std::int64_t{0}, total), total);
  if (interval) out.interval = Interval{100 * interval->low, 100 * interval->high};
  out.total = total;
  return out;
}

Exhibit Exhibit::none(std::string id, std::string title, std::string why) {
  return {std::move(id), std::move(title), {}, {}, {std::move(why)}, Chart::kNone};
}

Exhibit Exhibit::note(const std::vector<std::string>& texts) && {
  for (const std::string& text : texts) {
    if (!text.empty()) notes.push_back(text);
  }
  return std::move(*this);
}

Exhibit Exhibit::if_empty(const std::vector<std::string>& texts) && {
  return rows.empty() ? std::move(*this).note(texts) : std::move(*this);
}

Exhibit Exhibit::if_filled(const std::vector<std::string>& texts) && {
  return rows.empty() ? std::move(*this) : std::move(*this).note(texts);
}

Exhibit Exhibit::if_without_interval(Unit of, const char* text) && {
  const auto bare = [&](const Datum& one) { return one.unit == of && one.value && !one.interval; };
  const bool any = std::any_of(rows.begin(), rows.end(), [&](const std::vector<Datum>& row) {
    return std::any_of(row.begin(), row.end(), bare);
  });
  return any ? std::move(*this).note({text}) : std::move(*this);
}

Exhibit Exhibit::drop_empty_rows() && {
  std::erase_if(rows, [](const std::vector<Datum>& row) {
    return std::none_of(row.begin(), row.end(), [](const Datum& one) { return one.value.has_value(); });
  });
  return std::move(*this);
}

}  // namespace seamark::analysis
