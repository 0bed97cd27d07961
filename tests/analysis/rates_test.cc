// What may and what must not change a rate.
#include <fmt/format.h>

#include <random>

#include "seamark/model/attributes.h"
#include "summary_fixture.h"

namespace seamark::analysis {
namespace {

using store::make_attempt;
using store::make_case;
using store::make_failure;

Attempt bridge_failure(const std::string& target, const CaseInfo& info) {
  Attempt attempt = make_failure(target, info, "Gap", "no way to say it", "b");
  attempt.failure->stage = "bridge";
  attempt.evidence = Evidence::kLowered;
  return attempt;
}

Attempt without_work(Attempt attempt) {
  attempt.attributes.emplace_back(attribute::kNoDeviceWork);
  return attempt;
}

TEST_F(SummaryTest, AFunctionIsHostOnlyWhenAllOfItsCoreCasesAre) {
  const CaseInfo core = make_case("tf.Variable", "core", true, "tensorflow");
  CaseInfo host = make_case("tf.Variable", "scope", false, "tensorflow");
  host.host_only = true;
  CaseInfo only = make_case("tf.dtypes.as_dtype", "core", true, "tensorflow");
  only.host_only = true;
  const CaseInfo more = make_case("tf.dtypes.as_dtype", "more", false, "tensorflow");
  add("tensorflow/cpu", {core, host, only, more});
  commit({placed(make_attempt("tensorflow/cpu", core), Where::kHost), make_attempt("tensorflow/cpu", host),
          make_attempt("tensorflow/cpu", only),
          placed(make_attempt("tensorflow/cpu", more), Where::kDevice)});
  const Summary s = summary();
  EXPECT_FALSE(function_of(s, "tf.Variable").host_only);
  EXPECT_EQ(function_of(s, "tf.Variable").cells[0].on_device, false);
  EXPECT_TRUE(function_of(s, "tf.dtypes.as_dtype").host_only);
  EXPECT_EQ(function_of(s, "tf.dtypes.as_dtype").cells[0].on_device, std::nullopt);
  EXPECT_EQ(s.targets[0].all.no_device_work, 1);
  EXPECT_EQ(s.targets[0].all.runs_on_device.count, 0);
  EXPECT_EQ(s.targets[0].all.runs_on_device.total, 1);
}

TEST_F(SummaryTest, AFailureThatSaysNothingOfTheDeviceIsInNoDenominatorOfIt) {
  const CaseInfo passes = make_case("torch.a", "1");
  const CaseInfo bridge = make_case("torch.b", "1");
  const CaseInfo mixed_1 = make_case("torch.c", "1");
  const CaseInfo mixed_2 = make_case("torch.c", "2");
  const CaseInfo fails = make_case("torch.d", "1");
  const CaseInfo flaky = make_case("torch.e", "1");
  const std::string aot = "torch/tpu-v3+aot";
  add(aot, {passes, bridge, mixed_1, mixed_2, fails, flaky});
  Attempt alone = make_attempt(aot, flaky, Outcome::kPass, 2, Phase::kConfirm);
  commit({make_attempt(aot, passes), bridge_failure(aot, bridge), make_attempt(aot, mixed_1),
          bridge_failure(aot, mixed_2), make_failure(aot, fails, "E", "Could not run", "s"),
          bridge_failure(aot, flaky), alone});
  const Summary s = summary();
  const TargetRow& row = s.targets[0];
  EXPECT_EQ(row.all.functions, 5);
  EXPECT_EQ(row.all.pass, 2);
  EXPECT_EQ(row.all.fail, 2);  // torch.d, and torch.e, which passed once
  EXPECT_EQ(row.all.unanswered, 1);
  EXPECT_EQ(row.all.pass + row.all.partial + row.all.fail + row.all.not_run + row.all.fails_on_reference +
                row.all.unanswered,
            row.all.functions);
  EXPECT_EQ(row.all.runs.total, 4);
  EXPECT_EQ(row.all.runs_uncorrected.count, 1);
  EXPECT_EQ(row.all.runs_uncorrected.total, 5);
  EXPECT_EQ(row.cases.unanswered, 2);
  EXPECT_EQ(row.cases.runs.total, 4);
  EXPECT_EQ(row.cases.runs_uncorrected.total, 6);
  const FunctionCell& cell = function_of(s, "torch.b").cells[0];
  EXPECT_EQ(cell.verdict, std::nullopt);
  EXPECT_TRUE(cell.unanswered);
  EXPECT_EQ(cell.category, Category::kBridge);
  ASSERT_EQ(s.categories.size(), 1);
  for (const CategoryCount& count : s.categories[0].categories) {
    EXPECT_EQ(count.unanswered, count.category == Category::kBridge ? 1 : 0);
    EXPECT_EQ(count.functions, 1);  // torch.d, and torch.e of the bridge
  }
}

TEST_F(SummaryTest, WhatOnlyShowsThatNothingWasRaisedIsNoPass) {
  const CaseInfo alone = make_case("torch.a", "1");
  const CaseInfo beside_checked = make_case("torch.b", "1");
  const CaseInfo checked = make_case("torch.b", "2");
  const CaseInfo beside_failure = make_case("torch.c", "1");
  const CaseInfo fails = make_case("torch.c", "2");
  const std::string lazy = "torch/lazy";
  add(lazy, {alone, beside_checked, checked, beside_failure, fails});
  const auto ran = [&](const CaseInfo& info) {
    Attempt attempt = make_attempt(lazy, info);
    attempt.evidence = Evidence::kExecuted;
    attempt.attributes.emplace_back(attribute::kUnchecked);
    return attempt;
  };
  commit({ran(alone), ran(beside_checked), make_attempt(lazy, checked), ran(beside_failure),
          make_failure(lazy, fails, "E", "Could not run", "s")});
  const Summary s = summary();
  const TargetRow& row = s.targets[0];
  const FunctionCell& cell = function_of(s, "torch.a").cells[0];
  EXPECT_EQ(cell.verdict, std::nullopt);
  EXPECT_TRUE(cell.unchecked);
  EXPECT_EQ(cell.core_passed, 0);
  EXPECT_EQ(function_of(s, "torch.b").cells[0].verdict, Verdict::kPass);
  EXPECT_EQ(function_of(s, "torch.b").cells[0].core_passed, 1);
  EXPECT_EQ(function_of(s, "torch.c").cells[0].verdict, Verdict::kPartial);
  EXPECT_EQ(row.all.unchecked, 1);
  EXPECT_EQ(row.all.runs.count, 1);
  EXPECT_EQ(row.all.runs.total, 2);
  EXPECT_EQ(row.all.runs_uncorrected.count, 2);
  EXPECT_EQ(row.all.runs_uncorrected.total, 3);
  EXPECT_EQ(row.cases.pass, 1);
  EXPECT_EQ(row.cases.unchecked, 3);
  EXPECT_EQ(row.cases.runs.total, 2);
  EXPECT_EQ(row.cases.runs_uncorrected.count, 4);
  EXPECT_EQ(
      row.cases.placed_device + row.cases.placed_host + row.cases.placed_unknown + row.cases.placed_none, 1);
  ASSERT_EQ(row.evidence.size(), 1);
  EXPECT_EQ(row.evidence[0].cases, 1);
}

TEST_F(SummaryTest, ACauseThatIsToldInTheBridgeStaysUnanswered) {
  const CaseInfo info = make_case("torch.nonzero", "1");
  const std::string aot = "torch/tpu-v3+aot";
  add(aot, {info});
  Attempt attempt = bridge_failure(aot, info);
  attempt.failure->message = "depends on values";
  commit({attempt});
  const classify::RuleSet rules =
      classify::RuleSet::parse(
          "[[rule]]\nid = \"values\"\nall = [\"depends on values\"]\nstage = \"bridge\"\n"
          "category = \"dynamic-shape\"\nexample = \"depends on values\"\nsource = \"test\"\n",
          "rules.toml")
          .value();
  const Summary s = store::must(summarize(store_, rules, {}));
  const FunctionCell& cell = function_of(s, "torch.nonzero").cells[0];
  EXPECT_EQ(cell.category, Category::kDynamicShape);
  EXPECT_TRUE(cell.unanswered);
  EXPECT_EQ(cell.verdict, std::nullopt);
  EXPECT_EQ(s.targets[0].all.unanswered, 1);
}

TEST_F(SummaryTest, WithoutDeviceWorkNothingIsOnTheDevice) {
  const CaseInfo sum = make_case("torch.sum", "1");
  const CaseInfo zeros = make_case("torch.zeros", "1");
  const CaseInfo size = make_case("torch.Tensor.size", "1");
  const CaseInfo mixed_1 = make_case("torch.tensor", "1");
  const CaseInfo mixed_2 = make_case("torch.tensor", "2");
  const std::vector<CaseInfo> cases = {sum, zeros, size, mixed_1, mixed_2};
  const std::string aot = "torch/tpu-v3+aot";
  add("torch/lazy", cases);
  add(aot, cases);
  commit({placed(make_attempt("torch/lazy", sum), Where::kDevice),
          without_work(make_attempt("torch/lazy", zeros)),
          without_work(placed(make_attempt("torch/lazy", size), Where::kDevice)),
          without_work(make_attempt("torch/lazy", mixed_1)),
          placed(make_attempt("torch/lazy", mixed_2), Where::kDevice)});
  Attempt compiled = make_attempt(aot, sum);
  compiled.evidence = Evidence::kCompiled;
  commit({compiled, without_work(make_attempt(aot, zeros, Outcome::kSkip)),
          without_work(make_attempt(aot, size, Outcome::kSkip)),
          without_work(make_attempt(aot, mixed_1, Outcome::kSkip)),
          make_attempt(aot, mixed_2, Outcome::kSkip)});
  const Summary s = summary();
  const FunctionCounts& lazy = s.targets[0].all;
  EXPECT_EQ(lazy.pass, 4);
  EXPECT_EQ(lazy.no_device_work, 2);
  EXPECT_EQ(lazy.placement_unproven, 0);
  EXPECT_EQ(lazy.runs.total, 4);
  EXPECT_EQ(lazy.runs_on_device.count, 2);  // torch.sum, and torch.tensor by its other case
  EXPECT_EQ(lazy.runs_on_device.total, 2);
  EXPECT_EQ(s.targets[0].with_device_work.functions, 2);
  EXPECT_EQ(s.targets[0].cases.runs_on_device.count, 2);
  EXPECT_EQ(s.targets[0].cases.runs_on_device.total, 2);
  EXPECT_EQ(s.targets[1].all.not_run, 3);
  EXPECT_EQ(s.targets[1].all.no_device_work, 3);
  EXPECT_EQ(function_of(s, "torch.Tensor.size").cells[0].on_device, std::nullopt);
}

// Nor where all else of the function is no answer of the device.
TEST_F(SummaryTest, WhatHasNoWorkIsNotPlacedByTheFailureOfAnother) {
  const CaseInfo constant = make_case("torch.tensor", "1");
  const CaseInfo bridge = make_case("torch.tensor", "2");
  add("torch/lazy", {constant, bridge});
  commit({without_work(make_attempt("torch/lazy", constant)), bridge_failure("torch/lazy", bridge)});
  const Summary s = summary();
  EXPECT_EQ(s.targets[0].all.pass, 1);
  EXPECT_EQ(s.targets[0].all.no_device_work, 1);
  EXPECT_EQ(s.targets[0].all.runs_on_device.total, 0);
  EXPECT_EQ(function_of(s, "torch.tensor").cells[0].on_device, std::nullopt);
  EXPECT_EQ(s.targets[0].forward.runs.total, 0);  // nothing that could be set beside another framework's
}

// The same words are another thing on the device that they name.
TEST_F(SummaryTest, ARuleThatAsksForTheTargetIsAskedForEachTarget) {
  constexpr std::string_view kRules = R"(
[[rule]]
id = "own"
framework = "torch"
priority = 60
any = ["not compiled with CUDA"]
families = ["cuda"]
category = "missing-dependency"
example = "not compiled with CUDA"
source = "test"
[[rule]]
id = "other"
framework = "torch"
any = ["not compiled with CUDA"]
category = "not-implemented"
example = "not compiled with CUDA"
source = "test"
)";
  const CaseInfo info = make_case("torch.cuda.synchronize", "1");
  for (const char* target : {"torch/cpu", "torch/cuda-t4", "torch/lazy"}) {
    add(target, {info});
    commit({make_failure(target, info, "AssertionError", "Torch not compiled with CUDA enabled", "s")});
  }
  const classify::RuleSet rules = classify::RuleSet::parse(kRules, "rules.toml").value();
  const Summary s = store::must(summarize(store_, rules, {}));
  const std::vector<FunctionCell>& cells = s.functions[0].cells;
  EXPECT_EQ(cells[0].category, Category::kNotImplemented);
  EXPECT_EQ(cells[1].category, Category::kMissingDependency);
  EXPECT_TRUE(cells[1].unanswered);
}

// A device that is out of memory is not excused by a CPU that fails for another reason with the same words'
// class.
TEST_F(SummaryTest, TheSameWayIsTheSameCategoryToo) {
  const CaseInfo info = make_case("torch.sum", "1");
  add("torch/cpu", {info});
  add("torch/lazy", {info});
  Attempt on_cpu = make_failure("torch/cpu", info, "E", "Could not run", "same");
  Attempt on_lazy = make_failure("torch/lazy", info, "E", "x not implemented for y", "same");
  commit({on_cpu, on_lazy});
  const Summary s = summary();
  EXPECT_EQ(s.targets[1].all.fail, 1);
  EXPECT_EQ(s.targets[1].all.fails_on_reference, 0);
}

TEST_F(SummaryTest, ForwardAndGradientApart) {
  const CaseInfo forward = make_case("torch.svd", "forward");
  CaseInfo gradient = make_case("torch.svd", "gradient");
  gradient.grad = true;
  const CaseInfo other = make_case("torch.sum", "forward");
  add("torch/lazy", {forward, gradient, other});
  commit({make_attempt("torch/lazy", forward),
          make_failure("torch/lazy", gradient, "E", "Could not run", "s"),
          make_attempt("torch/lazy", other)});
  const Summary s = summary();
  EXPECT_EQ(s.targets[0].all.partial, 1);
  EXPECT_EQ(s.targets[0].forward.runs.count, 2);
  EXPECT_EQ(s.targets[0].forward.runs.total, 2);
  EXPECT_EQ(s.targets[0].gradient.runs.count, 0);
  EXPECT_EQ(s.targets[0].gradient.runs.total, 1);
  EXPECT_EQ(function_of(s, "torch.svd").cells[0].gradient, Verdict::kFail);
  EXPECT_EQ(function_of(s, "torch.sum").cells[0].gradient, std::nullopt);
}

// Of a target without a run nothing is known, whatever its name promises.
TEST_F(SummaryTest, WhatDidNotRunHasNeitherExecutedNorCompiled) {
  const CaseInfo info = make_case("jax.numpy.add", "1", true, "jax");
  for (const char* target : {"jax/rocm+lower", "jax/tpu-v3+aot", "jax/cpu", "jax/rocm-mi300+lower"})
    add(target, {info});
  Attempt lowered = make_attempt("jax/rocm-mi300+lower", info);
  lowered.evidence = Evidence::kLowered;
  commit({make_attempt("jax/rocm+lower", info, Outcome::kSkip), make_attempt("jax/cpu", info), lowered});
  const Summary s = summary();
  for (const TargetRow& row : s.targets) {
    const bool ran = row.target == "jax/cpu" || row.target == "jax/rocm-mi300+lower";
    EXPECT_EQ(row.ran, ran) << row.target;
    EXPECT_EQ(row.compiled_only, row.target == "jax/rocm-mi300+lower") << row.target;
  }
}

// --- whatever is added beside the core cases

std::string text_of(const Rate& rate) {
  return fmt::format("{}/{}={}", rate.count, rate.total,
                     rate.value ? fmt::format("{:.17g}", *rate.value) : "none: " + rate.reason);
}

std::string text_of(const FunctionCounts& counts) {
  return fmt::format("{} {} {} {} {} {} {} {} | {} {} {} | {} {} {} {} | {} | {} | {}", counts.functions,
                     counts.pass, counts.partial, counts.fail, counts.not_run, counts.fails_on_reference,
                     counts.unanswered, counts.no_device_work, counts.uncorrected_pass,
                     counts.uncorrected_partial, counts.uncorrected_fail, counts.flaky, counts.slow_cold,
                     counts.slow_warm, counts.placement_unproven, text_of(counts.runs),
                     text_of(counts.runs_uncorrected), text_of(counts.runs_on_device));
}

std::string text_of(const KindCounts& counts) {
  return fmt::format("{} {} {} {}", counts.pass, counts.partial, counts.fail, text_of(counts.runs));
}

// Every figure of functions that a report shows.
std::string rates_of(const Summary& summary) {
  std::string out;
  for (const TargetRow& row : summary.targets) {
    const bool core_ran = row.core_cases.runs_uncorrected.total > 0;
    out += fmt::format("{} compiled {}\n{}\n{}\n{}\n{}\n", row.target, core_ran && row.compiled_only,
                       text_of(row.all), text_of(row.with_device_work), text_of(row.forward),
                       text_of(row.gradient));
    if (!core_ran) continue;  // what stands there rests on other cases, beside no rate
    for (const EvidenceCount& one : row.evidence)
      out += fmt::format("{} {}\n", name_of(one.evidence), one.cases);
  }
  for (const TargetCategories& target : summary.categories) {
    for (const Category category : all_categories()) {
      for (const CategoryCount& count : target.categories) {
        if (count.category != category || count.functions + count.unanswered == 0) continue;
        out +=
            fmt::format("{} {} {} {}\n", target.target, name_of(category), count.functions, count.unanswered);
      }
    }
  }
  for (const FunctionRow& function : summary.functions) {
    for (const FunctionCell& cell : function.cells) {
      if (!cell.planned || cell.cases_only) continue;
      out += fmt::format("{} {} {} {} {}\n", function.name, cell.verdict ? name_of(*cell.verdict) : "none",
                         cell.category ? name_of(*cell.category) : "none",
                         cell.on_device ? (*cell.on_device ? "device" : "host") : "unknown",
                         cell.no_device_work);
    }
  }
  return out;
}

class Draw {
 public:
  explicit Draw(std::uint64_t seed) : random_(seed) {}
  int below(int n) { return static_cast<int>(random_() % static_cast<std::uint64_t>(n)); }
  bool one_in(int n) { return below(n) == 0; }

