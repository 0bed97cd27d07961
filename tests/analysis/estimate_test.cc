#include "seamark/analysis/estimate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "../store/store_fixture.h"
#include "seamark/analysis/study.h"
#include "seamark/analysis/summary.h"

namespace seamark::analysis {
namespace {

using store::make_attempt;
using store::make_case;
using store::make_target;
using store::must;
using testing::HasSubstr;

constexpr std::string_view kDevices = R"(
[[device]]
name = "tpu-v3"
summary = "half a chip"
devices_per_chip = 2
clock_hz = { value = 940e6, source = "a paper" }
bf16_flops = { value = 123e12, source = "a page" }
hbm_bytes_per_s = { value = 900e9, source = "a page" }
[[device]]
name = "tpu-v6e"
clock_hz = { reason = "not published" }
bf16_flops = { value = 918e12, source = "a page" }
hbm_bytes_per_s = { reason = "not published" }
[[device]]
name = "cuda-h100"
clock_hz = { reason = "GPU compilers give no cycles" }
bf16_flops = { value = 1000e12, source = "a sheet" }
tf32_flops = { value = 500e12, source = "a sheet" }
hbm_bytes_per_s = { value = 3000e9, source = "a sheet" }
)";

Devices devices() { return Devices::parse(kDevices, "devices.toml").value(); }

Value facts(double flops, double bytes, double cycles, double optimal_s) {
  return Value(Value::Object{{"compiler", "libtpu"},
                             {"version", "1"},
                             {"flops", flops},
                             {"bytes", bytes},
                             {"estimated_cycles", cycles},
                             {"optimal_s", optimal_s}});
}

TEST(Devices, AreFoundByTargetAndGetTheirShareOfTheChip) {
  const Devices all = devices();
  const Device* v3 = all.of_target("jax/tpu-v3+aot");
  ASSERT_NE(v3, nullptr);
  EXPECT_DOUBLE_EQ(v3->bf16_flops.value.value(), 61.5e12);
  EXPECT_DOUBLE_EQ(v3->hbm_bytes_per_s.value.value(), 450e9);
  EXPECT_DOUBLE_EQ(v3->clock_hz.value.value(), 940e6);
  EXPECT_EQ(all.of_target("torch/tpu-v3+aot"), v3);
  for (const char* none : {"jax/tpu", "jax/cpu", "jax/tpu-v9+aot", "torch/cuda", "nonsense"}) {
    EXPECT_EQ(all.of_target(none), nullptr) << none;
  }
  const Device* h100 = all.of_target("jax/cuda-h100+aot");
  ASSERT_NE(h100, nullptr);
  EXPECT_DOUBLE_EQ(h100->peak_flops("f32").value.value(), 500e12);
  EXPECT_DOUBLE_EQ(h100->peak_flops("bf16").value.value(), 1000e12);
  EXPECT_DOUBLE_EQ(h100->peak_flops("").value.value(), 1000e12);
}

TEST(Devices, AFigureNeedsItsSource) {
  const auto bad = [](std::string_view figure) {
    return Devices::parse("[[device]]\nname = \"x-y\"\nclock_hz = " + std::string(figure), "d.toml")
        .error()
        .message();
  };
  EXPECT_THAT(bad("{ value = 1e9 }"), HasSubstr("a figure needs its source"));
  EXPECT_THAT(bad("{ value = 0.0, source = \"s\" }"), HasSubstr("above 0"));
  EXPECT_THAT(bad("{ value = inf, source = \"s\" }"), HasSubstr("finite"));
  EXPECT_THAT(bad("{ }"), HasSubstr("no reason"));
  EXPECT_THAT(
      Devices::parse("[[device]]\nname = \"a-b\"\n[[device]]\nname = \"a-b\"", "d.toml").error().message(),
      HasSubstr("two devices"));
}

TEST(Devices, TheFileThatComesAlong) {
  const Devices all =
      must(Devices::load(std::filesystem::path(SEAMARK_SOURCE_DIR) / "data" / "devices.toml"));
  for (const char* name :
       {"tpu-v2", "tpu-v3", "tpu-v4", "tpu-v5e", "tpu-v5p", "tpu-v6e", "tpu-v7", "cuda-h100", "cuda-a100"}) {
    const Device* device = all.of_target("jax/" + std::string(name) + "+aot");
    ASSERT_NE(device, nullptr) << name;
    EXPECT_TRUE(device->bf16_flops.value && device->hbm_bytes_per_s.value && device->hbm_bytes.value) << name;
    EXPECT_EQ(device->clock_hz.value.has_value(), device->is_tpu() && device->name <= "tpu-v5e") << name;
  }
}

// A 1024 x 1024 matmul of f32 on v3, as libtpu describes it.
TEST(Estimate, ByEachMethod) {
  const Devices all = devices();
  const Estimate estimate =
      estimate_of(facts(2147483648.0, 12582912.0, 46967, 35e-6), *all.of_target("jax/tpu-v3"), "f32");
  EXPECT_NEAR(estimate.cycles_s.value.value(), 49.964893617e-6, 1e-15);  // 46967 / 940e6
  EXPECT_EQ(estimate.cycles_note, "a loop's body counts one trip");      // nothing says whether it is exact
  EXPECT_DOUBLE_EQ(estimate.optimal_s.value.value(), 35e-6);
  EXPECT_NEAR(estimate.roofline_s.value.value(), 34.918433e-6, 1e-12);  // flops / 61.5e12 > bytes / 450e9
  EXPECT_EQ(estimate.roofline_note, "compute");
  EXPECT_FALSE(estimate.memory_bound);
}

TEST(Estimate, OfAGpuIsItsRooflineAlone) {
  const Devices all = devices();
  const Device& h100 = *all.of_target("jax/cuda-h100+aot");
  const Estimate wide = estimate_of(facts(1e9, 12e6, 5, -1), h100, "f32");
  EXPECT_EQ(wide.cycles_s.value, std::nullopt);
  EXPECT_EQ(wide.cycles_s.reason, "only TPU compilers estimate cycles");
  EXPECT_EQ(wide.optimal_s.reason, "the compiler gives no optimum");
  EXPECT_NEAR(wide.roofline_s.value.value(), 4e-6, 1e-15);  // 12e6 / 3000e9 > 1e9 / 500e12
  EXPECT_EQ(wide.roofline_note, "memory");
}

TEST(Estimate, SaysWhyThereIsNone) {
  const Devices all = devices();
  const Device& v3 = *all.of_target("jax/tpu-v3");
  Value loop = facts(1, 450e3, 900, 1e-6);
  loop.set("estimated_cycles_exact", false);
  EXPECT_EQ(estimate_of(loop, v3, "").cycles_s.reason,
            "a loop whose number of trips the program does not tell");
  loop.set("estimated_cycles_exact", true);
  EXPECT_TRUE(estimate_of(loop, v3, "").cycles_s.value);
  EXPECT_EQ(estimate_of(loop, v3, "").cycles_note, "");
  loop.set("estimated_cycles", nullptr);
  EXPECT_EQ(estimate_of(loop, v3, "").cycles_s.reason, "the compiler gives no cycles");
  loop.set("flops", nullptr);
  EXPECT_NEAR(estimate_of(loop, v3, "").roofline_s.value.value(), 1e-6, 1e-15);
  EXPECT_EQ(estimate_of(loop, v3, "").roofline_note, "bytes alone");
  loop.set("bytes", -1);
  EXPECT_EQ(estimate_of(loop, v3, "").roofline_s.reason, "the compiler gives neither flops nor bytes");
  const Estimate v6e = estimate_of(facts(1, 1, 1, 1), *all.of_target("jax/tpu-v6e"), "f32");
  EXPECT_EQ(v6e.cycles_s.reason, "clock: not published");
  EXPECT_EQ(v6e.roofline_s.reason, "memory bandwidth: not published");
  // Untrusted: whatever stands there, nothing is made of it.
  Value odd(Value::Object{{"flops", "inf"}, {"bytes", Value::Array{}}, {"estimated_cycles", true}});
  EXPECT_EQ(estimate_of(odd, v3, "").roofline_s.value, std::nullopt);
  EXPECT_EQ(estimate_of(odd, v3, "").cycles_s.value, std::nullopt);
  EXPECT_EQ(estimate_of(Value(), v3, "").roofline_s.value, std::nullopt);
}

constexpr std::string_view kStudy = R"(
title = "A study"
source = "a paper"
devices = "TPU, GPU"
tpu = "v3"
)";

