// The exhibits beyond the study's own: they follow the data, and say why where there is none.
#include "seamark/analysis/beyond.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "../known_frameworks.h"
#include "../store/store_fixture.h"
#include "summary_fixture.h"

namespace seamark::analysis {
namespace {

using store::make_attempt;
using store::make_case;
using store::make_failure;
using store::make_timing;
using store::must;
using testing::HasSubstr;

const Exhibit& exhibit(const std::vector<Exhibit>& all, const std::string& id) {
  const auto found = std::find_if(all.begin(), all.end(), [&](const Exhibit& one) { return one.id == id; });
  if (found == all.end()) throw std::out_of_range(id);
  return *found;
}

const Datum& cell(const Exhibit& exhibit, std::size_t row, const std::string& key) {
  const auto column = std::find_if(exhibit.columns.begin(), exhibit.columns.end(),
                                   [&](const ExhibitColumn& one) { return one.key == key; });
  if (column == exhibit.columns.end()) throw std::out_of_range(key);
  return exhibit.rows.at(row).at(static_cast<std::size_t>(column - exhibit.columns.begin()));
}

double value(const Datum& datum) { return datum.value.value(); }

std::size_t row_of(const Exhibit& exhibit, const std::vector<std::string>& texts) {
  for (std::size_t r = 0; r < exhibit.rows.size(); ++r) {
    bool same = true;
    for (std::size_t i = 0; i < texts.size(); ++i) same = same && exhibit.rows[r][i].text == texts[i];
    if (same) return r;
  }
  throw std::out_of_range(texts.front());
}

class Beyond : public SummaryTest {
 protected:
  // Four functions on the CPU and on what only compiles: b and d fail there, b is called most.
  void fill() {
    std::vector<CaseInfo> cases;
    for (const char* name : {"torch.a", "torch.b", "torch.c", "torch.d"})
      cases.push_back(make_case(name, "1"));
    cases[2].dtype = "i64";
    cases[3].host_only = true;
    add("torch/cpu", cases);
    add("torch/tpu-v3+aot", cases);
    add("torch/lazy", {cases[0]});
    for (const CaseInfo& info : cases) commit({make_attempt("torch/cpu", info)});
    for (const std::size_t i : {0U, 2U}) {
      Attempt attempt = make_attempt("torch/tpu-v3+aot", cases[i]);
      attempt.evidence = Evidence::kCompiled;
      commit({attempt});
    }
    for (const std::size_t i : {1U, 3U}) {
      Attempt attempt = make_failure("torch/tpu-v3+aot", cases[i], "NotImplementedError", "Could not run it");
      attempt.evidence = Evidence::kLowered;
      commit({attempt});
    }
    commit({make_attempt("torch/lazy", cases[0]), make_timing("torch/cpu", cases[0], 0.4, {2e-3, 2e-3, 2e-3}),
            make_timing("torch/lazy", cases[0], 0.8, {5e-2, 5e-2, 5e-2})});
    for (const auto& [name, calls] : {std::pair{"torch.a", 10},
                                      {"torch.b", 60},
                                      {"torch.c", 20},
                                      {"torch.d", 10},
                                      {"torch.elsewhere", 100}}) {
      UsageRow row;
      row.framework = "torch";
      row.function = name;
      row.calls = calls;
      usage_.rows.push_back(row);
    }
  }

  std::vector<Exhibit> exhibits(BeyondOptions options = {}, const SummaryOptions& summary_options = {}) {
    summary_ = summary(summary_options);
    findings_ = findings_of(summary_, known_frameworks(), &usage_);
    options.summary = &summary_;
    options.usage = "a test";
    return beyond_study(findings_, options);
  }

