// Builds the sample of sample_summary.h, and checks that it is consistent.
#include "sample_summary.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>

#include "seamark/model/verdict.h"

namespace seamark::report::testing {

using analysis::CaseCell;
using analysis::CaseRow;
using analysis::FunctionCell;
using analysis::FunctionCounts;
using analysis::FunctionRow;
using analysis::Ratio;
using analysis::RatioRow;
using analysis::Summary;
using analysis::TargetRow;

namespace {

using Fill = std::function<void(CaseCell&)>;

Fill pass(double warm_us, double cold_ms, Evidence evidence = Evidence::kVerified) {
  return [=](CaseCell& cell) {
    cell.outcome = Outcome::kPass;
    cell.evidence = evidence;
    cell.placement = Where::kDevice;
    cell.attempts = 2;
    cell.times.edit().cold_kind = "cold-op";
    cell.times.edit().cold_s.value = cold_ms * 1e-3;
    cell.times.edit().warm_s.value = warm_us * 1e-6;
    cell.times.edit().warm_interval = analysis::Interval{warm_us * 0.97e-6, warm_us * 1.04e-6};
    cell.times.edit().warm_n = 200;
  };
}

Fill on_host(double warm_us, double cold_ms) {
  return [=](CaseCell& cell) {
    pass(warm_us, cold_ms)(cell);
    cell.placement = Where::kHost;
  };
}

Fill compiles() {
  return [](CaseCell& cell) {
    cell.outcome = Outcome::kPass;
    cell.evidence = Evidence::kCompiled;
    cell.attempts = 1;
    cell.times.edit().cold_s.reason = "nothing was executed";
    cell.times.edit().warm_s.reason = "nothing was executed";
  };
}

Fill fail(Category category, const std::string& type, const std::string& message,
          Outcome outcome = Outcome::kFail) {
  return [=](CaseCell& cell) {
    cell.outcome = outcome;
    cell.evidence = Evidence::kExecuted;
    cell.category = category;
    cell.error.edit().rule = "sample." + std::string(name_of(category));
    cell.error.edit().type = type;
    cell.error.edit().message = message;
    cell.attempts = 2;
    cell.times.edit().cold_s.reason = "did not pass";
    cell.times.edit().warm_s.reason = "did not pass";
  };
}

Fill unanswered(const std::string& message) {
  return [=](CaseCell& cell) {
    fail(Category::kBridge, "Gap", message)(cell);
    cell.unanswered = true;
  };
}

Fill fails_everywhere(const std::string& type, const std::string& message) {
  return [=](CaseCell& cell) {
    fail(Category::kDynamicShape, type, message)(cell);
    cell.fails_on_reference = true;
  };
}

Fill skipped(const std::string& reason) {
  return [=](CaseCell& cell) {
    cell.outcome = Outcome::kSkip;
    cell.reason = reason;
    cell.attempts = 1;
    cell.times.edit().cold_s.reason = "skipped";
    cell.times.edit().warm_s.reason = "skipped";
  };
}

Fill not_attempted() {
  return [](CaseCell&) {};
}

class Builder {
 public:
  Summary summary;

  TargetRow& target(std::string name, std::string version, WorkerMode mode, std::string baseline,
                    bool compiled_only = false) {
    TargetRow row;
    row.target = std::move(name);
    row.framework = row.target.substr(0, row.target.find('/'));
    row.framework_versions = {std::move(version)};
    row.device_name = "AMD EPYC 7B13, 2 cores";
    row.mode = mode;
    row.environment_hash = fmt::format("5ea{:013x}", summary.targets.size() + 7);
    row.baseline = std::move(baseline);
    row.reference = row.target == row.framework + "/cpu" ? "" : row.framework + "/cpu";
    row.ran = true;
    row.compiled_only = compiled_only;
    summary.targets.push_back(std::move(row));
    return summary.targets.back();
  }

  void function(std::string framework, std::string name, bool host_only = false) {
    FunctionRow row;
    row.framework = std::move(framework);
    row.name = std::move(name);
    row.host_only = host_only;
    summary.functions.push_back(std::move(row));
  }

