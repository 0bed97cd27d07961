#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <tuple>

#include "../store/store_fixture.h"
#include "seamark/analysis/analysis_error.h"
#include "seamark/analysis/expected.h"
#include "seamark/analysis/gate.h"
#include "seamark/analysis/study_compare.h"

namespace seamark::analysis {
namespace {

using store::make_attempt;
using store::make_case;
using store::make_failure;
using store::make_target;
using store::make_timing;
using store::must;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const std::filesystem::path kBaselines = std::filesystem::path(SEAMARK_SOURCE_DIR) / "data" / "baselines";

TEST(Study, TheOneThatComesAlong) {
  const Study study = must(Study::load(kBaselines, "grand-illusion"));
  int published = 0;
  for (const StudyFunction& function : study.functions()) published += function.tpu_s.has_value();
  EXPECT_EQ(study.functions().size(), 199u);
  EXPECT_EQ(published, 155);  // 43 + 51 + 61, its Tables 5 to 7
  const StudyFramework* torch = study.framework("torch");
  ASSERT_NE(torch, nullptr);
  EXPECT_EQ(torch->tpu.counts.complete, 11);
  EXPECT_EQ(torch->version, "1.12.0");
  const StudyFunction* eig = study.find("jax", "jax.numpy.linalg.eig");
  ASSERT_NE(eig, nullptr);
  EXPECT_EQ(eig->tpu_s, std::nullopt);
  const StudyFunction* argsort = study.find("torch", "torch.argsort");
  ASSERT_NE(argsort, nullptr);
  EXPECT_DOUBLE_EQ(argsort->tpu_s.value(), 0.94821);
  EXPECT_DOUBLE_EQ(argsort->tpu_over_gpu.value(), 6039.554);
  EXPECT_EQ(study.find("jax", "torch.argsort"), nullptr);
}

TEST(Study, UnknownAndBroken) {
  const auto unknown = Study::load(kBaselines, "nothing");
  ASSERT_FALSE(unknown.ok());
  EXPECT_TRUE(unknown.error().is(AnalysisError::kNoSuchStudy));
  EXPECT_THAT(unknown.error().remedy(), HasSubstr("grand-illusion"));
  const auto bad = Study::parse("title = \"a\"", "s.toml", "x\n", "f.csv");
  EXPECT_TRUE(bad.error().is(AnalysisError::kBadData));
}

// A study with devices of its own, and one line more at its head.
Result<Study> with_layout(const std::string& line, const std::string& of_framework = {}) {
  const std::string toml = line + R"(
title = "A study"
source = "a paper"
devices = "B2, C3"
tpu = "v3"
[[device]]
key = "b2"
label = "B2 GPU"
column = "b2_ms"
[[device]]
key = "c3"
label = "C3 TPU"
column = "c3_ms"
[[framework]]
name = "jax"
version = "1"
functions = 3
gpu = { success = 3, partial = 0, complete = 0 }
tpu = { success = 2, partial = 0, complete = 1 }
gpu_percent = [100, 0, 0]
tpu_percent = [67, 0, 33]
gpu_categories = {}
tpu_categories = { type = 1 }
)" + of_framework;
  return Study::parse(toml, "study.toml",
                      "framework,published_name,name_today,status_today,source,gpu_ms,tpu_ms,tpu_over_gpu\n",
                      "functions.csv");
}

TEST(Study, TheLayoutNamesDevicesAndFrameworksThatAreThere) {
  const Study good =
      must(with_layout("main = \"b2:c3\"\nnewest = \"c3:b2\"", "other_percent = { c3 = [1, 2, 3] }"));
  EXPECT_EQ(good.main_device(StudySide::kTpu).label, "C3 TPU");
  EXPECT_EQ(good.layout().newest->a, "c3");
  EXPECT_THAT(good.layout().tables, ElementsAre("jax"));
  EXPECT_THAT(good.frameworks().front().other_percent.front().second, ElementsAre(1, 2, 3));
  const std::string main = "main = \"b2:c3\"\n";
  for (const auto& [line, of_framework, problem] :
       {std::tuple{std::string("newest = \"b2:c3\""), "",
                   "'main': '' must name two [[device]]s as A:B, of b2, c3"},
        {"main = \"b2\"", "", "'main': 'b2' must name two [[device]]s as A:B, of b2, c3"},
        {main + "newest = \"b2:h100\"", "",
         "'newest': 'b2:h100' must name two [[device]]s as A:B, of b2, c3"},
        {main + "generations = [\"b2:c3\", \"c4:c3\"]", "", "'generations': 'c4:c3' must name two"},
        {main + "tables = [\"torch\"]", "", "'tables': 'torch' must name a [[framework]], once: jax"},
        {main + "figures = [\"jax\", \"jax\"]", "", "'figures': 'jax' must name a [[framework]], once: jax"},
        {main, "other_percent = { c4 = [1, 2, 3] }", "other_percent.c4"}}) {
    const Result<Study> study = with_layout(line, of_framework);
    ASSERT_FALSE(study.ok()) << line;
    EXPECT_TRUE(study.error().is(AnalysisError::kBadData));
    EXPECT_THAT(study.error().message(), AllOf(HasSubstr("study.toml:"), HasSubstr(problem)));
  }
}

constexpr std::string_view kStudy = R"(
title = "A study"
source = "a paper"
devices = "TPU v3-8"
tpu = "v3"
[[framework]]
name = "jax"
version = "0.4.8"
functions = 7
gpu = { success = 6, partial = 0, complete = 1 }
tpu = { success = 4, partial = 1, complete = 2 }
gpu_percent = [86, 0, 14]
tpu_percent = [57, 14, 29]
gpu_categories = { not-implemented = 1 }
tpu_categories = { not-implemented = 2, float-precision = 1 }
)";

