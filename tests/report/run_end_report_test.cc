#include "seamark/report/build/run_end_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace seamark::report {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

analysis::TargetRow ended_row(const char* target) {
  analysis::TargetRow row;
  row.target = target;
  row.framework = "torch";
  return row;
}

std::string end_text(analysis::TargetRow row) {
  analysis::Summary summary;
  summary.targets.push_back(std::move(row));
  RenderOptions wide;
  wide.width = 200;
  return terminal_text(run_end_document(summary, {}), wide);
}

TEST(RunEndReport, FunctionsWithoutCoreCasesAreCountedApart) {
  analysis::TargetRow row = ended_row("torch/cpu");
  row.all.cases_only = 4;
  row.cases.planned = 20;
  row.cases.pass = 20;
  EXPECT_THAT(end_text(row), HasSubstr("torch/cpu: 4 functions by case only; 20 cases: 20 pass\n"));
  row.all.functions = 2;
  row.all.pass = 1;
  row.all.not_run = 1;
  EXPECT_THAT(end_text(row), HasSubstr("2 functions: 1 pass, 1 not run, 4 more by case only; 20 cases"));
}

TEST(RunEndReport, WhatFailsOnTheReferenceIsSaidBesideWhatFails) {
  analysis::TargetRow row = ended_row("torch/lazy");
  row.reference = "torch/cpu";
  row.all.functions = row.all.fails_on_reference = 1;
  row.cases.planned = row.cases.fail = 3;
  EXPECT_THAT(end_text(row), Not(HasSubstr("(0 on")));
  row.cases.fails_on_reference = 2;
  EXPECT_THAT(end_text(row),
              HasSubstr("1 fail on the reference too; 3 cases: 3 fail (2 on the reference too)"));
  row.target = "torch/cpu";
  row.reference.clear();
  EXPECT_THAT(end_text(row),
              HasSubstr("1 fail on the reference itself; 3 cases: 3 fail (2 on the reference itself)"));
}

}  // namespace
}  // namespace seamark::report