constexpr std::string_view kFunctions =
    "framework,published_name,name_today,status_today,source,gpu_ms,tpu_ms,tpu_over_gpu\n"
    "jax,jax.numpy.add,jax.numpy.add,same,table,130.517,29.742,0.228\n";

class EstimateTest : public store::StoreTest {};

TEST_F(EstimateTest, TpuAgainstGpuInASummary) {
  store::Store store = open();
  store::RunWriter writer = must(store.begin_run({}));
  const CaseInfo one = make_case("jax.numpy.add", "1", true, "jax");
  const CaseInfo two = make_case("jax.numpy.add", "2", true, "jax");
  const CaseInfo extra = make_case("jax.numpy.add", "extra", false, "jax");
  const CaseInfo other = make_case("jax.numpy.sum", "1", true, "jax");
  const std::vector<CaseInfo> cases = {one, two, extra, other};
  auto commit = [&](const std::string& target, const CaseInfo& info, Value compiled,
                    Outcome outcome = Outcome::kPass) {
    Attempt attempt = make_attempt(target, info, outcome);
    attempt.evidence = Evidence::kCompiled;
    attempt.compiled = std::move(compiled);
    EXPECT_OK(writer.commit(std::vector<Attempt>{attempt}));
  };
  for (const char* target : {"jax/cpu", "jax/tpu-v3+aot", "jax/cuda-h100+aot"}) {
    EXPECT_OK(writer.add_target(make_target(target)));
    EXPECT_OK(writer.plan(target, cases));
  }
  // Bytes alone decide: 450e3 B are 1 us on the TPU, 3000e3 B are 1 us on the GPU.
  commit("jax/tpu-v3+aot", one, facts(0, 900e3, 940, 1e-6));
  commit("jax/tpu-v3+aot", two, facts(0, 1800e3, 1880, -1));
  commit("jax/tpu-v3+aot", extra, facts(0, 450e9, 940e6, 1));
  commit("jax/tpu-v3+aot", other, Value());
  commit("jax/cuda-h100+aot", one, facts(0, 3000e3, 0, -1));
  commit("jax/cuda-h100+aot", two, facts(0, 3000e3, 0, -1));
  commit("jax/cuda-h100+aot", other, facts(0, 3000e3, 0, -1), Outcome::kSkip);

  const Devices rates = devices();
  const Study study = Study::parse(kStudy, "study.toml", kFunctions, "functions.csv").value();
  SummaryOptions options;
  options.devices = &rates;
  options.study = &study;
  const classify::RuleSet rules = classify::RuleSet::parse("", "rules.toml").value();
  const Summary summary = must(summarize(store, rules, options));
  EXPECT_EQ(summary.study, "A study");
  ASSERT_EQ(summary.estimates.size(), 2u);
  const TargetEstimates& tpu = summary.estimates[0];
  EXPECT_EQ(tpu.target, "jax/tpu-v3+aot");
  EXPECT_EQ(tpu.functions, 1);  // nothing was compiled for jax.numpy.sum
  EXPECT_THAT(tpu.compilers, testing::ElementsAre("libtpu 1"));
  EXPECT_NEAR(tpu.median_cycles_s.value.value(), 1.5e-6, 1e-15);  // of 1 and 2 us
  EXPECT_NEAR(tpu.median_optimal_s.value.value(), 1e-6, 1e-15);   // of the one that has it
  EXPECT_NEAR(tpu.median_roofline_s.value.value(), 3e-6, 1e-15);  // of 2 and 4 us
  EXPECT_EQ(summary.estimates[1].by_cycles, 0);
  ASSERT_FALSE(summary.estimates[1].gaps.empty());
  EXPECT_EQ(summary.estimates[1].gaps.front().reason, "only TPU compilers estimate cycles");

  ASSERT_EQ(summary.estimate_pairs.size(), 1u);
  const EstimatePair& pair = summary.estimate_pairs.front();
  EXPECT_EQ(pair.gpu, "jax/cuda-h100+aot");
  ASSERT_EQ(pair.rows.size(), 1u);
  EXPECT_EQ(pair.rows[0].cases, 2);
  EXPECT_NEAR(pair.rows[0].ratio, 3, 1e-12);  // 6 us against 2
  EXPECT_NEAR(pair.rows[0].tpu_cycles_s.value.value(), 1.5e-6, 1e-15);
  EXPECT_DOUBLE_EQ(pair.rows[0].published_ratio.value(), 0.228);
  EXPECT_DOUBLE_EQ(pair.rows[0].published_tpu_s.value(), 29.742e-3);
  EXPECT_EQ(pair.slower, 1);
  EXPECT_TRUE(pair.rows[0].memory_alone);
  EXPECT_EQ(pair.memory_alone, 1);
  EXPECT_EQ(pair.rank_correlation.value, std::nullopt);

  options.targets = {"jax/tpu-v3+aot"};
  const Summary alone = must(summarize(store, rules, options));
  EXPECT_EQ(alone.estimates.size(), 1u);
  EXPECT_TRUE(alone.estimate_pairs.empty());
  options.devices = nullptr;
  EXPECT_TRUE(must(summarize(store, rules, options)).estimates.empty());
}

}  // namespace
}  // namespace seamark::analysis