constexpr std::string_view kFunctions =
    "framework,published_name,name_today,status_today,source,gpu_ms,tpu_ms,tpu_over_gpu\n"
    "jax,jax.passes,jax.passes,same,table,1,2,2\n"
    "jax,jax.partial,jax.partial,same,table,1,2,2\n"
    "jax,jax.fails,jax.fails,same,table,1,2,2\n"
    "jax,jax.host,jax.host,same,table,1,2,2\n"
    "jax,jax.gone,jax.gone,removed,table,1,2,2\n"
    "jax,jax.old,jax.failed_then,renamed,repository,,,\n"
    "jax,jax.runs_at_last,jax.runs_at_last,same,repository,,,\n"
    "tensorflow,tf.x,tf.x,same,table,1,2,2\n";

constexpr std::string_view kRules = R"(
[[rule]]
id = "rule"
framework = "jax"
any = ["not found for platform"]
category = "not-implemented"
example = "not found for platform"
source = "test"
)";

class StudyTest : public store::StoreTest {
 protected:
  StudyTest() : store_(open()), writer_(must(store_.begin_run({}))) {
    std::vector<CaseInfo> cases;
    for (const char* name : {"passes", "partial", "fails", "host", "failed_then", "runs_at_last"}) {
      cases.push_back(make_case("jax." + std::string(name), "1", true, "jax"));
      cases.back().host_only = name == std::string("host");
    }
    const CaseInfo second = make_case("jax.partial", "2", true, "jax");
    cases.push_back(second);
    EXPECT_OK(writer_.add_target(make_target(kTarget)));
    EXPECT_OK(writer_.plan(kTarget, cases));
    const std::string message = "rule for 'eig' not found for platform tpu";
    auto fails = [&](const CaseInfo& info) {
      return make_failure(kTarget, info, "NotImplementedError", message);
    };
    EXPECT_OK(writer_.commit(std::vector<Attempt>{
        make_attempt(kTarget, cases[0]), make_attempt(kTarget, cases[1]), fails(cases[2]), skipped(cases[3]),
        fails(cases[4]), make_attempt(kTarget, cases[5]), fails(second)}));
  }

  static Attempt skipped(const CaseInfo& info) {
    Attempt attempt = make_attempt(kTarget, info, Outcome::kSkip);
    attempt.reason = "no device program";
    return attempt;
  }

  StudyComparison compare() {
    SummaryOptions options;
    options.detail = Detail::kMessages;
    const classify::RuleSet rules = classify::RuleSet::parse(kRules, "rules.toml").value();
    const Summary summary = must(summarize(store_, rules, options));
    return must(compare_with_study(summary, Study::parse(kStudy, "s.toml", kFunctions, "f.csv").value()));
  }

