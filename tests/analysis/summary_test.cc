#include "seamark/model/attributes.h"
#include "summary_fixture.h"

namespace seamark::analysis {
namespace {

using store::make_attempt;
using store::make_case;
using store::make_failure;
using store::make_timing;
using testing::ElementsAre;
using testing::HasSubstr;

TEST_F(SummaryTest, VerdictsAndRatesOfATarget) {
  // Per function: what its core cases do on torch/cpu and on torch/lazy.
  const CaseInfo pass = make_case("torch.a_pass", "1");
  const CaseInfo partial_1 = make_case("torch.b_partial", "1");
  const CaseInfo partial_2 = make_case("torch.b_partial", "2");
  const CaseInfo fails = make_case("torch.c_fails", "1");
  const CaseInfo reference = make_case("torch.d_reference", "1");
  const CaseInfo skipped = make_case("torch.e_skipped", "1");
  const CaseInfo flaky = make_case("torch.f_flaky", "1");
  CaseInfo host = make_case("torch.g_host", "1");
  host.host_only = true;
  const CaseInfo fallback = make_case("torch.h_fallback", "1");
  const CaseInfo extra = make_case("torch.a_pass", "extra", false);
  const std::vector<CaseInfo> cases = {pass,    partial_1, partial_2, fails,    reference,
                                       skipped, flaky,     host,      fallback, extra};
  for (const char* target : {"torch/cpu", "torch/lazy"}) add(target, cases);
  for (const CaseInfo& one : cases) {
    if (one.name == reference.name) {
      commit({make_failure("torch/cpu", one, "RuntimeError", "bad address 0x7f12", "sig1")});
    } else {
      commit({placed(make_attempt("torch/cpu", one), Where::kDevice)});
    }
  }
  const std::string lazy = "torch/lazy";
  commit({placed(make_attempt(lazy, pass), Where::kDevice),
          placed(make_attempt(lazy, partial_1), Where::kDevice),
          make_failure(lazy, partial_2, "NotImplementedError", "\"x\" not implemented for 'Half'", "s2"),
          make_failure(lazy, fails, "NotImplementedError", "Could not run 'aten::y'", "s3"),
          // Another signature (the stage differs), the same error but for the address.
          make_failure(lazy, reference, "RuntimeError", "bad address 0x9911", "sig2"),
          make_attempt(lazy, skipped, Outcome::kSkip), make_failure(lazy, flaky, "E", "now and then", "s4"),
          make_attempt(lazy, flaky, Outcome::kPass, 2, Phase::kConfirm), make_attempt(lazy, host),
          placed(make_attempt(lazy, fallback), Where::kHost),
          make_failure(lazy, extra, "E", "outside the core", "s5")});

  const Summary s = summary();
  ASSERT_EQ(s.targets.size(), 2);
  const TargetRow& row = s.targets[1];
  EXPECT_EQ(row.target, lazy);
  EXPECT_EQ(row.reference, "torch/cpu");
  EXPECT_EQ(row.baseline, "torch/cpu");
  EXPECT_EQ(s.targets[0].baseline, "");
  EXPECT_EQ(s.targets[0].reference_note, "it is the reference");

  const FunctionCounts& all = row.all;
  EXPECT_EQ(all.functions, 8);
  EXPECT_EQ(all.pass, 3);  // a_pass, g_host, h_fallback
  EXPECT_EQ(all.partial, 1);
  EXPECT_EQ(all.fail, 2);  // c_fails, f_flaky
  EXPECT_EQ(all.not_run, 1);
  EXPECT_EQ(all.fails_on_reference, 1);
  EXPECT_EQ(all.uncorrected_fail, 3);
  EXPECT_EQ(all.flaky, 1);
  EXPECT_EQ(all.runs.count, 3);
  EXPECT_EQ(all.runs.total, 6);
  EXPECT_DOUBLE_EQ(all.runs.value.value(), 0.5);
  EXPECT_EQ(all.runs.interval, wilson(3, 6));
  EXPECT_EQ(all.runs_uncorrected.total, 7);
  EXPECT_EQ(all.runs_on_device.count, 1);  // a_pass; g_host has nothing to place
  EXPECT_EQ(all.runs_on_device.total, 5);
  EXPECT_EQ(row.with_device_work.functions, 7);
  EXPECT_EQ(row.with_device_work.runs.count, 2);
  EXPECT_EQ(row.with_device_work.runs_on_device.count, 1);

  EXPECT_EQ(row.cases.planned, 10);
  EXPECT_EQ(row.core_cases.planned, 9);
  EXPECT_EQ(row.cases.pass, 4);
  EXPECT_EQ(row.cases.fail, 4);
  EXPECT_EQ(row.cases.flaky, 1);
  EXPECT_EQ(row.cases.skip, 1);
  EXPECT_EQ(row.cases.fails_on_reference, 1);
  EXPECT_EQ(row.cases.runs.total, 8);
  EXPECT_EQ(row.cases.runs_uncorrected.total, 9);

  // The reference itself is not corrected by itself.
  EXPECT_EQ(s.targets[0].all.fail, 1);
  EXPECT_EQ(s.targets[0].all.fails_on_reference, 0);

  EXPECT_EQ(function_of(s, "torch.a_pass").cells[1].verdict,
            Verdict::kPass);  // the extra case does not count
  EXPECT_EQ(function_of(s, "torch.a_pass").cells[1].on_device, true);
  EXPECT_EQ(function_of(s, "torch.b_partial").cells[1].verdict, Verdict::kPartial);
  EXPECT_EQ(function_of(s, "torch.b_partial").cells[1].category, Category::kType);
  EXPECT_EQ(function_of(s, "torch.d_reference").cells[1].verdict, std::nullopt);
  EXPECT_TRUE(function_of(s, "torch.d_reference").cells[1].fails_on_reference);
  EXPECT_EQ(function_of(s, "torch.d_reference").cells[1].uncorrected, Verdict::kFail);
  EXPECT_EQ(function_of(s, "torch.e_skipped").cells[1].verdict, Verdict::kNotRun);
  EXPECT_TRUE(function_of(s, "torch.f_flaky").cells[1].flaky);
  EXPECT_EQ(function_of(s, "torch.h_fallback").cells[1].on_device, false);

  ASSERT_EQ(s.categories.size(), 2);
  const TargetCategories& categories = s.categories[1];
  EXPECT_EQ(categories.target, lazy);
  std::map<Category, int> functions;
  for (const CategoryCount& count : categories.categories) functions[count.category] = count.functions;
  EXPECT_EQ(functions[Category::kType], 1);
  EXPECT_EQ(functions[Category::kNotImplemented], 1);
  EXPECT_EQ(functions[Category::kUnclassified], 1);  // f_flaky alone
  for (const CategoryCount& count : categories.categories) {
    if (count.category != Category::kUnclassified) continue;
    EXPECT_EQ(count.cases, 2);  // f_flaky and the extra case
    EXPECT_EQ(count.fails_on_reference, 1);
    EXPECT_THAT(count.examples, ElementsAre("torch.f_flaky"));
  }
}

TEST_F(SummaryTest, WithoutAReferenceNothingIsCorrected) {
  const CaseInfo info = make_case("torch.sum", "1");
  add("torch/lazy", {info});
  commit({make_failure("torch/lazy", info, "E", "m", "s")});
  const Summary s = summary();
  EXPECT_EQ(s.targets[0].all.fail, 1);
  EXPECT_EQ(s.targets[0].reference, "");
  EXPECT_THAT(s.targets[0].reference_note, HasSubstr("torch/cpu is not among the targets"));
  ASSERT_EQ(s.ratios.size(), 1);
  EXPECT_THAT(s.ratios[0].reason, HasSubstr("torch/cpu is not among"));
}

TEST_F(SummaryTest, WhatTheAgentSawFailOnTheCpuIsNoFindingAboutTheDevice) {
  const CaseInfo passes = make_case("tf.add", "1");
  const CaseInfo limit = make_case("tf.linalg.eig", "1");
  const CaseInfo finding = make_case("tf.signal.fft", "1");
  const std::vector<CaseInfo> cases = {passes, limit, finding};
  const std::string aot = "tensorflow/tpu-v3+aot";
  const auto marked = [&](const std::string& target) {
    Attempt attempt = make_failure(target, limit, "ValueError", "no kernel for XLA", "s1");
    attempt.attributes = {"fails-on-reference"};
    return attempt;
  };
  for (const std::string& target : {std::string("tensorflow/cpu"), aot}) add(target, cases);
  // Plain CPU passes what XLA for the CPU does not; what is marked on the reference itself stays.
  Attempt own = make_failure("tensorflow/cpu", finding, "E", "m", "s2");
  own.attributes = {"fails-on-reference"};
  commit({make_attempt("tensorflow/cpu", passes), make_attempt("tensorflow/cpu", limit), own});
  commit({make_attempt(aot, passes), marked(aot), make_failure(aot, finding, "E", "other", "s3")});

  const Summary s = summary();
  EXPECT_EQ(s.targets[0].all.fails_on_reference, 0);
  EXPECT_EQ(s.targets[0].all.fail, 1);
  EXPECT_EQ(s.targets[1].all.fails_on_reference, 1);
  EXPECT_EQ(s.targets[1].all.fail, 1);
  EXPECT_EQ(s.targets[1].all.uncorrected_fail, 2);
  EXPECT_EQ(function_of(s, "tf.linalg.eig").cells[1].verdict, std::nullopt);
  EXPECT_EQ(function_of(s, "tf.signal.fft").cells[1].verdict, Verdict::kFail);
}

TEST_F(SummaryTest, OtherHashesAndOtherFailuresAreNoReference) {
  const CaseInfo info = make_case("torch.sum", "1");
  CaseInfo changed = info;
  changed.hash = "other";
  const CaseInfo differs = make_case("torch.sum", "2");
  const CaseInfo crash = make_case("torch.sum", "3");
  add("torch/cpu", {info, differs, crash});
  add("torch/lazy", {changed, differs, crash});
  Attempt crashed = make_failure("torch/lazy", crash, "E", "m", "s");
  crashed.outcome = Outcome::kCrash;
  commit({make_failure("torch/cpu", info, "E", "m", "s"), make_failure("torch/lazy", changed, "E", "m", "s"),
          make_failure("torch/cpu", differs, "E", "one", "s1"),
          make_failure("torch/lazy", differs, "E", "two", "s2"),
          make_failure("torch/cpu", crash, "E", "m", "s"), crashed});
  const Summary s = summary();
  EXPECT_EQ(s.targets[1].cases.fails_on_reference, 0);
  EXPECT_EQ(s.targets[1].all.fail, 1);
}

// PyTorch's own database has cases that fail on the CPU; a case written by hand that does is a finding.
TEST_F(SummaryTest, AutomaticCasesThatFailOnTheReferenceAreMarkedThereToo) {
  const auto of = [](const char* suite, const std::string& function, const std::string& variant) {
    CaseInfo info = make_case(function, variant);
    info.suite = suite;
    return info;
  };
  const CaseInfo passes = of("opinfo", "torch.mixed", "1");
  const CaseInfo fails = of("opinfo", "torch.mixed", "2");
  const CaseInfo alone = of("generated", "torch.alone", "1");
  const CaseInfo flaky = of("harness", "torch.flaky", "1");
  const CaseInfo written = of("curated", "torch.written", "1");
  const std::vector<CaseInfo> cases = {passes, fails, alone, flaky, written};
  add("torch/cpu", cases);
  add("torch/lazy", cases);
  commit({make_attempt("torch/cpu", passes),
          make_failure("torch/cpu", fails, "E", "not implemented for", "s"),
          make_failure("torch/cpu", alone, "E", "m", "s"), make_failure("torch/cpu", flaky, "E", "m", "s1"),
          make_failure("torch/cpu", flaky, "E", "m2", "s2", 2),
          make_failure("torch/cpu", written, "E", "m", "s")});
  commit({make_attempt("torch/lazy", passes), make_failure("torch/lazy", fails, "E", "other", "s3"),
          make_attempt("torch/lazy", alone), make_attempt("torch/lazy", flaky),
          make_failure("torch/lazy", written, "E", "m", "s")});

  const Summary s = summary();
  const TargetRow& cpu = s.targets[0];
  EXPECT_EQ(cpu.cases.fail, 3);
  EXPECT_EQ(cpu.cases.flaky, 1);
  EXPECT_EQ(cpu.cases.fails_on_reference, 2);
  EXPECT_EQ(cpu.cases.runs.total, 3);
  EXPECT_EQ(cpu.cases.runs_uncorrected.total, 5);
  EXPECT_EQ(cpu.all.pass, 1);  // torch.mixed
  EXPECT_EQ(cpu.all.uncorrected_partial, 1);
  EXPECT_EQ(cpu.all.fails_on_reference, 1);  // torch.alone
  EXPECT_EQ(cpu.all.fail, 2);                // torch.flaky, torch.written
  EXPECT_EQ(cpu.all.uncorrected_fail, 3);
  EXPECT_EQ(function_of(s, "torch.alone").cells[0].verdict, std::nullopt);
  EXPECT_FALSE(function_of(s, "torch.written").cases[0].cells[0].fails_on_reference);

  // It fails otherwise on the other target: that is the target's own failure.
  EXPECT_EQ(function_of(s, "torch.mixed").cells[1].verdict, Verdict::kPartial);
  EXPECT_EQ(function_of(s, "torch.alone").cells[1].verdict, Verdict::kPass);
  EXPECT_EQ(function_of(s, "torch.written").cells[1].verdict, std::nullopt);
  std::int64_t counted = 0;
  for (const CategoryCount& count : s.categories[0].categories) counted += count.fails_on_reference;
  EXPECT_EQ(counted, 2);
}

// Programs, and automatic cases of a function whose core cases are elsewhere, decide no verdict.
TEST_F(SummaryTest, AFunctionWithoutCoreCasesIsCountedApart) {
  const CaseInfo core = make_case("torch.sum", "1");
  const CaseInfo idiom = make_case("torch.idioms.early_exit", "1", false);
  const CaseInfo fails = make_case("torch.idioms.proximal_step", "1", false);
  add("torch/cpu", {core, idiom, fails});
  add("torch/lazy", {idiom});
  commit({make_attempt("torch/cpu", core), make_attempt("torch/cpu", idiom),
          make_failure("torch/cpu", fails, "E", "m", "s"), make_attempt("torch/lazy", idiom)});
  const Summary s = summary();
  const FunctionCounts& all = s.targets[0].all;
  EXPECT_EQ(all.functions, 1);
  EXPECT_EQ(all.pass, 1);
  EXPECT_EQ(all.not_run, 0);
  EXPECT_EQ(all.fails_on_reference, 0);
  EXPECT_EQ(all.cases_only, 2);
  EXPECT_EQ(all.runs.total, 1);
  EXPECT_EQ(s.targets[0].cases.runs.total, 3);  // as cases they count
  EXPECT_EQ(s.targets[1].all.functions, 0);
  EXPECT_EQ(s.targets[1].all.cases_only, 1);
  EXPECT_FALSE(s.targets[1].all.runs.value.has_value());
  const FunctionCell& cell = function_of(s, "torch.idioms.proximal_step").cells[0];
  EXPECT_TRUE(cell.cases_only);
  EXPECT_EQ(cell.verdict, std::nullopt);
  EXPECT_FALSE(function_of(s, "torch.idioms.proximal_step").cells[1].cases_only);  // not planned there
  for (const TargetCategories& target : s.categories) {
    for (const CategoryCount& count : target.categories) EXPECT_EQ(count.functions, 0);
  }
}

TEST_F(SummaryTest, CompiledTargetsClaimNoMoreThanThat) {
  const CaseInfo info = make_case("jax.numpy.add", "1", true, "jax");
  add("jax/cpu", {info});
  add("jax/tpu-v3+aot", {info});
  Attempt compiled = make_attempt("jax/tpu-v3+aot", info);
  compiled.evidence = Evidence::kCompiled;
  Attempt timing = make_timing("jax/tpu-v3+aot", info, 1, {1, 1, 1, 1, 1, 1});
  timing.evidence = Evidence::kCompiled;  // whatever it measured, it did not run there
  commit(
      {make_attempt("jax/cpu", info), make_timing("jax/cpu", info, 1, {1, 1, 1, 1, 1, 1}), compiled, timing});
  const Summary s = summary();
  const TargetRow& aot = s.targets[1];
  EXPECT_TRUE(aot.compiled_only);
  EXPECT_EQ(aot.all.runs.count, 1);
  EXPECT_FALSE(aot.all.runs_on_device.value.has_value());
  EXPECT_THAT(aot.all.runs_on_device.reason, HasSubstr("compiled only"));
  ASSERT_EQ(aot.evidence.size(), 1);
  EXPECT_EQ(aot.evidence[0].evidence, Evidence::kCompiled);
  EXPECT_EQ(aot.ratios_warm, 0);
  EXPECT_THAT(aot.median_ratio_warm.reason, HasSubstr("compiled only"));
  EXPECT_FALSE(s.targets[0].compiled_only);
}

// It passes with a mark; the study counted it as failed.
TEST_F(SummaryTest, WhatIsRightAtTheHighestPrecisionAlonePassesAndIsCounted) {
  const CaseInfo coarse = make_case("torch.conv", "1");
  const CaseInfo exact = make_case("torch.conv", "2");
  const std::string target = "torch/cuda";
  add(target, {coarse, exact});
  Attempt marked = make_attempt(target, coarse);
  marked.attributes.emplace_back(attribute::kDefaultPrecision);
  commit({marked, make_attempt(target, exact)});

  const Summary own = summary();
  EXPECT_EQ(own.targets[0].all.pass, 1);
  EXPECT_EQ(own.targets[0].all.default_precision, 1);
  EXPECT_EQ(own.targets[0].core_cases.default_precision, 1);
  EXPECT_TRUE(own.functions[0].cells[0].default_precision);

  SummaryOptions by_study;
  by_study.study_rule = true;
  const Summary study = summary(by_study);
  EXPECT_EQ(study.targets[0].all.partial, 1);
  EXPECT_EQ(study.targets[0].all.default_precision, 0);
  EXPECT_EQ(study.functions[0].cells[0].category, Category::kFloatPrecision);
}

TEST_F(SummaryTest, APartialFunctionNamesTheDtypesThatFail) {
  CaseInfo f32 = make_case("torch.a", "1");
  CaseInfo f64 = make_case("torch.a", "2");
  CaseInfo c128 = make_case("torch.a", "3");
  f32.dtype = "f32";
  f64.dtype = "f64";
  c128.dtype = "c128";
  CaseInfo passes = make_case("torch.b", "1");
  CaseInfo fails = make_case("torch.b", "2");
  passes.dtype = fails.dtype = "f32";
  const std::string target = "torch/mps";
  add(target, {f32, f64, c128, passes, fails});
  commit({make_attempt(target, f32), make_failure(target, f64, "TypeError", "no float64", "s1"),
          make_failure(target, c128, "TypeError", "no float64", "s2"), make_attempt(target, passes),
          make_failure(target, fails, "E", "odd", "s3")});
  const Summary s = summary();
  EXPECT_EQ(s.functions[0].cells[0].only_dtypes.get(), "c128 f64");
  EXPECT_EQ(s.functions[1].cells[0].only_dtypes.get(), "");
}

TEST_F(SummaryTest, UnknownPlacementIsNotANumber) {
  const CaseInfo info = make_case("torch.sum", "1");
  add("torch/cpu", {info});
  commit({make_attempt("torch/cpu", info)});
  const FunctionCounts counts = summary().targets[0].all;
  EXPECT_EQ(counts.runs.count, 1);
  EXPECT_EQ(counts.placement_unproven, 1);
  EXPECT_FALSE(counts.runs_on_device.value.has_value());
  EXPECT_THAT(counts.runs_on_device.reason, HasSubstr("unknown"));
}

TEST_F(SummaryTest, PassingCasesAreCountedByPlacement) {
  std::vector<CaseInfo> cases;
  for (const char* name : {"device", "host", "unknown", "none", "work", "fails", "twice"})
    cases.push_back(make_case("torch.sum", name));
  CaseInfo host_only = make_case("torch.is_tensor", "1");
  host_only.host_only = true;
  cases.push_back(host_only);
  add("torch/lazy", cases);
  Attempt work = placed(make_attempt("torch/lazy", cases[4]), Where::kNone);
  work.attributes = {"no-device-work"};
  commit({placed(make_attempt("torch/lazy", cases[0]), Where::kDevice),
          placed(make_attempt("torch/lazy", cases[1]), Where::kHost),
          placed(make_attempt("torch/lazy", cases[2]), Where::kUnknown),
          placed(make_attempt("torch/lazy", cases[3]), Where::kNone), work,
          placed(make_failure("torch/lazy", cases[5], "E", "m"), Where::kHost),
          // What one of its attempts shows is true of the case.
          placed(make_attempt("torch/lazy", cases[6]), Where::kDevice),
          placed(make_attempt("torch/lazy", cases[6], Outcome::kPass, 2, Phase::kRecheck), Where::kHost),
          make_attempt("torch/lazy", host_only)});
  const Summary s = summary();
  const CaseCounts& counts = s.targets[0].cases;
  EXPECT_EQ(counts.pass, 7);
  EXPECT_EQ(counts.placed_device, 1);
  EXPECT_EQ(counts.placed_host, 2);
  EXPECT_EQ(counts.placed_unknown, 1);
  EXPECT_EQ(counts.placed_none, 3);
}

}  // namespace
}  // namespace seamark::analysis
