#include "seamark/interop/import.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "import_fixture.h"
#include "seamark/analysis/result_set.h"
#include "seamark/analysis/summary.h"

namespace seamark::interop {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST_F(ImportTest, ATestOfAnotherDeviceIsNotTheTargets) {
  const ImportFile file{"r.json",
                        R"({"tests": [
      {"nodeid": "test_argsort.py::TestSortCPU::test_x_cpu_float32", "outcome": "failed"},
      {"nodeid": "test_argsort.py::TestSortXLA::test_x_xla_float32", "outcome": "passed"},
      {"nodeid": "test_argsort.py::TestSort::test_y", "outcome": "passed"}]})",
                        ExternalForm::kPytestJson};
  const ImportFile times{"t.json",
                         R"({"test_argsort.py:test_x_cpu_float32": {"operations": [1]},
                             "test_argsort.py:test_x_xla_float32": {"operations": [9]}})",
                         ExternalForm::kTimings};
  const Imported all = imported({file, times}, "torch/tpu-v3");
  EXPECT_EQ(all.tests, 5);
  EXPECT_THAT(all.other_devices, ElementsAre(testing::Pair("cpu", 2)));
  EXPECT_EQ(all.other_device_test, "test_argsort.py::TestSortCPU::test_x_cpu_float32");
  ASSERT_EQ(all.runs.size(), 1u);
  const store::RunBundle& run = all.runs.front();
  EXPECT_EQ(run.plan.size(), 2u);
  ASSERT_EQ(run.attempts.size(), 3u);
  EXPECT_EQ(run.attempts[0].outcome, Outcome::kPass);
  EXPECT_EQ(run.attempts[2].case_name, run.attempts[0].case_name);
  EXPECT_DOUBLE_EQ(run.attempts[2].latency.warm_median_s.value(), 9);
  ASSERT_EQ(run.events.size(), 2u);
  EXPECT_EQ(run.events[0].second.number_or("other_devices", 0), 1);
  EXPECT_EQ(run.events[1].second.number_or("other_devices", 0), 1);
}

TEST_F(ImportTest, EvidenceIsNoMoreThanThatItRan) {
  const Imported all = imported({{"r.json", kReport, ExternalForm::kPytestJson}});
  ASSERT_EQ(all.runs.size(), 1u);
  const store::RunBundle& run = all.runs.front();
  EXPECT_EQ(run.info.protocol, "imported");
  EXPECT_FALSE(run.info.proof || run.info.reference);
  EXPECT_TRUE(run.info.uuid.starts_with("import-"));
  for (const Attempt& attempt : run.attempts) {
    EXPECT_EQ(attempt.evidence, Evidence::kExecuted);
    EXPECT_EQ(attempt.placement.where, Where::kUnknown);
    EXPECT_FALSE(attempt.latency.warm_median_s.has_value());
    EXPECT_EQ(attempt.attributes.back(), "imported");
  }
  ASSERT_EQ(run.events.size(), 1u);
  EXPECT_EQ(run.events[0].second.string_or("file", ""), "r.json");
  EXPECT_EQ(run.events[0].second.string_or("hash", ""), content_hash(kReport));
}

TEST_F(ImportTest, TheSameAgainAddsNothing) {
  const ImportFile file{"r.json", kReport, ExternalForm::kPytestJson};
  store::Store store = open();
  EXPECT_EQ(must(store.save_runs(imported({file}).runs))[0].added, 8);
  EXPECT_EQ(must(store.save_runs(imported({file}).runs))[0].added, 0);
  EXPECT_EQ(imported({file, file}).repeated, std::vector<std::string>{"r.json"});
  // By name a run grows, and knows its files.
  EXPECT_TRUE(must(store.save_runs(imported({file}, "torch/cuda", "study").runs))[0].is_new);
  const auto before = must(find_run(store, "study"));
  ASSERT_TRUE(before.has_value());
  EXPECT_EQ(imported({file}, "torch/cuda", "study", before).repeated.size(), 1u);
  const Imported other = imported({file}, "torch/cpu", "study", before);
  EXPECT_FALSE(must(store.save_runs(other.runs))[0].is_new);
  EXPECT_EQ(must(store.runs()).size(), 2u);
  EXPECT_EQ(must(store.targets(store::RunChoice::parse("study"))).size(), 2u);
}

