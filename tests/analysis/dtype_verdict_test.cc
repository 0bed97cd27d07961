#include "seamark/analysis/dtype_verdict.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>

namespace seamark::analysis {
namespace {

using ::testing::ElementsAre;

CaseCell passing(Where where = Where::kDevice) {
  CaseCell cell;
  cell.planned = true;
  cell.outcome = Outcome::kPass;
  cell.placement = where;
  return cell;
}

CaseCell failing(Category category, Outcome outcome = Outcome::kFail) {
  CaseCell cell;
  cell.planned = true;
  cell.outcome = outcome;
  cell.category = category;
  return cell;
}

CaseCell refused() {
  CaseCell cell = failing(Category::kNotImplemented);
  cell.fails_on_reference = true;
  return cell;
}

// What dtypes_of() says of cases of one dtype on one target: the verdict, and "passed/cases".
std::pair<std::string, std::string> of(std::vector<CaseCell> cells) {
  FunctionRow function;
  function.cells.resize(1);
  for (CaseCell& cell : cells) {
    CaseRow row;
    row.dtype = "f32";
    row.cells.push_back(std::move(cell));
    function.cases.push_back(std::move(row));
  }
  const std::vector<DtypeRow> rows = dtypes_of(function);
  if (rows.size() != 1 || !rows[0].cells[0]) return {"none", ""};
  const DtypeCell& cell = *rows[0].cells[0];
  return {std::string(name_of(cell.verdict)), std::to_string(cell.passed) + "/" + std::to_string(cell.cases)};
}

using Says = std::pair<std::string, std::string>;

TEST(DtypeVerdict, IsTheWorstOfTheCases) {
  EXPECT_EQ(of({passing(), passing()}), Says("pass", "2/2"));
  EXPECT_EQ(of({passing(), passing(Where::kHost)}), Says("falls-back", "2/2"));
  EXPECT_EQ(of({passing(Where::kNone)}), Says("pass", "1/1"));
  EXPECT_EQ(of({passing(), failing(Category::kNotImplemented)}), Says("not-implemented", "1/2"));
  EXPECT_EQ(of({failing(Category::kType), passing(Where::kHost)}), Says("not-implemented", "1/2"));
  EXPECT_EQ(of({failing(Category::kNotImplemented), failing(Category::kCrash, Outcome::kCrash)}),
            Says("fails", "0/2"));
  EXPECT_EQ(of({passing(), failing(Category::kWrongResult), failing(Category::kTimeout, Outcome::kTimeout)}),
            Says("wrong", "1/3"));
  EXPECT_EQ(of({failing(Category::kFloatPrecision)}), Says("wrong", "0/1"));
}

TEST(DtypeVerdict, WhatTheReferenceRefusesAsWellIsByDesign) {
  EXPECT_EQ(of({refused(), refused()}), Says("refused", "0/2"));
  EXPECT_EQ(of({passing(), refused()}), Says("pass", "1/1"));
  EXPECT_EQ(of({refused(), failing(Category::kWrongResult)}), Says("wrong", "0/1"));
}

TEST(DtypeVerdict, WhatSaysNothingIsUnknown) {
  CaseCell unchecked = passing();
  unchecked.unchecked = true;
  CaseCell unanswered = failing(Category::kBridge);
  unanswered.unanswered = true;
  CaseCell waiting;
  waiting.planned = true;
  EXPECT_EQ(of({unchecked, unanswered, waiting}), Says("unknown", "0/3"));
  EXPECT_EQ(of({CaseCell()}), Says("none", ""));  // not planned on this target
}

TEST(DtypeVerdict, StandsInTheOrderOfKindsAndWidths) {
  FunctionRow function;
  function.cells.resize(1);
  for (const char* dtype : {"u8", "qint8", "", "bool", "f16", "c64", "f64", "i32", "bf16"}) {
    CaseRow row;
    row.dtype = dtype;
    row.cells.push_back(passing());
    function.cases.push_back(std::move(row));
  }
  std::vector<std::string> names;
  for (const DtypeRow& row : dtypes_of(function)) names.push_back(row.dtype);
  EXPECT_THAT(names, ElementsAre("f64", "bf16", "f16", "c64", "i32", "u8", "bool", "qint8"));
}

}  // namespace
}  // namespace seamark::analysis
