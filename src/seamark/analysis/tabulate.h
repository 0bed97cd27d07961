// How an exhibit is declared: what it goes over, and its columns, each with its head and what stands in it.
// Internal to the room.
//
//   const Columns<Target> columns = {
//       {"target", &Target::name},
//       {"functions", "functions", kCount, [](auto& one) { return one.tested; }},
//   };
//   return tabulate("rates", "Functions that run", targets, columns).if_empty({"nothing ran"});
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "seamark/analysis/exhibit.h"

namespace seamark::analysis {

using enum Unit;

// A text, a number of the unit, a Measured, a Rate; a Datum stays what it is.
template <class Value>
Datum datum_of(Unit unit, Value&& value) {
  using Plain = std::remove_cvref_t<Value>;
  if constexpr (std::is_same_v<Plain, Datum>) {
    return std::forward<Value>(value);
  } else if constexpr (std::is_arithmetic_v<Plain>) {
    return Datum::of(unit, static_cast<double>(value));
  } else if constexpr (std::is_convertible_v<Plain, std::string_view>) {
    return Datum::of(std::string(value));
  } else if constexpr (std::is_same_v<Plain, Rate>) {
    return Datum::of(value);
  } else {
    return Datum::of(unit, value);
  }
}

// `cell`, a function or member of Row, gives anything of which datum_of() makes a Datum.
template <class Row>
struct Column {
  ExhibitColumn column;
  std::function<Datum(const Row&)> cell;

  template <class Cell>
  Column(std::string key, std::string head, Unit unit, Cell of)
      : column{std::move(key), std::move(head), unit},
        cell([unit, of = std::move(of)](const Row& row) { return datum_of(unit, std::invoke(of, row)); }) {}
  // A text whose head is its key.
  template <class Cell>
  Column(const std::string& key, Cell of) : Column(key, key, Unit::kText, std::move(of)) {}
};

template <class Row>
using Columns = std::vector<Column<Row>>;

template <class Row>
Exhibit tabulate(std::string id, std::string title, const std::vector<Row>& rows, const Columns<Row>& columns,
                 Chart chart = Chart::kNone) {
  Exhibit out{std::move(id), std::move(title), {}, {}, {}, chart};
  for (const Column<Row>& one : columns) out.columns.push_back(one.column);
  for (const Row& row : rows) {
    std::vector<Datum>& cells = out.rows.emplace_back();
    for (const Column<Row>& one : columns) cells.push_back(one.cell(row));
  }
  return out;
}

}  // namespace seamark::analysis