  CaseInfo info(int function, int number, bool core) {
    CaseInfo made = make_case(fmt::format("torch.f{}", function),
                              fmt::format("{}{}", core ? "core" : "more", number), core);
    made.host_only = one_in(4);
    made.grad = one_in(3);
    return made;
  }

  std::vector<Attempt> attempts(const std::string& target, const CaseInfo& info) {
    std::vector<Attempt> made;
    const int n = one_in(5) ? 2 : below(6) > 0 ? 1 : 0;
    for (int i = 1; i <= n; ++i) made.push_back(attempt(target, info, i));
    return made;
  }

 private:
  Attempt attempt(const std::string& target, const CaseInfo& info, int number) {
    Attempt made = make_attempt(target, info, Outcome::kPass, number);
    switch (below(8)) {
      case 0:
      case 1:
        made = make_failure(target, info, "E", one_in(2) ? "Could not run" : "x not implemented for y",
                            fmt::format("s{}", below(3)), number);
        if (one_in(3)) made.attributes.emplace_back(attribute::kFailsOnReference);
        break;
      case 2:
        made = bridge_failure(target, info);
        made.attempt = number;
        break;
      case 3:
        made = make_attempt(target, info, one_in(2) ? Outcome::kSkip : Outcome::kError, number);
        break;
      default:
        break;
    }
    if (one_in(4)) made = without_work(made);
    if (one_in(2)) made = placed(made, one_in(2) ? Where::kDevice : Where::kHost);
    if (target.find("+aot") != std::string::npos && !one_in(8)) made.evidence = Evidence::kCompiled;
    return made;
  }

