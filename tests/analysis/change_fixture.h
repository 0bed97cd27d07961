// Two sides, each with a store of one run.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "../store/store_fixture.h"
#include "seamark/analysis/change.h"
#include "summary_fixture.h"

namespace seamark::analysis {

inline const std::string kTarget = "torch/lazy";

class ChangeTest : public testing::Test {
 protected:
  class OneSide {
   public:
    OneSide(const std::filesystem::path& folder, const std::string& name)
        : store_(store::must(store::Store::open(folder / (name + ".db"), store::OpenMode::kWrite))),
          label_(name) {
      info_.started_unix_us = 1'700'000'000'000'000;
      info_.protocol = "full";
      info_.host = Value(Value::Object{{"cpu", "a cpu"}, {"cores", 2}});
    }

    store::RunInfo& info() { return info_; }  // before the first target
    void add(const store::RunTarget& target, const std::vector<CaseInfo>& cases) {
      if (!writer_) writer_.emplace(store::must(store_.begin_run(info_)));
      EXPECT_OK(writer_->add_target(target));
      EXPECT_OK(writer_->plan(target.target, cases));
    }
    void add(const std::string& target, const std::vector<CaseInfo>& cases) {
      add(store::make_target(target), cases);
    }
    void commit(const std::vector<Attempt>& attempts) { EXPECT_OK(writer_->commit(attempts)); }
    void finish() { EXPECT_OK(writer_->finish(store::RunState::kFinished, "", 1, 1.0)); }
    Operand side() { return {&store_, store::RunChoice::parse("latest"), label_, targets, one_target}; }

    std::vector<std::string> targets;
    bool one_target = false;

   private:
    store::Store store_;
    std::string label_;
    store::RunInfo info_;
    std::optional<store::RunWriter> writer_;
  };

  ChangeTest()
      : folder_(store::must(TempDir::make("seamark-change-test"))),
        before(folder_.path(), "before"),
        after(folder_.path(), "after") {}

  [[nodiscard]] const std::filesystem::path& folder() const { return folder_.path(); }

  // The same cases on both sides.
  void plan(const std::vector<CaseInfo>& cases, const std::string& target = kTarget) {
    before.add(target, cases);
    after.add(target, cases);
  }

  Result<Comparison> try_compare(const CompareOptions& options = {}) {
    const classify::RuleSet rules = classify::RuleSet::parse(kSummaryRules, "rules.toml").value();
    return compare_sides(before.side(), after.side(), rules, options);
  }
  Comparison compare(const CompareOptions& options = {}) { return store::must(try_compare(options)); }

 private:
  TempDir folder_;

 protected:
  OneSide before;
  OneSide after;
};

// "new-failure torch.add/1".
inline std::vector<std::string> told(const std::vector<Change>& changes) {
  std::vector<std::string> out;
  for (const Change& change : changes) {
    const std::string& place = change.case_name.empty() ? change.function : change.case_name;
    out.push_back(std::string(name_of(change.kind)) + " " + (place.empty() ? change.target : place));
  }
  return out;
}
inline std::vector<std::string> told(const Comparison& comparison) {
  return told(comparison.pairs.at(0).changes);
}

inline CaseInfo add_case() { return store::make_case("torch.add", "1"); }
inline Attempt passes(const CaseInfo& info, Evidence evidence = Evidence::kVerified) {
  Attempt attempt = store::make_attempt(kTarget, info);
  attempt.evidence = evidence;
  return attempt;
}
inline Attempt fails(const CaseInfo& info,
                     const std::string& message = "\"dot\" not implemented for 'Bool'") {
  return store::make_failure(kTarget, info, "RuntimeError", message);
}
inline Attempt skipped(const CaseInfo& info) {
  Attempt attempt = store::make_attempt(kTarget, info, Outcome::kSkip);
  attempt.reason = "no such dtype";
  return attempt;
}
inline std::vector<Attempt> flaky(const CaseInfo& info) {
  return {passes(info),
          store::make_failure(kTarget, info, "RuntimeError", "now and then", "bbbb", 2, Phase::kConfirm)};
}
// Six samples around `seconds`, within 2%.
inline Attempt timed(const CaseInfo& info, double seconds, int number = 2, double cold_s = 1.0) {
  std::vector<double> samples;
  for (const double factor : {0.99, 0.995, 1.0, 1.0, 1.005, 1.01}) samples.push_back(seconds * factor);
  return store::make_timing(kTarget, info, cold_s, samples, number);
}

}  // namespace seamark::analysis
