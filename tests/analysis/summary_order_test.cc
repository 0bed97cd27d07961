// Attempts are read as they lie in the store; what they say does not depend on that.
#include <gtest/gtest.h>

#include "../store/store_fixture.h"
#include "summary_fixture.h"

namespace seamark::analysis {
namespace {

using store::make_attempt;
using store::make_case;
using store::make_failure;

TEST_F(SummaryTest, TheFirstFailureIsThatOfTheFirstAttempt) {
  const CaseInfo one = make_case("torch.a", "1");
  const CaseInfo other = make_case("torch.b", "1");
  add("torch/cpu", {one, other});
  commit({make_failure("torch/cpu", one, "LateError", "later", "s", 2, Phase::kConfirm)});
  commit({make_attempt("torch/cpu", other)});
  commit({make_failure("torch/cpu", one, "EarlyError", "earlier", "s", 1)});
  const Summary found = summary();
  const CaseCell& cell = found.functions.at(0).cases.at(0).cells.at(0);
  EXPECT_EQ(cell.error->type, "EarlyError");
  EXPECT_EQ(cell.attempts, 2);
  EXPECT_EQ(cell.outcome, Outcome::kFail);
  EXPECT_EQ(found.targets.at(0).cpu_s.value, 0.375);  // each attempt once
  EXPECT_EQ(found.runs.at(0).attempted, 2);
}

}  // namespace
}  // namespace seamark::analysis