  static constexpr const char* kTarget = "jax/tpu-v3+aot";
  store::Store store_;
  store::RunWriter writer_;
};

TEST_F(StudyTest, CountsConfusionAndReasons) {
  const StudyComparison comparison = compare();
  EXPECT_THAT(comparison.missing, ElementsAre("tensorflow"));
  ASSERT_EQ(comparison.targets.size(), 1u);
  const StudyTarget& jax = comparison.targets.front();
  EXPECT_EQ(jax.published.functions, 5);
  EXPECT_EQ(jax.published.pass, 1);
  EXPECT_EQ(jax.published.partial, 1);
  EXPECT_EQ(jax.published.fail, 1);
  EXPECT_EQ(jax.published.unchecked, 2);  // host and gone
  EXPECT_EQ(jax.published_without_host_only.functions, 4);
  EXPECT_EQ(jax.now.functions, 7);
  const Confusion& confusion = jax.without_host_only.confusion;
  EXPECT_EQ(confusion.fail_failed, 1);
  EXPECT_EQ(confusion.fail_ran, 1);
  EXPECT_EQ(confusion.pass_failed, 1);
  EXPECT_EQ(confusion.pass_ran, 2);
  // po = 3/5; half of it by chance: 2/5 x 2/5 + 3/5 x 3/5 = 13/25; (15 - 13) / (25 - 13) = 1/6.
  EXPECT_NEAR(jax.all.kappa.value.value(), 1.0 / 6, 1e-12);
  EXPECT_EQ(jax.host_only.agreement.total, 0);
  EXPECT_FALSE(jax.host_only.kappa.reason.empty());
  ASSERT_EQ(jax.categories.size(), 2u);
  EXPECT_EQ(jax.categories[0].category, Category::kNotImplemented);
  EXPECT_EQ(jax.categories[0].then, 2);
  EXPECT_EQ(jax.categories[0].now, 3);  // two wholly, one in part
  EXPECT_EQ(jax.categories[1].now, 0);
  for (const StudyLine& line : jax.lines) {
    if (line.name == "jax.gone") {
      EXPECT_EQ(line.reason, "removed from the framework since");
    }
    if (line.name == "jax.host") {
      EXPECT_EQ(line.reason, "no device program");
    }
    if (line.name == "jax.failed_then") {
      EXPECT_EQ(line.now, Now::kFails);
      EXPECT_FALSE(line.published);
      EXPECT_EQ(line.rule, "rule");
      EXPECT_THAT(line.message, HasSubstr("eig"));
    }
  }
}

store::StoredTarget stored(const std::string& name, const std::string& device = {}) {
  store::StoredTarget one;
  one.target = make_target(name);
  one.target.device_name = device;
  return one;
}

TEST(StudyTargets, OfItsDevicesAlone) {
  const Study study = must(Study::load(kBaselines, "grand-illusion"));
  EXPECT_THAT(study_targets({stored("jax/cpu"), stored("jax/tpu-v3+aot"), stored("jax/tpu-v5e+aot"),
                             stored("torch/tpu-v3+aot"), stored("jax/tpu"), stored("torch/cuda", "Tesla T4"),
                             stored("jax/cuda", "NVIDIA H100"), stored("jax/cuda-t4")},
                            study),
              ElementsAre("jax/tpu-v3+aot", "torch/tpu-v3+aot", "torch/cuda", "jax/cuda-t4"));
  EXPECT_EQ(study_side("torch/cuda"), StudySide::kGpu);
  EXPECT_EQ(study_side("jax/tpu-v5e+aot"), StudySide::kTpu);
  EXPECT_EQ(study_side("torch/lazy"), StudySide::kTpu);
}

// --- as changes

std::vector<std::string> told(const Comparison& comparison, ChangeKind kind) {
  std::vector<std::string> out;
  for (const PairDelta& pair : comparison.pairs) {
    for (const Change& change : pair.changes) {
      if (change.kind == kind) out.push_back(change.case_name.empty() ? change.function : change.case_name);
    }
  }
  for (const Change& change : comparison.of_targets) {
    if (change.kind == kind) out.push_back(change.target);
  }
  return out;
}