  UsageTable usage_;
  Summary summary_;
  ResultSet findings_;
};

TEST_F(Beyond, AreAllThereInOrder) {
  fill();
  std::vector<std::string> ids;
  for (const Exhibit& one : exhibits()) {
    ids.push_back(one.id);
    EXPECT_FALSE(one.rows.empty() && one.notes.empty()) << one.id;
    for (const std::vector<Datum>& row : one.rows) {
      ASSERT_EQ(row.size(), one.columns.size()) << one.id;
      for (const Datum& datum : row) {
        EXPECT_TRUE(datum.unit == Unit::kText || datum.value || !datum.reason.empty()) << one.id;
      }
    }
  }
  EXPECT_THAT(ids, ::testing::ElementsAre("rates", "errors", "sample", "trend", "calls-weighted", "to-do",
                                          "missing-operators", "ratios", "slow", "cold-warm", "dtypes",
                                          "categories", "correlation"));
}

TEST_F(Beyond, CallsThatBreak) {
  fill();
  const std::vector<Exhibit> all = exhibits();
  const Exhibit& calls = exhibit(all, "calls-weighted");
  const std::size_t row = row_of(calls, {"PyTorch", "tpu-v3+aot", "compiled"});
  EXPECT_EQ(value(cell(calls, row, "calls")), 100);
  EXPECT_DOUBLE_EQ(value(cell(calls, row, "calls_break_percent")), 70);
  EXPECT_DOUBLE_EQ(value(cell(calls, row, "failing_percent")), 50);
  EXPECT_DOUBLE_EQ(value(cell(calls, row, "coverage_percent")), 50);  // of 200 calls of the framework
  const Interval interval = cell(calls, row, "calls_break_percent").interval.value();
  EXPECT_LT(interval.low, 70);
  EXPECT_GT(interval.high, 70);
}

TEST_F(Beyond, WhatToMendFirst) {
  fill();
  const std::vector<Exhibit> all = exhibits();
  const Exhibit& list = exhibit(all, "to-do");
  ASSERT_EQ(list.rows.size(), 2u);
  EXPECT_EQ(list.rows[0][2].text, "torch.b");
  EXPECT_EQ(cell(list, 0, "category").text, "not-implemented");
  EXPECT_DOUBLE_EQ(value(cell(list, 0, "calls_percent")), 60);
  EXPECT_NEAR(value(cell(list, 0, "cumulative_percent")), 100 * 6.0 / 7, 1e-9);
  EXPECT_DOUBLE_EQ(value(cell(list, 1, "cumulative_percent")), 100);
  // Each head says of which calls it is a share.
  const std::size_t columns = list.columns.size();
  EXPECT_EQ(list.columns[columns - 2].head, "of all\ncalls");
  EXPECT_EQ(list.columns[columns - 1].head, "of breaking\ncalls, with\nthose above");
  BeyondOptions one;
  one.to_do_rows = 1;
  const std::vector<Exhibit> short_ones = exhibits(one);
  EXPECT_EQ(exhibit(short_ones, "to-do").rows.size(), 1u);
  EXPECT_THAT(exhibit(short_ones, "to-do").notes, ::testing::Contains(HasSubstr("1 more")));
}

TEST_F(Beyond, RatesWithAndWithoutHostOnly) {
  fill();
  const std::vector<Exhibit> all = exhibits();
  const Exhibit& rates = exhibit(all, "rates");
  const std::size_t row = row_of(rates, {"torch/tpu-v3+aot", "compiled"});
  EXPECT_DOUBLE_EQ(value(cell(rates, row, "runs_percent")), 50);
  EXPECT_NEAR(value(cell(rates, row, "device_runs_percent")), 100 * 2.0 / 3, 1e-9);
  EXPECT_EQ(cell(rates, row, "on_device_percent").value, std::nullopt);
  EXPECT_THAT(cell(rates, row, "on_device_percent").reason, HasSubstr("compiled only"));
}

TEST_F(Beyond, ErrorsByTargetAndDtype) {
  std::vector<CaseInfo> cases;
  for (const char* name : {"torch.a", "torch.b", "torch.c", "torch.d"}) cases.push_back(make_case(name, "1"));
  add("torch/lazy", cases);
  const auto off = [](Attempt attempt, double ulp) {
    attempt.max_ulp_err = ulp;
    return attempt;
  };
  commit({off(make_attempt("torch/lazy", cases[0]), 0), off(make_attempt("torch/lazy", cases[1]), 2),
          off(make_attempt("torch/lazy", cases[1], Outcome::kPass, 2, Phase::kRecheck), 9),
          off(make_failure("torch/lazy", cases[2], "Mismatch", "wrong"), 1e30),
          make_attempt("torch/lazy", cases[3])});
  const std::vector<Exhibit> all = exhibits();
  const Exhibit& errors = exhibit(all, "errors");
  const std::size_t row = row_of(errors, {"torch/lazy", "verified", "f32"});
  EXPECT_EQ(value(cell(errors, row, "results")), 3);
  EXPECT_EQ(value(cell(errors, row, "median_ulp")), 2);
  EXPECT_DOUBLE_EQ(value(cell(errors, row, "p90_ulp")), 1e30 * 0.8 + 2 * 0.2);
  EXPECT_EQ(value(cell(errors, row, "max_ulp")), 1e30);
  EXPECT_EQ(errors.rows.size(), 1u);
  BeyondOptions options;
  EXPECT_TRUE(drawn_beyond(findings_, options).empty());
  options.summary = &summary_;
  EXPECT_EQ(drawn_beyond(findings_, options).front().chart, Chart::kSpread);
}

TEST_F(Beyond, MatricesByDtypeAndCategory) {
  fill();
  const std::vector<Exhibit> all = exhibits();
  const Exhibit& dtypes = exhibit(all, "dtypes");
  EXPECT_NEAR(value(cell(dtypes, row_of(dtypes, {"PyTorch", "f32"}), "tpu-v3+aot_percent")), 100 / 3.0, 1e-9);
  EXPECT_EQ(value(cell(dtypes, row_of(dtypes, {"PyTorch", "i64"}), "tpu-v3+aot_percent")), 100);
  EXPECT_EQ(cell(dtypes, row_of(dtypes, {"PyTorch", "i64"}), "lazy_percent").reason, "nothing ran");
  const Exhibit& categories = exhibit(all, "categories");
  const std::size_t row = row_of(categories, {"PyTorch", "not-implemented"});
  EXPECT_EQ(value(cell(categories, row, "tpu-v3+aot_percent")), 50);
  EXPECT_EQ(value(cell(categories, row, "cpu_percent")), 0);
}

TEST_F(Beyond, TimesHaveIntervalsOrSayWhyNot) {
  fill();
  SummaryOptions tolerant;
  tolerant.slow_factor = 30;
  const std::vector<Exhibit> strict = exhibits();
  const Exhibit& slow = exhibit(strict, "slow");
  EXPECT_EQ(value(cell(slow, row_of(slow, {"torch/lazy", "torch/cpu", "verified", "warm"}), "slow_percent")),
            100);
  EXPECT_EQ(cell(slow, row_of(slow, {"torch/tpu-v3+aot"}), "slow_percent").value, std::nullopt);
  const Exhibit& times = exhibit(strict, "cold-warm");
  EXPECT_NEAR(value(cell(times, row_of(times, {"torch/lazy"}), "ratio")), 16, 1e-9);
  EXPECT_THAT(times.notes, ::testing::Contains(HasSubstr("fewer than 6")));
  const Exhibit& ratios = exhibit(strict, "ratios");
  EXPECT_NEAR(value(cell(ratios, row_of(ratios, {"PyTorch", "lazy"}), "median_ratio")), 25, 1e-9);
  const std::vector<Exhibit> lax = exhibits({}, tolerant);
  const Exhibit& slower = exhibit(lax, "slow");
  EXPECT_EQ(value(cell(slower, row_of(slower, {"torch/lazy"}), "slow_percent")), 0);
}

TEST(BeyondTheStudy, IsComputedFromWhatItPublished) {
  const auto folder = std::filesystem::path(SEAMARK_SOURCE_DIR) / "data" / "baselines" / "grand-illusion";
  const ResultSet findings = findings_of(must(Study::load(folder)), known_frameworks());
  const std::vector<Exhibit> all = beyond_study(findings, {});
  for (const char* id :
       {"rates", "errors", "sample", "trend", "calls-weighted", "to-do", "slow", "cold-warm", "dtypes"}) {
    EXPECT_TRUE(exhibit(all, id).rows.empty()) << id;
    EXPECT_FALSE(exhibit(all, id).notes.empty()) << id;
  }
  const Exhibit& ratios = exhibit(all, "ratios");
  const std::size_t torch = row_of(ratios, {"PyTorch", "TPU v3-8", "T4 GPU"});
  EXPECT_EQ(value(cell(ratios, torch, "functions")), 43);
  EXPECT_LT(value(cell(ratios, torch, "p")), 1e-9);
  EXPECT_GT(cell(ratios, torch, "median_ratio").interval->low, 10);
  const Exhibit& like = exhibit(all, "correlation");
  ASSERT_FALSE(like.rows.empty());
  EXPECT_GE(value(cell(like, 0, "pairs")), 2);
}

}  // namespace
}  // namespace seamark::analysis
