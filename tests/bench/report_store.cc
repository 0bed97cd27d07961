// report_store FILE FUNCTIONS TARGETS CASES: a store with one run of made-up results, one attempt per case
// and target: 75% pass with times, the others fail in several ways. Equal arguments give equal results.
#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "seamark/base/text.h"
#include "seamark/store/store.h"

namespace {

using seamark::Attempt;
using seamark::CaseInfo;

template <typename T>
T must(seamark::Result<T> result) {
  if (!result) throw std::runtime_error(result.error().message());
  return std::move(*result);
}

void must(const seamark::Status& status) {
  if (!status) throw std::runtime_error(status.error().message());
}

seamark::store::RunTarget target_of(int number) {
  seamark::store::RunTarget target;
  target.target = number == 0 ? "torch/cpu" : fmt::format("torch/device-{:02}", number);
  target.framework = "torch";
  target.framework_version = "2.13.0";
  target.device_name = fmt::format("device {}", number);
  target.entry = seamark::Value(seamark::Value::Object{{"name", target.target}});
  return target;
}

CaseInfo case_of(int function, int variant) {
  static const std::vector<std::string> kDtypes = {"f32", "bf16", "i64", "f16", "c64"};
  static const std::vector<std::string> kModules = {"", "nn.functional.", "linalg.", "fft.", "special."};
  CaseInfo info;
  info.framework = "torch";
  info.function = fmt::format("torch.{}function_{:04}", kModules[function % 5], function);
  info.dtype = kDtypes[variant % 5];
  info.shape = "64x33";
  info.name = fmt::format("{}/call[{},64x33,{}]", info.function, info.dtype, variant);
  info.suite = "curated";
  info.hash = seamark::to_hex(seamark::fnv1a64(info.name));
  info.core = true;
  return info;
}

seamark::Failure failure_of(const CaseInfo& info, const std::string& target, int kind) {
  const std::string what =
      kind == 0 ? fmt::format("\"{}\" not implemented for 'BFloat16'", info.function)
      : kind == 1
          ? fmt::format(
                "Could not run 'aten::{}' with arguments from the '{}' backend. This could be because the "
                "operator doesn't exist for this backend, or was omitted during the selective build.",
                info.function, target)
          : "Tensor-likes are not close! Mismatched elements: 12 / 2112 (0.6%)";
  return {"call", kind == 1 ? "NotImplementedError" : "RuntimeError", what, "", ""};
}

Attempt attempt_of(const CaseInfo& info, const std::string& target, std::mt19937& random) {
  Attempt attempt;
  attempt.target = target;
  attempt.case_name = info.name;
  attempt.case_hash = info.hash;
  attempt.wall_s = 0.25;
  attempt.cpu_s = 0.125;
  const auto draw = static_cast<int>(random() % 100);
  attempt.outcome = draw < 75 || target == "torch/cpu" ? seamark::Outcome::kPass : seamark::Outcome::kFail;
  attempt.latency.cold_reason = attempt.latency.warm_reason = "not timed in this phase";
  if (attempt.outcome == seamark::Outcome::kPass) {
    attempt.evidence = seamark::Evidence::kVerified;
  } else {
    attempt.failure = failure_of(info, target, draw % 3);
    attempt.signature = seamark::to_hex(seamark::fnv1a64(attempt.failure->message));
  }
  return attempt;
}

// The same case, timed.
Attempt timing_of(const Attempt& passed, std::mt19937& random) {
  const double seconds = 1e-6 * std::pow(10.0, static_cast<double>(random() % 4000) / 1000);
  Attempt attempt = passed;
  attempt.attempt = 2;
  attempt.phase = seamark::Phase::kTiming;
  attempt.evidence = seamark::Evidence::kExecuted;
  seamark::TimedOperation operation;
  operation.name = "forward";
  operation.cold_s = seconds * 20;
  operation.warm_s = {seconds * 0.97, seconds, seconds * 1.04};
  attempt.latency = {};
  attempt.latency.protocol = "full";
  attempt.latency.cold_kind = "cold-op";
  attempt.latency.cold_s = operation.cold_s;
  attempt.latency.warm_median_s = attempt.latency.warm_min_s = seconds;
  attempt.latency.warm_low_s = seconds * 0.97;
  attempt.latency.warm_high_s = seconds * 1.04;
  attempt.latency.warm_n = 3;
  attempt.operations.push_back(std::move(operation));
  return attempt;
}

void make(const std::string& file, int functions, int targets, int cases) {
  seamark::store::Store store = must(seamark::store::Store::open(file, seamark::store::OpenMode::kWrite));
  seamark::store::RunInfo info;
  info.uuid = "bbbbbbbb-0000-4000-8000-000000000001";
  info.started_unix_us = 1'700'000'000'000'000;
  info.protocol = "full";
  seamark::store::RunWriter writer = must(store.begin_run(info));
  std::vector<CaseInfo> plan;
  for (int f = 0; f < functions; ++f) {
    for (int c = 0; c < cases; ++c) plan.push_back(case_of(f, c));
  }
  std::mt19937 random(7);
  for (int t = 0; t < targets; ++t) {
    const seamark::store::RunTarget target = target_of(t);
    must(writer.add_target(target));
    must(writer.plan(target.target, plan));
    std::vector<Attempt> attempts;
    for (const CaseInfo& one : plan) {
      attempts.push_back(attempt_of(one, target.target, random));
      if (attempts.back().outcome == seamark::Outcome::kPass)
        attempts.push_back(timing_of(attempts.back(), random));
    }
    must(writer.commit(attempts));
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5) {
    fmt::print(stderr, "usage: report_store FILE FUNCTIONS TARGETS CASES\n");
    return 2;
  }
  try {
    make(argv[1], std::atoi(argv[2]), std::atoi(argv[3]), std::atoi(argv[4]));
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
  return 0;
}