std::vector<ChangeKind> unanswered(const Comparison& comparison) {
  std::vector<ChangeKind> out;
  for (const Unanswered& one : comparison.unanswered) out.push_back(one.kind);
  return out;
}

TEST_F(StudyTest, ChangesAreOfWhatWasPublished) {
  const Comparison changes = compare().changes;
  EXPECT_THAT(told(changes, ChangeKind::kNewFailure), ElementsAre("jax.fails"));
  EXPECT_THAT(told(changes, ChangeKind::kNotRun), ElementsAre("jax.host"));
  EXPECT_THAT(told(changes, ChangeKind::kDropped), ElementsAre("jax.gone", "tensorflow/tpu"));
  // Then it may have failed as well: nothing to compare with. The same of one case of a function that ran.
  EXPECT_THAT(told(changes, ChangeKind::kAddedFailure), ElementsAre("jax.failed_then/1", "jax.partial/2"));
  EXPECT_THAT(told(changes, ChangeKind::kAdded), IsEmpty());
  ASSERT_EQ(changes.pairs.size(), 1u);
  const PairDelta& pair = changes.pairs.front();
  EXPECT_EQ(pair.before.target, "jax/tpu");
  const StatusCounts& counts = pair.function_counts;
  EXPECT_EQ(counts.unchanged, 1);     // passes
  EXPECT_EQ(counts.changed, 4);       // fails, host, partial, failed_then
  EXPECT_EQ(counts.dropped, 1);       // gone
  EXPECT_EQ(counts.not_compared, 1);  // runs_at_last
  EXPECT_EQ(pair.case_counts.not_compared, 7);
  EXPECT_THAT(unanswered(changes),
              ElementsAre(ChangeKind::kCategoryChanged, ChangeKind::kWeakerEvidence, ChangeKind::kNewPass,
                          ChangeKind::kNewlyRun, ChangeKind::kNoLongerFlaky, ChangeKind::kSlower,
                          ChangeKind::kFaster));
  for (const Drift& drift : changes.drifts) {
    if (drift.what == "jax") {
      EXPECT_EQ(drift.before + " " + drift.after, "0.4.8 2.13.0");
    }
    if (drift.what == "device") {
      EXPECT_EQ(drift.before + " " + drift.after, "TPU a device");
    }
  }
  EXPECT_EQ(changes.drifts.size(), 4u);  // cases, times, version, device
}

TEST_F(StudyTest, AGateThatCanNeverFindAnythingIsAnError) {
  Comparison changes = compare().changes;
  for (const char* word : {"category-changed", "slower=2", "new-failures,weaker-evidence"}) {
    const Result<Gate> gate = must(Gate::parse(word)).within(changes.unanswered);
    ASSERT_FALSE(gate.ok()) << word;
    EXPECT_TRUE(gate.error().is(AnalysisError::kBadGate));
    EXPECT_THAT(gate.error().remedy(), HasSubstr("can answer: new-failures, added-failures"));
  }
  EXPECT_EQ(must(Gate::standard().within(changes.unanswered)).text(), "new-failures");
  const Gate any = must(must(Gate::parse("any")).within(changes.unanswered));
  EXPECT_EQ(any.text(), "new-failures,added-failures,unexpected-passes,flaky,not-run,dropped,stale");
  apply_gate(changes, any);
  EXPECT_EQ(changes.findings, 6);
}

TEST_F(StudyTest, AFunctionIsExpectedWhereAllItsFailingCasesAre) {
  Comparison changes = compare().changes;
  const auto entries = [](const std::string& text) {
    return must(Expectations::parse("[[expected]]\ntarget = \"jax/*\"\n" + text, "known.toml"));
  };
  apply_expectations(changes, entries("function = \"jax.fails\"\nreason = \"known\"\n"));
  apply_gate(changes, must(Gate::parse("new-failures")));
  EXPECT_EQ(changes.findings, 0);
  EXPECT_EQ(changes.expectations.matched, 1);
  Comparison others = compare().changes;
  apply_expectations(others, entries("function = \"jax.passes\"\n"));
  EXPECT_THAT(told(others, ChangeKind::kUnexpectedPass), ElementsAre("jax.passes"));
  apply_gate(others, must(Gate::parse("new-failures,unexpected-passes")));
  EXPECT_EQ(others.findings, 2);
}

