#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "../store/store_fixture.h"
#include "seamark/analysis/analysis_error.h"
#include "seamark/analysis/study_compare.h"

namespace seamark::analysis {
namespace {

using store::make_attempt;
using store::make_case;
using store::make_failure;
using store::make_target;
using store::must;
using testing::ElementsAre;
using testing::HasSubstr;

const std::filesystem::path kBaselines = std::filesystem::path(SEAMARK_SOURCE_DIR) / "data" / "baselines";

TEST(Study, TheOneThatComesAlong) {
  const Study study = must(Study::load(kBaselines, "grand-illusion"));
  int published = 0;
  for (const StudyFunction& function : study.functions()) published += function.tpu_s.has_value();
  EXPECT_EQ(study.functions().size(), 199u);
  EXPECT_EQ(published, 155);  // 43 + 51 + 61, its Tables 5 to 7
  const StudyFramework* torch = study.framework("torch");
  ASSERT_NE(torch, nullptr);
  EXPECT_EQ(torch->tpu.complete, 11);
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
    "framework,published_name,name_today,status_today,source,gpu_t4_ms,tpu_v3_8_ms,tpu_over_gpu\n"
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

TEST(StudyTargets, OfItsGenerationAlone) {
  const Study study = Study::parse(kStudy, "s.toml", kFunctions, "f.csv").value();
  EXPECT_THAT(
      study_targets({"jax/cpu", "jax/tpu-v3+aot", "jax/tpu-v5e+aot", "torch/tpu-v3+aot", "jax/tpu"}, study),
      ElementsAre("jax/tpu-v3+aot", "torch/tpu-v3+aot"));
}

}  // namespace
}  // namespace seamark::analysis