  // One fill per target of the framework, in their order; an empty one: not planned there.
  void add(const std::string& part, const std::string& dtype, const std::string& shape, bool core,
           const std::vector<Fill>& fills) {
    FunctionRow& function = summary.functions.back();
    CaseRow row;
    row.name = function.name + "/" + part;
    row.hash =
        fmt::format("{:016x}", 0x9e3779b97f4a7c15u * (function.cases.size() + summary.functions.size()));
    row.suite = "curated";
    row.dtype = dtype;
    row.shape = shape;
    row.core = core;
    row.host_only = function.host_only;
    row.grad = part.find("grad") != std::string::npos;
    row.cells.resize(summary.targets.size());
    std::size_t next = 0;
    for (std::size_t t = 0; t < summary.targets.size(); ++t) {
      if (summary.targets[t].framework != function.framework) continue;
      if (next < fills.size() && fills[next]) {
        row.cells[t].planned = true;
        fills[next](row.cells[t]);
      }
      ++next;
    }
    function.cases.push_back(std::move(row));
  }

  void finish();

 private:
  void ratios();
  void function_cells();
  void counts();
  void categories();
  void ratio_tables();
  [[nodiscard]] std::size_t index_of(const std::string& name) const {
    for (std::size_t i = 0; i < summary.targets.size(); ++i) {
      if (summary.targets[i].target == name) return i;
    }
    return summary.targets.size();
  }
};

std::optional<Ratio> ratio_of(const analysis::Measured& target, const analysis::Measured& baseline,
                              bool cold) {
  if (!target.value || !baseline.value) return std::nullopt;
  Ratio ratio;
  ratio.target_s = *target.value;
  ratio.baseline_s = *baseline.value;
  ratio.ratio = ratio.target_s / ratio.baseline_s;
  ratio.target_n = cold ? 1 : 200;
  ratio.baseline_n = ratio.target_n;
  if (cold) {
    ratio.interval_reason = "measured once";
  } else {
    ratio.interval = analysis::Interval{ratio.ratio * 0.93, ratio.ratio * 1.09};
  }
  ratio.slow = ratio.ratio > (cold ? 30 : 11) && ratio.target_s > 1e-3;
  return ratio;
}

void Builder::ratios() {
  for (FunctionRow& function : summary.functions) {
    for (CaseRow& row : function.cases) {
      for (std::size_t t = 0; t < row.cells.size(); ++t) {
        const std::size_t base = index_of(summary.targets[t].baseline);
        if (base == summary.targets.size()) continue;
        row.cells[t].warm = ratio_of(row.cells[t].times->warm_s, row.cells[base].times->warm_s, false);
        row.cells[t].cold = ratio_of(row.cells[t].times->cold_s, row.cells[base].times->cold_s, true);
      }
    }
  }
}

void Builder::function_cells() {
  for (FunctionRow& function : summary.functions) {
    function.cells.resize(summary.targets.size());
    for (std::size_t t = 0; t < summary.targets.size(); ++t) {
      FunctionCell& cell = function.cells[t];
      std::vector<CaseStanding> standings;
      std::array<std::vector<CaseStanding>, 2> kinds;
      bool fell_back = false;
      cell.evidence = Evidence::kVerified;
      for (const CaseRow& row : function.cases) {
        const CaseCell& from = row.cells[t];
        if (!from.planned || !row.core) continue;
        cell.planned = true;
        standings.push_back({from.outcome, true, from.fails_on_reference, from.unanswered});
        if (!row.host_only) kinds[row.grad ? 1 : 0].push_back(standings.back());
        ++cell.core_cases;
        if (from.outcome == Outcome::kPass) {
          ++cell.core_passed;
          cell.evidence = std::min(cell.evidence, from.evidence);
          fell_back = fell_back || from.placement == Where::kHost;
        }
        if (failed(from.outcome) && !from.fails_on_reference) cell.category = from.category;
        cell.slow_warm = cell.slow_warm || (from.warm && from.warm->slow);
        cell.slow_cold = cell.slow_cold || (from.cold && from.cold->slow);
      }
      if (!cell.planned) continue;
      const FunctionStanding standing = function_standing(standings);
      cell.verdict = standing.verdict;
      cell.uncorrected = standing.uncorrected;
      if (!kinds[0].empty()) cell.forward = function_standing(kinds[0]).verdict;
      if (!kinds[1].empty()) cell.gradient = function_standing(kinds[1]).verdict;
      cell.unanswered = standing.unanswered;
      cell.no_device_work = function.host_only;
      cell.flaky = standing.flaky;
      cell.fails_on_reference = standing.fails_on_reference;
      if (cell.core_passed == 0) cell.evidence = Evidence::kDeclared;
      if (cell.verdict == Verdict::kPass && !summary.targets[t].compiled_only && !cell.no_device_work)
        cell.on_device = !fell_back;
    }
  }
}

void count_function(const FunctionCell& cell, FunctionCounts& counts) {
  ++counts.functions;
  if (!cell.verdict) ++(cell.unanswered ? counts.unanswered : counts.fails_on_reference);
  counts.no_device_work += cell.no_device_work;
  counts.pass += cell.verdict == Verdict::kPass;
  counts.partial += cell.verdict == Verdict::kPartial;
  counts.fail += cell.verdict == Verdict::kFail;
  counts.not_run += cell.verdict == Verdict::kNotRun;
  counts.uncorrected_pass += cell.uncorrected == Verdict::kPass;
  counts.uncorrected_partial += cell.uncorrected == Verdict::kPartial;
  counts.uncorrected_fail += cell.uncorrected == Verdict::kFail;
  counts.flaky += cell.flaky;
  counts.slow_cold += cell.slow_cold;
  counts.slow_warm += cell.slow_warm;
  counts.placement_unproven += cell.verdict == Verdict::kPass && !cell.on_device && !cell.no_device_work;
}

void Builder::counts() {
  for (std::size_t t = 0; t < summary.targets.size(); ++t) {
    TargetRow& target = summary.targets[t];
    std::int64_t on_device = 0;
    std::int64_t on_device_bare = 0;
    const auto count_kind = [](analysis::KindCounts& counts, std::optional<Verdict> verdict) {
      counts.pass += verdict == Verdict::kPass;
      counts.partial += verdict == Verdict::kPartial;
      counts.fail += verdict == Verdict::kFail;
      counts.runs = analysis::rate_of(counts.pass, counts.pass + counts.partial + counts.fail);
    };
    std::map<Evidence, std::int64_t> evidence;
    for (const FunctionRow& function : summary.functions) {
      const FunctionCell& cell = function.cells[t];
      if (!cell.planned) continue;
      count_function(cell, target.all);
      on_device += cell.on_device.value_or(false);
      count_kind(target.forward, cell.forward);
      count_kind(target.gradient, cell.gradient);
      if (!function.host_only) {
        count_function(cell, target.with_device_work);
        on_device_bare += cell.on_device.value_or(false);
      }
      for (const CaseRow& row : function.cases) {
        const CaseCell& from = row.cells[t];
        if (!from.planned) continue;
        ++target.cases.planned;
        if (!from.outcome) ++target.cases.not_attempted;
        if (from.fails_on_reference) ++target.cases.fails_on_reference;
        target.cases.unanswered += from.unanswered;
        target.cases.no_device_work += row.host_only;
        if (from.outcome == Outcome::kPass) {
          ++target.cases.pass, ++evidence[from.evidence];
          target.cases.placed_device += from.placement == Where::kDevice;
          target.cases.placed_host += from.placement == Where::kHost;
          target.cases.placed_unknown += from.placement == Where::kUnknown;
          target.cases.placed_none += from.placement == Where::kNone;
        }
        target.cases.fail += from.outcome == Outcome::kFail;
        target.cases.timeout += from.outcome == Outcome::kTimeout;
        target.cases.crash += from.outcome == Outcome::kCrash;
        target.cases.flaky += from.outcome == Outcome::kFlaky;
        target.cases.skip += from.outcome == Outcome::kSkip;
        target.cases.error += from.outcome == Outcome::kError;
        target.ratios_warm += from.warm.has_value();
        target.ratios_cold += from.cold.has_value();
      }
    }
    for (const auto& [level, cases] : evidence) target.evidence.push_back({level, cases});
    auto rates = [&](FunctionCounts& counts, std::int64_t device) {
      const int ran = counts.pass + counts.partial + counts.fail;
      counts.runs = analysis::rate_of(counts.pass, ran);
      counts.runs_uncorrected =
          analysis::rate_of(counts.uncorrected_pass,
                            counts.uncorrected_pass + counts.uncorrected_partial + counts.uncorrected_fail);
      counts.runs_on_device =
          target.compiled_only
              ? analysis::rate_of(0, 0, "nothing was executed")
              : analysis::rate_of(device, ran - (&counts == &target.all ? target.all.no_device_work : 0));
    };
    rates(target.all, on_device);
    rates(target.with_device_work, on_device_bare);
    const analysis::CaseCounts& cases = target.cases;
    const std::int64_t ran = cases.pass + cases.fail + cases.timeout + cases.crash + cases.flaky;
    target.cases.runs = analysis::rate_of(cases.pass, ran - cases.fails_on_reference - cases.unanswered);
    target.cases.runs_uncorrected = analysis::rate_of(cases.pass, ran);
    target.cases.runs_on_device =
        target.compiled_only ? analysis::rate_of(0, 0, "nothing was executed") : target.cases.runs;
    target.core_cases = target.cases;
    target.ran = ran > 0;
    target.cpu_s.value = 1.25 * static_cast<double>(cases.planned) + static_cast<double>(t);
    target.wall_s = 1.5 * static_cast<double>(cases.planned) + static_cast<double>(t);
  }
}

void Builder::categories() {
  for (std::size_t t = 0; t < summary.targets.size(); ++t) {
    std::map<Category, analysis::CategoryCount> counts;
    for (const FunctionRow& function : summary.functions) {
      if (function.cells[t].category) {
        analysis::CategoryCount& count = counts[*function.cells[t].category];
        ++(function.cells[t].verdict ? count.functions : count.unanswered);
        if (count.examples.size() < 3) count.examples.push_back(function.name);
      }
      for (const CaseRow& row : function.cases) {
        const CaseCell& cell = row.cells[t];
        if (!failed(cell.outcome) || !cell.category) continue;
        ++(cell.fails_on_reference ? counts[*cell.category].fails_on_reference
                                   : counts[*cell.category].cases);
      }
    }
    if (counts.empty()) continue;
    analysis::TargetCategories row{summary.targets[t].target, {}};
    for (auto& [category, count] : counts) {
      count.category = category;
      row.categories.push_back(count);
    }
    std::stable_sort(row.categories.begin(), row.categories.end(),
                     [](const auto& a, const auto& b) { return a.functions > b.functions; });
    summary.categories.push_back(std::move(row));
  }
}

void Builder::ratio_tables() {
  for (std::size_t t = 0; t < summary.targets.size(); ++t) {
    TargetRow& target = summary.targets[t];
    target.median_ratio_warm.reason = "nothing was timed on both sides";
    target.median_ratio_cold.reason = "nothing was timed on both sides";
    if (target.baseline.empty()) continue;
    analysis::TargetRatios ratios{target.target, target.baseline, {}, {}, {}, {}, {}};
    std::vector<double> warm;
    std::vector<double> cold;
    for (const FunctionRow& function : summary.functions) {
      const CaseRow* low = nullptr;
      const CaseRow* high = nullptr;
      for (const CaseRow& row : function.cases) {
        const CaseCell& cell = row.cells[t];
        if (!cell.warm) continue;
        warm.push_back(cell.warm->ratio);
        cold.push_back(cell.cold->ratio);
        if (!low || cell.warm->ratio < low->cells[t].warm->ratio) low = &row;
        if (!high || cell.warm->ratio > high->cells[t].warm->ratio) high = &row;
      }
      if (!low) continue;
      auto row_of = [&](const CaseRow& row, const std::string& kind, const Ratio& ratio) {
        return RatioRow{target.target, target.baseline, function.name, row.name, kind, ratio};
      };
      ratios.warm.push_back(row_of(*high, "warm", *high->cells[t].warm));
      ratios.warm_fastest.push_back(row_of(*low, "warm", *low->cells[t].warm));
      ratios.cold.push_back(row_of(*high, "cold-op", *high->cells[t].cold));
      ratios.cold_fastest.push_back(row_of(*low, "cold-op", *low->cells[t].cold));
    }
    auto sort = [](std::vector<RatioRow>& rows, bool slowest) {
      std::stable_sort(rows.begin(), rows.end(), [&](const RatioRow& a, const RatioRow& b) {
        return slowest ? a.ratio.ratio > b.ratio.ratio : a.ratio.ratio < b.ratio.ratio;
      });
    };
    sort(ratios.warm, true);
    sort(ratios.cold, true);
    sort(ratios.warm_fastest, false);
    sort(ratios.cold_fastest, false);
    if (warm.empty()) {
      ratios.reason = target.compiled_only ? "nothing was executed" : "nothing was timed on both sides";
    } else {
      target.median_ratio_warm = {analysis::median(warm), {}};
      target.median_ratio_cold = {analysis::median(cold), {}};
    }
    summary.ratios.push_back(std::move(ratios));
  }
}

void Builder::finish() {
  ratios();
  function_cells();
  counts();
  categories();
  ratio_tables();
}

void add_targets(Builder& builder) {
  const std::string torch = "2.13.0+cpu";
  builder.target("torch/cpu", torch, WorkerMode::kFork, "");
  builder.target("torch/lazy", torch, WorkerMode::kFork, "torch/cpu").device_name = "lazy (TorchScript)";
  builder.target("torch/cpu+inductor", torch, WorkerMode::kPersistent, "torch/cpu").flips =
      analysis::rate_of(0, 4);
  TargetRow& cuda = builder.target("torch/cuda", torch, WorkerMode::kPersistent, "torch/cpu");
  cuda.device_name = "";
  cuda.usable = false;
  cuda.reason = "torch.cuda.is_available() is False: this build has no CUDA";
  cuda.remedy = "seamark targets install torch-cuda, on a machine with an NVIDIA GPU";
  builder.target("tensorflow/cpu", "2.21.0", WorkerMode::kFork, "");
  builder.target("tensorflow/cpu+xla", "2.21.0", WorkerMode::kPersistent, "tensorflow/cpu").flips =
      analysis::rate_of(1, 5);
  builder.target("jax/cpu", "0.10.2", WorkerMode::kPersistent, "").flips = analysis::rate_of(0, 6);
  builder.target("jax/tpu-v3+aot", "0.10.2", WorkerMode::kPersistent, "jax/cpu", true).device_name =
      "TPU v3 (topology v3:2x2, not present)";
  builder.target("jax/tpu-v5e+aot", "0.10.2", WorkerMode::kPersistent, "jax/cpu", true).device_name =
      "TPU v5 lite (topology v5e:2x2, not present)";
}

void add_torch(Builder& b) {
  const Fill absent = not_attempted();
  b.function("torch", "torch.argsort");
  b.add("argsort[bf16,64x33,dim=-1]", "bf16", "64x33", true,
        {pass(14.2, 0.21), on_host(96.0, 0.84), pass(17.9, 3120), absent});
  b.add("argsort[f32,64x33,dim=-1]", "f32", "64x33", true,
        {pass(12.6, 0.19), on_host(91.4, 0.61), pass(16.1, 3055), absent});
  b.add("argsort[i64,0,dim=0]", "i64", "0", false, {pass(2.1, 0.05), on_host(33.8, 0.40), {}, absent});
  b.function("torch", "torch.linalg.eig");
  b.add("eig[f32,8x8]", "f32", "8x8", true,
        {pass(61.7, 0.32), on_host(148.0, 0.92), pass(70.3, 2210), absent});
  b.function("torch", "torch.nn.functional.pixel_shuffle");
  b.add("pixel_shuffle[f32,1x4x8x8]", "f32", "1x4x8x8", true,
        {pass(4.4, 0.06),
         fail(Category::kWrongResult, "AssertionError",
              "output 0: 256 of 256 elements differ, greatest absolute difference inf at (0, 0, 0, 0)"),
         pass(6.0, 1490), absent});
  b.function("torch", "torch.nn.functional.relu");
  b.add("relu[bf16,64x33,grad]", "bf16", "64x33", true,
        {pass(9.6, 0.11), pass(141.0, 1.10), pass(5.2, 1830), absent});
  b.add("relu[f32,64x33,grad]", "f32", "64x33", true,
        {pass(8.8, 0.10), pass(133.0, 1.02), pass(4.6, 1795), absent});
  b.function("torch", "torch.optim.LBFGS");
  b.add("lbfgs[f32,16]", "f32", "16", true,
        {pass(412.0, 1.90, Evidence::kExecuted), on_host(18400, 44.0),
         fail(Category::kDynamicShape, "torch._dynamo.exc.Unsupported",
              "Dynamic control flow is not supported at the moment.\n  Explanation: data-dependent branching "
              "with "
              "fullgraph=True\n  Hint: use `torch.cond` to express dynamic control flow."),
         absent});
  b.function("torch", "torch.ormqr");
  b.add("ormqr[f32,8x8]", "f32", "8x8", true,
        {pass(22.5, 0.24),
         fail(Category::kNotImplemented, "NotImplementedError",
              "Could not run 'aten::ormqr' with arguments from the 'Lazy' backend."),
         pass(25.1, 2480), absent});
  b.add("ormqr[f64,8x8]", "f64", "8x8", true,
        {pass(23.9, 0.26), on_host(121.0, 0.88), pass(26.4, 2410), absent});
}

void add_tensorflow(Builder& b) {
  const char* unsupported = "Detected unsupported operations when trying to compile graph on XLA_CPU_JIT: ";
  b.function("tensorflow", "tf.concat");
  b.add("concat[f32,4x3]", "f32", "4x3", true, {pass(21.3, 0.9), pass(54.8, 61)});
  b.function("tensorflow", "tf.dtypes.as_dtype", true);
  b.add("as_dtype", "", "", true, {pass(1.2, 0.02), pass(1.2, 0.02)});
  b.function("tensorflow", "tf.io.decode_raw");
  b.add("decode_raw[u8]", "u8", "12", true,
        {pass(26.0, 0.8), fail(Category::kNotImplemented, "tensorflow.errors.InvalidArgumentError",
                               std::string(unsupported) + "DecodeRaw (No registered 'DecodeRaw' OpKernel)")});
  b.function("tensorflow", "tf.linalg.svd");
  b.add("svd[f32,8x5]", "f32", "8x5", true, {pass(88.1, 1.4), pass(1930.0, 340)});
  b.add("svd[f64,8x5]", "f64", "8x5", true, {pass(90.7, 1.4), pass(1610.0, 322)});
  b.function("tensorflow", "tf.numpy_function");
  b.add("numpy_function[f32,4]", "f32", "4", true,
        {pass(152.0, 2.2), fail(Category::kNotImplemented, "tensorflow.errors.InvalidArgumentError",
                                std::string(unsupported) + "PyFunc (No registered 'PyFunc' OpKernel)")});
  b.function("tensorflow", "tf.strings.split");
  b.add("split[str,3]", "str", "3", true,
        {pass(310.0, 3.1), fail(Category::kCompilerCrash, "signal", "SIGABRT (6)", Outcome::kFlaky)});
}

void add_jax(Builder& b) {
  b.function("jax", "jax.lax.top_k");
  b.add("top_k[bf16,64,k=5]", "bf16", "64", true, {pass(9.1, 41), compiles(), compiles()});
  b.add("top_k[f32,64,k=5]", "f32", "64", true, {pass(8.4, 38), compiles(), compiles()});
  b.function("jax", "jax.numpy.add");
  b.add("add[f32,64x33]", "f32", "64x33", true, {pass(6.2, 22), compiles(), compiles()});
  b.function("jax", "jax.numpy.linalg.eig");
  const Fill no_rule = fail(Category::kNotImplemented, "NotImplementedError",
                            "MLIR translation rule for primitive 'eig' not found for platform tpu");
  b.add("eig[f32,8x8]", "f32", "8x8", true, {pass(71.5, 55), no_rule, no_rule});
  b.function("jax", "jax.numpy.nonzero");
  const Fill unsized = fails_everywhere("jax.errors.ConcretizationTypeError",
                                        "The size argument of jnp.nonzero must be statically specified");
  b.add("nonzero[f32,64]", "f32", "64", true, {unsized, unsized, unsized});
  b.function("jax", "jax.random.key");
  b.add("key", "u32", "scalar", true, {pass(12.0, 31, Evidence::kExecuted), compiles(), compiles()});
  b.function("jax", "jax.scipy.linalg.sqrtm");
  const Fill gap = unanswered("the bridge has no such program");
  b.add("sqrtm[f32,8x8]", "f32", "8x8", true, {pass(88.1, 61), gap, gap});
  b.function("jax", "jax.tree_util.tree_unflatten", true);
  b.add("tree_unflatten", "", "", true,
        {pass(0.9, 0.01), skipped("touches no device"), skipped("touches no device")});
}

void add_run(Summary& summary) {
  analysis::RunFacts run;
  run.info.uuid = "0b8f3c2e-51aa-4c63-9a57-6f2f1f0f7a11";
  run.info.state = store::RunState::kFinished;
  run.info.command = "seamark run --subset quick";
  run.info.seed = 7;
  run.info.protocol = "full";
  run.info.host =
      Value(Value::Object{{"cpu", "AMD EPYC 7B13"}, {"cores", 2}, {"memory_bytes", 8'589'934'592}});
  run.info.versions = Value(Value::Object{{"seamark", "0.1.0"}, {"sqlite", "3.40.1"}});
  run.info.options = Value(Value::Object{});
  run.info.subset_note = "one core case per function on targets that compile (inductor, xla, aot).";
  run.info.full_command = "seamark run --suite curated";
  run.info.started_unix_us = 1'795'258'920'000'000;
  run.info.ended_unix_us = 1'795'259'143'000'000;
  run.info.wall_s = 223.4;
  run.info.cpu_s = 391.2;
  for (const FunctionRow& function : summary.functions) {
    for (const CaseRow& row : function.cases) {
      for (const CaseCell& cell : row.cells) {
        run.planned += cell.planned;
        run.attempted += cell.outcome.has_value();
      }
    }
  }
  summary.runs.push_back(std::move(run));
}

}  // namespace

Summary sample_summary() {
  Builder builder;
  Summary& summary = builder.summary;
  summary.store = "seamark.db";
  summary.choice = "latest";
  summary.rules_version = "7d1f6a0c2b9e4410";
  summary.schema_version = 1;
  summary.slow_factor = 10;
  summary.slow_floor_s = 1e-3;
  add_targets(builder);
  add_jax(builder);
  add_tensorflow(builder);
  add_torch(builder);
  builder.finish();
  add_run(summary);
  for (const char* name : {"torch/cpu", "tensorflow/cpu", "jax/cpu"}) {
    summary.noise.push_back({name, 4, {1.03, {}}, {1.18, {}}});
  }
  summary.noise.push_back(
      {"torch/lazy", 0, {std::nullopt, "no case was timed twice"}, {std::nullopt, "too few"}});
  return std::move(summary);
}

TEST(SampleSummary, EveryVerdictAndLevelOccurs) {
  const Summary summary = sample_summary();
  std::set<Verdict> verdicts;
  bool on_reference = false;
  bool fell_back = false;
  for (const FunctionRow& function : summary.functions) {
    for (const FunctionCell& cell : function.cells) {
      if (!cell.planned) continue;
      if (cell.verdict) verdicts.insert(*cell.verdict);
      on_reference = on_reference || !cell.verdict;
      fell_back = fell_back || cell.on_device == false;
    }
  }
  EXPECT_EQ(verdicts.size(), 4u);
  EXPECT_TRUE(on_reference);
  EXPECT_TRUE(fell_back);
}

}  // namespace seamark::report::testing
