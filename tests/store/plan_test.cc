// What was planned, read at once, and attempts as they lie.
#include <fmt/format.h>
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

// A pass, and what has more to say, on two targets in turn.
std::vector<Attempt> attempts_of_all_kinds(const CaseInfo& info) {
  std::vector<Attempt> out;
  for (int number = 1; number <= 5; ++number) {
    for (const char* target : {"torch/lazy", "torch/cpu"}) {
      Attempt attempt = make_attempt(target, info);
      attempt.attempt = number;
      attempt.attributes = {"cache-hit"};
      attempt.wall_s = 0.5 * number;
      if (number == 2) {
        attempt.outcome = Outcome::kFail;
        attempt.failure = Failure{"call", "RuntimeError", std::string("of ") + target, "", "fail", ""};
        attempt.signature = "feed";
        attempt.confirmed_by = "another";
      }
      if (number == 4) {
        attempt.outcome = Outcome::kSkip;
        attempt.reason = std::string("not on ") + target;
      }
      if (number == 5) {
        attempt.phase = Phase::kTiming;
        attempt.latency.protocol = "full";
        attempt.latency.warm_median_s = 0.25;
        attempt.latency.cold_reason = "not cold";
      }
      out.push_back(std::move(attempt));
    }
  }
  return out;
}

std::string in_words(const Attempt& one) {
  std::string out = fmt::format("{} {} {} {} {} {}", one.target, one.attempt, name_of(one.outcome),
                                name_of(one.phase), one.wall_s, one.attributes.size());
  if (one.failure) out += " " + one.failure->type + " " + one.failure->message;
  out += " " + one.signature + " " + one.confirmed_by + " " + one.reason;
  if (one.phase == Phase::kTiming)
    out += fmt::format(" {} {}", one.latency.warm_median_s.value_or(-1), one.latency.cold_reason);
  return out;
}

TEST_F(PlanTest, AttemptsInBriefSayTheSame) {
  Store store = open();
  for (int run = 0; run < 2; ++run) {
    RunWriter writer = must(store.begin_run(RunInfo{}));
    const CaseInfo info = make_case("torch.a", "1");
    for (const char* target : {"torch/lazy", "torch/cpu"}) {
      ASSERT_TRUE(writer.add_target(make_target(target)).ok());
      ASSERT_TRUE(writer.plan(target, std::vector<CaseInfo>{info}).ok());
    }
    ASSERT_TRUE(writer.commit(attempts_of_all_kinds(info)).ok());
  }
  for (const char* choice : {"latest", "all"}) {
    for (const bool as_committed : {false, true}) {
      std::multiset<std::string> found[2];
      for (const bool brief : {false, true}) {
        AttemptFilter filter;
        filter.run = RunChoice::parse(choice);
        filter.targets = {"torch/cpu"};
        filter.as_committed = as_committed;
        filter.columns.identity = !brief;
        filter.columns.failure_text = true;
        const auto keep = [&](const StoredAttempt& one) {
          found[brief].insert(in_words(one.attempt));
          return true;
        };
        ASSERT_TRUE(store.for_each_attempt(filter, keep).ok());
      }
      EXPECT_EQ(found[0].size(), 5U);
      EXPECT_EQ(found[0], found[1]);
      EXPECT_TRUE(
          found[1].contains("torch/cpu 2 fail correctness 1 1 RuntimeError of torch/cpu feed another "));
    }
  }
}

}  // namespace
}  // namespace seamark::store
