#include "seamark/analysis/declared_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>

namespace seamark::analysis {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

CaseCell cell_of(Outcome outcome, Where where = Where::kDevice) {
  CaseCell cell;
  cell.planned = true;
  cell.outcome = outcome;
  cell.placement = where;
  if (outcome == Outcome::kFail) cell.category = Category::kNotImplemented;
  return cell;
}

// A function with one case in each data type, on every target of the summary.
void add(Summary& summary, const std::string& name,
         const std::vector<std::pair<std::string, CaseCell>>& cases) {
  FunctionRow function;
  function.name = name;
  function.framework = "torch";
  function.cells.resize(summary.targets.size());
  for (const auto& [dtype, cell] : cases) {
    CaseRow row;
    row.dtype = dtype;
    row.cells.assign(summary.targets.size(), cell);
    function.cases.push_back(std::move(row));
  }
  summary.functions.push_back(std::move(function));
}

Summary summary_of(const std::vector<std::string>& targets) {
  Summary summary;
  for (const std::string& name : targets) {
    TargetRow target;
    target.target = name;
    target.framework = name.substr(0, name.find('/'));
    summary.targets.push_back(std::move(target));
  }
  return summary;
}

Declared declared(const std::string& family) {
  Declared made;
  made.head.framework = "torch";
  made.head.family = family;
  DeclaredFunction add;
  add.name = "torch.add";
  add.dtypes = {"bf16", "bool", "f32", "f64", "i64"};
  add.dtypes_missing = {"bf16", "bool"};
  DeclaredFunction host = add;
  host.name = "torch.finfo";
  host.host_only = true;
  made.functions = {add, host};
  return made;
}

TEST(DeclaredCheck, ComparesEachDeclaredDataTypeThatWasMeasured) {
  Summary summary = summary_of({"torch/cuda"});
  add(summary, "torch.add",
      {{"f32", cell_of(Outcome::kPass)},                // as declared
       {"f64", cell_of(Outcome::kFail)},                // named, fails
       {"i64", cell_of(Outcome::kPass, Where::kHost)},  // named, made by the host
       {"bf16", cell_of(Outcome::kPass)},               // not named, runs
       {"bool", cell_of(Outcome::kSkip)},               // says nothing
       {"c64", cell_of(Outcome::kFail)}});              // nothing is declared
  add(summary, "torch.finfo", {{"f64", cell_of(Outcome::kFail)}});
  add(summary, "torch.sub", {{"f64", cell_of(Outcome::kFail)}});
  const std::vector<DeclaredCheck> checks = check_declared(declared("cuda"), summary);
  ASSERT_EQ(checks.size(), 1U);
  EXPECT_EQ(checks[0].compared, 4);
  EXPECT_THAT(checks[0].named_fails, ElementsAre("torch.add f64", "torch.add i64"));
  EXPECT_THAT(checks[0].missing_runs, ElementsAre("torch.add bf16"));
}

TEST(DeclaredCheck, AWrongResultWasMadeThere) {
  Summary summary = summary_of({"torch/cuda"});
  CaseCell wrong = cell_of(Outcome::kFail);
  wrong.category = Category::kWrongResult;
  add(summary, "torch.add", {{"f32", wrong}, {"bf16", wrong}});
  const std::vector<DeclaredCheck> checks = check_declared(declared("cuda"), summary);
  ASSERT_EQ(checks.size(), 1U);
  EXPECT_THAT(checks[0].named_fails, IsEmpty());
  EXPECT_THAT(checks[0].missing_runs, ElementsAre("torch.add bf16"));
}

TEST(DeclaredCheck, OnlyTargetsThatUseTheDeclaredKernelsCount) {
  Summary summary = summary_of(
      {"torch/cpu", "torch/cuda", "torch/cuda-b", "torch/cuda+inductor", "torch/cuda+aot", "jax/cuda"});
  add(summary, "torch.add", {{"f32", cell_of(Outcome::kPass)}});
  std::vector<std::size_t> targets;
  for (const DeclaredCheck& check : check_declared(declared("cuda"), summary))
    targets.push_back(check.target);
  EXPECT_THAT(targets, ElementsAre(1, 2, 4));
  EXPECT_THAT(check_declared(declared("mps"), summary), IsEmpty());
}

}  // namespace
}  // namespace seamark::analysis