// A GPU that was timed, against the study's.
class StudyTimesTest : public store::StoreTest {
 protected:
  StudyTimesTest() : store_(open()) {
    store::RunWriter writer = must(store_.begin_run({}));
    const std::vector<CaseInfo> cases{
        make_case("jax.passes", "1", true, "jax"), make_case("jax.partial", "1", true, "jax"),
        make_case("jax.runs_at_last", "1", true, "jax"), make_case("jax.passes", "2", true, "jax")};
    EXPECT_OK(writer.add_target(make_target(kTarget)));
    EXPECT_OK(writer.plan(kTarget, cases));
    std::vector<Attempt> attempts;
    for (std::size_t i = 0; i < cases.size(); ++i) {
      attempts.push_back(make_attempt(kTarget, cases[i]));
      std::vector<double> warm;
      for (int n = -10; n <= 10; ++n) warm.push_back((i == 0 ? 5e-3 : 0.2e-3) * (1 + 0.002 * n));
      attempts.push_back(make_timing(kTarget, cases[i], 0.1, std::move(warm)));
      attempts.back().latency.unstable = i == 3;  // then it is in no mean
    }
    EXPECT_OK(writer.commit(attempts));
  }

  Comparison compare(const std::string& functions) {
    SummaryOptions options;
    options.detail = Detail::kMessages;
    const classify::RuleSet rules = classify::RuleSet::parse(kRules, "rules.toml").value();
    const Summary summary = must(summarize(store_, rules, options));
    const Study study = Study::parse(kStudy, "s.toml", functions, "f.csv").value();
    return must(compare_with_study(summary, study)).changes;
  }

  static constexpr const char* kTarget = "jax/cuda-t4";
  store::Store store_;
};

TEST_F(StudyTimesTest, SlowerAndFasterThanPublished) {
  Comparison changes = compare(std::string(kFunctions));
  EXPECT_THAT(told(changes, ChangeKind::kSlower), ElementsAre("jax.passes"));
  EXPECT_THAT(told(changes, ChangeKind::kFaster), ElementsAre("jax.partial"));
  const PairDelta& pair = changes.pairs.front();
  EXPECT_EQ(pair.before.target, "jax/gpu");
  const Change& slower = pair.changes.front();
  ASSERT_TRUE(slower.ratio.has_value());
  EXPECT_NEAR(slower.ratio->baseline_s, 1e-3, 1e-12);  // gpu_ms
  EXPECT_NEAR(slower.ratio->ratio, 5, 1e-9);
  ASSERT_TRUE(slower.ratio->interval.has_value());
  EXPECT_GT(slower.ratio->interval->low, 4.85);
  EXPECT_LT(slower.ratio->interval->high, 5.15);
  EXPECT_TRUE(pair.warm.of_functions);
  EXPECT_EQ(pair.warm.cases, 2);
  for (const auto& [gate, findings] : {std::pair{"slower=3", 1}, {"slower=10", 0}, {"slower", 1}}) {
    apply_gate(changes, must(must(Gate::parse(gate)).within(changes.unanswered)));
    EXPECT_EQ(changes.findings, findings) << gate;
  }
}

TEST_F(StudyTimesTest, AChangedStudyChangesTheAnswer) {
  std::string functions(kFunctions);
  const std::string row = "jax,jax.passes,jax.passes,same,table,1,2,2";
  functions.replace(functions.find(row), row.size(), "jax,jax.passes,jax.passes,same,table,50,2,2");
  const Comparison changes = compare(functions);
  EXPECT_THAT(told(changes, ChangeKind::kSlower), IsEmpty());
  EXPECT_THAT(told(changes, ChangeKind::kFaster), ElementsAre("jax.passes", "jax.partial"));
  functions.replace(functions.find("same,table,50,2,2"), 17, "same,repository,,,");
  EXPECT_THAT(told(compare(functions), ChangeKind::kFaster), ElementsAre("jax.partial"));
}

}  // namespace
}  // namespace seamark::analysis
