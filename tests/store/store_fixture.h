// A store in a temporary folder and small makers of what goes into one; also used by the tests of
// analysis and interop.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "seamark/base/fd.h"
#include "seamark/store/store.h"

namespace seamark::store {

inline CaseInfo make_case(const std::string& function, const std::string& variant, bool core = true,
                          const std::string& framework = "torch") {
  CaseInfo info;
  info.function = function;
  info.name = function + "/" + variant;
  info.framework = framework;
  info.suite = "curated";
  info.hash = "hash-" + variant;
  info.dtype = "f32";
  info.shape = "64x33";
  info.core = core;
  info.params = Value(Value::Object{{"dim", -1}});
  return info;
}

inline Attempt make_attempt(const std::string& target, const CaseInfo& info, Outcome outcome = Outcome::kPass,
                            int number = 1, Phase phase = Phase::kCorrectness) {
  Attempt attempt;
  attempt.target = target;
  attempt.case_name = info.name;
  attempt.case_hash = info.hash;
  attempt.attempt = number;
  attempt.phase = phase;
  attempt.outcome = outcome;
  attempt.evidence = outcome == Outcome::kPass ? Evidence::kVerified : Evidence::kExecuted;
  attempt.wall_s = 0.25;
  attempt.cpu_s = 0.125;
  attempt.started_unix_us = 1'700'000'000'000'000;
  attempt.latency.cold_reason = attempt.latency.warm_reason = "not timed in this phase";
  return attempt;
}

inline Attempt make_failure(const std::string& target, const CaseInfo& info, const std::string& type,
                            const std::string& message, const std::string& signature = "aaaa", int number = 1,
                            Phase phase = Phase::kCorrectness) {
  Attempt attempt = make_attempt(target, info, Outcome::kFail, number, phase);
  attempt.signature = signature;
  attempt.failure = Failure{.stage = "call",
                            .type = type,
                            .message = message,
                            .traceback = "Traceback",
                            .precision_rerun = {},
                            .failing_call = {}};
  return attempt;
}

// One operation with these warm samples and cold time; the summary as `run` would make it.
inline Attempt make_timing(const std::string& target, const CaseInfo& info, double cold_s,
                           std::vector<double> warm_s, int number = 2) {
  Attempt attempt = make_attempt(target, info, Outcome::kPass, number, Phase::kTiming);
  attempt.evidence = Evidence::kExecuted;
  attempt.latency = Latency{};
  attempt.latency.protocol = "full";
  attempt.latency.cold_kind = "cold-op";
  attempt.latency.cold_s = cold_s;
  attempt.latency.warm_n = static_cast<std::int64_t>(warm_s.size());
  std::vector<double> sorted = warm_s;
  std::sort(sorted.begin(), sorted.end());
  attempt.latency.warm_median_s = sorted[sorted.size() / 2];
  attempt.latency.warm_low_s = sorted.front();
  attempt.latency.warm_high_s = sorted.back();
  attempt.latency.warm_min_s = sorted.front();
  TimedOperation operation;
  operation.name = "forward";
  operation.cold_s = cold_s;
  operation.warm_s = std::move(warm_s);
  attempt.operations.push_back(std::move(operation));
  return attempt;
}

inline RunTarget make_target(const std::string& name) {
  RunTarget target;
  target.target = name;
  target.framework = name.substr(0, name.find('/'));
  target.framework_version = "2.13.0";
  target.device_name = "a device";
  target.entry = Value(Value::Object{{"name", name}});
  target.environment_lock =
      Value(Value::Object{{"python", "3.11.2"}, {"packages", Value::Array{"numpy==2.0"}}});
  return target;
}

class StoreTest : public testing::Test {
 protected:
  StoreTest() : folder_(make_folder()) {}

  [[nodiscard]] std::filesystem::path path() const { return folder_.path() / "seamark.db"; }
  [[nodiscard]] const std::filesystem::path& folder() const { return folder_.path(); }

  Store open(OpenMode mode = OpenMode::kWrite) {
    Result<Store> store = Store::open(path(), mode);
    if (!store) throw std::runtime_error(store.error().message());
    return std::move(*store);
  }

 private:
  static TempDir make_folder() {
    Result<TempDir> folder = TempDir::make("seamark-store-test");
    if (!folder) throw std::runtime_error(folder.error().message());
    return std::move(*folder);
  }

  TempDir folder_;
};

template <typename T>
T must(Result<T> result) {
  if (!result) throw std::runtime_error(result.error().message());
  return std::move(*result);
}

#define EXPECT_OK(expression)                                                     \
  do {                                                                            \
    const auto& status_ = (expression);                                           \
    EXPECT_TRUE(status_.ok()) << (status_.ok() ? "" : status_.error().message()); \
  } while (false)
#define ASSERT_OK(expression)                                                     \
  do {                                                                            \
    const auto& status_ = (expression);                                           \
    ASSERT_TRUE(status_.ok()) << (status_.ok() ? "" : status_.error().message()); \
  } while (false)

}  // namespace seamark::store