  std::mt19937_64 random_;
};

TEST(RatesTest, CasesThatAreNotCoreChangeNoRateOfFunctions) {
  const TempDir folder = store::must(TempDir::make("seamark-rates-test"));
  const classify::RuleSet rules = classify::RuleSet::parse(kSummaryRules, "rules.toml").value();
  constexpr int kStores = 60;
  for (std::uint64_t seed = 1; seed <= kStores; ++seed) {
    Draw draw(seed);
    std::vector<CaseInfo> core;
    std::vector<CaseInfo> more;
    const int functions = 1 + draw.below(4);
    for (int f = 0; f < functions; ++f) {
      for (int i = draw.below(4); i > 0; --i) core.push_back(draw.info(f, i, true));
      for (int i = draw.below(4); i > 0; --i) more.push_back(draw.info(f, i, false));
    }
    std::vector<store::Store> stores;
    for (const char* name : {"core", "all"}) {
      stores.push_back(store::must(
          store::Store::open(folder.path() / fmt::format("{}{}.db", name, seed), store::OpenMode::kWrite)));
    }
    store::RunWriter of_core = store::must(stores[0].begin_run({}));
    store::RunWriter of_all = store::must(stores[1].begin_run({}));
    std::vector<CaseInfo> both = core;
    both.insert(both.end(), more.begin(), more.end());
    for (const char* target : {"torch/cpu", "torch/lazy", "torch/tpu-v3+aot"}) {
      ASSERT_OK(of_core.add_target(store::make_target(target)));
      ASSERT_OK(of_all.add_target(store::make_target(target)));
      ASSERT_OK(of_core.plan(target, core));
      ASSERT_OK(of_all.plan(target, both));
      std::vector<Attempt> attempts;
      const auto run = [&](const std::vector<CaseInfo>& cases) {
        for (const CaseInfo& info : cases) {
          for (Attempt& one : draw.attempts(target, info)) attempts.push_back(std::move(one));
        }
      };
      run(core);
      ASSERT_OK(of_core.commit(attempts));
      run(more);
      ASSERT_OK(of_all.commit(attempts));
    }
    if (core.empty()) continue;
    const std::string expected = rates_of(store::must(summarize(stores[0], rules, {})));
    EXPECT_EQ(rates_of(store::must(summarize(stores[1], rules, {}))), expected) << "seed " << seed;
  }
}

}  // namespace
}  // namespace seamark::analysis
