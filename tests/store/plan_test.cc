// What was planned, read at once, and attempts as they lie.
#include <gmock/gmock.h>

#include <set>

#include "store_fixture.h"

namespace seamark::store {
namespace {

class PlanTest : public StoreTest {
 protected:
  // Two runs, so that the table holds attempts that are not asked for.
  void fill(Store& store) {
    for (int run = 0; run < 2; ++run) {
      RunInfo info;
      info.started_unix_us = 1000 + run;
      RunWriter writer = must(store.begin_run(info));
      const CaseInfo b = make_case("torch.b", "1");
      const CaseInfo a = make_case("torch.a", "1", false);
      for (const char* target : {"torch/lazy", "torch/cpu"}) {
        ASSERT_TRUE(writer.add_target(make_target(target)).ok());
        ASSERT_TRUE(writer.plan(target, std::vector<CaseInfo>{b, a}).ok());
      }
      ASSERT_TRUE(
          writer
              .commit(std::vector<Attempt>{make_attempt("torch/cpu", b), make_attempt("torch/lazy", a),
                                           make_attempt("torch/cpu", a)})
              .ok());
    }
  }
};

TEST_F(PlanTest, IsWhatCasesAndPlannedSay) {
  Store store = open();
  fill(store);
  for (const char* choice : {"latest", "all"}) {
    const RunChoice runs = RunChoice::parse(choice);
    const StoredPlan plan = must(store.plan(runs));
    const std::vector<StoredCase> cases = must(store.cases(runs));
    const std::vector<PlannedCase> planned = must(store.planned(runs));
    ASSERT_EQ(plan.cases.size(), cases.size());
    for (std::size_t i = 0; i < cases.size(); ++i) {
      EXPECT_EQ(plan.cases[i].id, cases[i].id);
      EXPECT_EQ(plan.cases[i].info.name, cases[i].info.name);
      EXPECT_EQ(plan.cases[i].info.core, cases[i].info.core);
      EXPECT_EQ(plan.cases[i].info.dtype, cases[i].info.dtype);
    }
    ASSERT_EQ(plan.planned.size(), planned.size());
    for (std::size_t i = 0; i < planned.size(); ++i) {
      EXPECT_EQ(plan.planned[i].run_target_id, planned[i].run_target_id);
      EXPECT_EQ(plan.planned[i].case_id, planned[i].case_id);
      EXPECT_EQ(plan.planned[i].core, planned[i].core);
    }
  }
  EXPECT_FALSE(store.plan(RunChoice::parse("ffff")).ok());
}

TEST_F(PlanTest, AttemptsAsCommittedAreTheSameOnes) {
  Store store = open();
  fill(store);
  for (const char* choice : {"latest", "all"}) {
    std::multiset<std::string> found[2];
    for (const bool as_committed : {false, true}) {
      AttemptFilter filter;
      filter.run = RunChoice::parse(choice);
      filter.targets = {"torch/cpu"};
      filter.as_committed = as_committed;
      ASSERT_TRUE(store
                      .for_each_attempt(filter,
                                        [&](const StoredAttempt& one) {
                                          found[as_committed].insert(one.attempt.target +
                                                                     one.attempt.case_name);
                                          return true;
                                        })
                      .ok());
    }
    EXPECT_EQ(found[0].size(), 2U);
    EXPECT_EQ(found[0], found[1]);
  }
}

}  // namespace
}  // namespace seamark::store
