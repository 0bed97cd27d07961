// A store with one run, to be summarized.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "../store/store_fixture.h"
#include "seamark/analysis/summary.h"

namespace seamark::analysis {

inline constexpr std::string_view kSummaryRules = R"(
[[rule]]
id = "dtype"
framework = "torch"
any = ["not implemented for"]
category = "type"
example = "not implemented for"
source = "test"
[[rule]]
id = "backend"
framework = "torch"
any = ["Could not run"]
category = "not-implemented"
operators = ["Could not run '{}'"]
example = "Could not run"
source = "test"
)";

class SummaryTest : public store::StoreTest {
 protected:
  SummaryTest() : store_(open()), writer_(store::must(store_.begin_run(run_info()))) {}

  static store::RunInfo run_info() {
    store::RunInfo info;
    info.uuid = "aaaaaaaa-0000-4000-8000-000000000001";
    info.started_unix_us = 1000;
    info.protocol = "full";
    return info;
  }

  void add(const std::string& target, const std::vector<CaseInfo>& cases) {
    EXPECT_OK(writer_.add_target(store::make_target(target)));
    EXPECT_OK(writer_.plan(target, cases));
  }
  void commit(const std::vector<Attempt>& attempts) { EXPECT_OK(writer_.commit(attempts)); }

  Summary summary(const SummaryOptions& options = {}) {
    const classify::RuleSet rules = classify::RuleSet::parse(kSummaryRules, "rules.toml").value();
    return store::must(summarize(store_, rules, options));
  }

  store::Store store_;
  store::RunWriter writer_;
};

inline Attempt placed(Attempt attempt, Where where) {
  attempt.placement.where = where;
  return attempt;
}

inline const FunctionRow& function_of(const Summary& summary, const std::string& name) {
  for (const FunctionRow& row : summary.functions) {
    if (row.name == name) return row;
  }
  throw std::out_of_range(name);
}

}  // namespace seamark::analysis
