#include "seamark/cli/run_slicing.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

namespace seamark::cli {
namespace {

using ::testing::ElementsAre;

CaseInfo make(const std::string& function, int number) {
  CaseInfo info;
  info.name = function + "/case" + std::to_string(number);
  info.function = function;
  info.hash = info.name;
  return info;
}

std::vector<CaseInfo> cases() {
  return {make("f.a", 1), make("f.b", 1), make("f.a", 2), make("f.c", 1), make("f.b", 2)};
}

std::vector<RunTargetPlan> plan(const target::TargetEntry& entry) {
  RunTargetPlan out;
  out.standing.target = &entry;
  out.cases = cases();
  return {out};
}

TEST(Slice, IsReadAsItIsWritten) {
  EXPECT_EQ(parse_slice("3/64"), (Slice{3, 64}));
  EXPECT_EQ((Slice{3, 64}).str(), "3/64");
  for (const char* bad : {"", "3", "/", "0/2", "3/2", "-1/2", "1/0", "1/2/3", "a/b", "1/1000001", "1 /2"})
    EXPECT_FALSE(parse_slice(bad)) << bad;
}

TEST(Cut, GivesEveryFunctionToOneSlice) {
  target::TargetEntry entry;
  entry.name = "f/cpu";
  std::multiset<std::string> all;
  std::set<std::string> plans;
  for (std::int64_t index = 1; index <= 4; ++index) {
    std::vector<RunTargetPlan> targets = plan(entry);
    const store::SlicedRun sliced = cut(targets, {index, 4});
    ASSERT_EQ(sliced.slices.size(), 1u);
    EXPECT_EQ(sliced.slices[0].slice, (Slice{index, 4}));
    plans.insert(sliced.slices[0].plan);
    std::set<std::string> functions;
    for (const CaseInfo& info : targets[0].cases) {
      all.insert(info.name);
      functions.insert(info.function);
    }
    EXPECT_LE(functions.size(), 1u);
  }
  EXPECT_THAT(all, ElementsAre("f.a/case1", "f.a/case2", "f.b/case1", "f.b/case2", "f.c/case1"));
  EXPECT_EQ(plans.size(), 1u);  // that of all cases
}

TEST(SlicesFor, NoneLastsLongerUnlessOneFunctionDoes) {
  const std::vector<double> seconds = {10, 10, 10, 10, 10};  // f.a 20, f.b 20, f.c 10
  EXPECT_EQ(slices_for(cases(), seconds, 60), 1);
  EXPECT_EQ(slices_for(cases(), seconds, 30), 2);
  EXPECT_EQ(slices_for(cases(), seconds, 25), 3);
  EXPECT_EQ(slices_for(cases(), seconds, 1), 3);
  EXPECT_EQ(slices_for({}, {}, 60), 1);
}

TEST(WithoutSlice, LeavesTheRest) {
  EXPECT_EQ(without_slice("seamark run --slice 3/64 --cases core --job=a --store p.db"),
            "seamark run --cases core");
  EXPECT_EQ(without_slice("seamark run --cases core"), "seamark run --cases core");
  EXPECT_EQ(without_slice("seamark run -q --jobs 1 --slice 1/2 --job jj -s q1.db"),
            "seamark run -q --jobs 1");
}

TEST(SlicedRun, WhatIsMissingIsSaid) {
  store::SlicedRun run;
  run.asked = {{"f/gpu", 2}};
  run.slices = {{"f/cpu", {1, 3}, "p", "a"}, {"f/cpu", {3, 3}, "p", "b"}};
  EXPECT_EQ(run.missing_text(),
            "1 of 3 slices of f/cpu is missing (2); 2 of 2 slices of f/gpu are missing (1, 2)");
  store::RunInfo info;
  store::set_slices(info.options, run);
  const store::SlicedRun read = store::sliced_run(info);
  EXPECT_EQ(read.missing_text(), run.missing_text());
  // A stranger's store.
  info.options.set("slices", Value::Object{{"parts", Value::Array{Value(1)}}});
  EXPECT_FALSE(store::sliced_run(info).is_sliced());
}

}  // namespace
}  // namespace seamark::cli