TEST_F(ImportTest, ARunIsSavedWholeOrNotAtAll) {
  Imported all = imported({{"r.json", kReport, ExternalForm::kPytestJson}});
  store::RunBundle broken = all.runs.front();
  broken.info.uuid = "another";
  broken.attempts.back().case_name = "torch.argsort/not planned";
  store::Store store = open();
  EXPECT_FALSE(store.save_runs(std::vector{all.runs.front(), broken}).ok());
  EXPECT_TRUE(must(store.runs()).empty());
  EXPECT_EQ(must(store.save_runs(all.runs))[0].added, 8);
}

// The study's rule, by hand: what passed on both; per operation the mean of the runs; per file the mean over
// its operations.
TEST_F(ImportTest, TimesFlowIntoTheTablesAsTheStudysDid) {
  const auto report = [](const char* b, const char* c) {
    return ImportFile{
        "r.json",
        fmt::format(R"({{"tests": [{{"nodeid": "d/test_argsort.py::test_a", "outcome": "passed"}},
        {{"nodeid": "d/test_argsort.py::TestX::test_b", "outcome": "{}"}},
        {{"nodeid": "d/test_argsort.py::test_c", "outcome": "{}"}}]}})",
                    b, c),
        ExternalForm::kPytestJson};
  };
  const auto times = [](const char* a, const char* b, const char* c) {
    return ImportFile{"t.json",
                      fmt::format(R"({{"test_argsort.py:test_a": {{"operations": [{}], "test_time": 1}},
        "test_argsort.py:test_b": {{"operations": [{}], "test_time": 1}},
        "test_argsort.py:test_c": {{"operations": [{}], "test_time": 1}}}})",
                                  a, b, c),
                      ExternalForm::kTimings};
  };
  store::Store store = open();
  // test_a has three operations, test_b one; test_c failed on the second device.
  std::vector<store::RunBundle> runs;
  Imported first = imported({report("passed", "passed"), times("1, 2, 3", "10", "100"),
                             times("2, 4, 3", "20", "100"), times("3, 6, 3", "30", "100")},
                            "torch/cpu");
  EXPECT_TRUE(first.notes.empty());
  Imported second = imported({report("passed", "failed"), times("4, 4, 4", "40", "7"),
                              times("8, 8, 8", "80", "7"), times("6, 6, 6", "60", "7")},
                             "torch/cuda");
  runs.push_back(std::move(first.runs[0]));
  runs.push_back(std::move(second.runs[0]));
  ASSERT_TRUE(store.save_runs(runs).ok());
  analysis::SummaryOptions options;
  options.run = store::RunChoice::parse("all");
  const analysis::Summary summary = must(analysis::summarize(store, classify::RuleSet(), options));
  const analysis::ResultSet findings = analysis::findings_of(summary, known_frameworks());
  const auto cpu = findings.device("cpu");
  const auto cuda = findings.device("cuda");
  ASSERT_TRUE(cpu && cuda);
  const auto pairs = analysis::pair_times(findings.frameworks.at(0).functions, *cpu, *cuda);
  ASSERT_EQ(pairs.size(), 1u);
  EXPECT_EQ(pairs[0].function, "torch.argsort");
  EXPECT_DOUBLE_EQ(pairs[0].a_s,
                   (2.0 + 4 + 3 + 20) / 4);  // operations of test_a and test_b, mean of three runs
  EXPECT_DOUBLE_EQ(pairs[0].b_s, (6.0 + 6 + 6 + 60) / 4);
  // And the ratio of a case: test_b, 60 against 20.
  ASSERT_EQ(summary.functions.size(), 1u);
  std::map<std::string, std::optional<double>> ratios;
  for (const analysis::CaseRow& row : summary.functions[0].cases) {
    const auto& warm = row.cells.at(1).warm;
    ratios[row.name] = warm ? std::optional(warm->ratio) : std::nullopt;
  }
  EXPECT_DOUBLE_EQ(ratios.at("torch.argsort/d.test_argsort.TestX.test_b").value(), 3);
  EXPECT_DOUBLE_EQ(ratios.at("torch.argsort/d.test_argsort.test_a").value(), 2);
  EXPECT_FALSE(ratios.at("torch.argsort/d.test_argsort.test_c").has_value());
}

TEST_F(ImportTest, TimesWithoutAnOutcomeAreToldOf) {
  const Imported all =
      imported({{"t.json", R"({"test_argsort.py:test_a": {"operations": [1]}})", ExternalForm::kTimings}});
  ASSERT_EQ(all.notes.size(), 1u);
  EXPECT_THAT(all.notes[0], HasSubstr("1 timed tests have no outcome"));
}

}  // namespace
}  // namespace seamark::interop
