// A run with the fake worker of tests/run/fake_workers, a sink and a listener that remember.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "seamark/base/fd.h"
#include "seamark/proc/signals.h"
#include "seamark/run/supervisor.h"

namespace seamark::run {

class MemorySink : public AttemptSink {
 public:
  Status commit(std::span<const Attempt> batch) override {
    ++commits;
    if (is_busy) return busy();
    if (commits > fail_after) return Error(RunError::kSystem, "no space left on device");
    attempts.insert(attempts.end(), batch.begin(), batch.end());
    return {};
  }
  Status event(std::string_view kind, const Value& detail) override {
    if (is_busy) return busy();
    events.emplace_back(kind, detail);
    return {};
  }
  // The attempts of one case (the part of its name behind the function), in order.
  [[nodiscard]] std::vector<Attempt> of(std::string_view case_name) const {
    std::vector<Attempt> found;
    for (const Attempt& attempt : attempts) {
      if (attempt.case_name == case_name) found.push_back(attempt);
    }
    return found;
  }
  [[nodiscard]] std::vector<Value> events_of(std::string_view kind) const {
    std::vector<Value> found;
    for (const auto& [one, detail] : events) {
      if (one == kind) found.push_back(detail);
    }
    return found;
  }
  std::vector<Attempt> attempts;
  std::vector<std::pair<std::string, Value>> events;
  Status busy() {
    ++refused;
    return Error(SinkError::kBusy, "locked");
  }
  std::size_t commits = 0;
  std::size_t refused = 0;
  bool is_busy = false;  // another process writes
  std::size_t fail_after = 1u << 30;
};

class RecordingListener : public StatusListener {
 public:
  void on_stage(RunStage stage, std::size_t planned, std::size_t) override {
    stages.emplace_back(stage, planned);
  }
  void on_started(std::string_view, std::string_view name, Phase) override {
    started.emplace_back(name);
    if (when_started) when_started(std::string(name));
  }
  void on_attempt(const Attempt& attempt, const TargetProgress& progress) override {
    last_progress[attempt.target] = progress;
    if (when_attempt) when_attempt(attempt);
  }
  void on_slow(std::string_view, std::string_view name, std::chrono::milliseconds,
               std::chrono::milliseconds) override {
    slow.emplace_back(name);
  }
  void on_notice(std::string_view text) override {
    notices.emplace_back(text);
    if (when_notice) when_notice(notices.back());
  }
  std::vector<std::pair<RunStage, std::size_t>> stages;
  std::vector<std::string> started;
  std::vector<std::string> slow;
  std::vector<std::string> notices;
  std::map<std::string, TargetProgress> last_progress;
  std::function<void(const std::string&)> when_started;
  std::function<void(const Attempt&)> when_attempt;
  std::function<void(const std::string&)> when_notice;
};

class RunTest : public ::testing::Test {
 protected:
  RunTest() : folder_(std::move(TempDir::make("seamark-run").value())) {
    plan_.boot = std::string(SEAMARK_SOURCE_DIR) + "/tests/run/fake_workers/fake_worker.py";
    plan_.work_dir = folder_.path().string();
    plan_.grace = std::chrono::milliseconds(200);
    plan_.exit_window = std::chrono::milliseconds(500);
    plan_.slow_after = std::chrono::milliseconds(150);
    plan_.start_timeout = std::chrono::seconds(20);
    plan_.recheck_share = 0;
    plan_.repeat_share = 0;
  }

  // Cases are named FUNCTION/BEHAVIOUR; the function is what stands before the '/'.
  PlannedTarget& add_target(const std::string& name, WorkerMode mode, const std::vector<std::string>& cases,
                            const std::string& start = "") {
    PlannedTarget target;
    target.name = name;
    target.mode = mode;
    target.interpreter = ::access("/usr/bin/python3", X_OK) == 0 ? "/usr/bin/python3" : "python3";
    target.timeout_s = 20;
    target.hello = Value(Value::Object{});
    target.hello.set("name", name).set("start", start);
    for (const std::string& one : cases) {
      target.cases.push_back({one, one.substr(0, one.find('/')), "hash of " + one, 0, false});
    }
    plan_.targets.push_back(std::move(target));
    return plan_.targets.back();
  }

  Result<RunResult> run() {
    proc::Signals signals;
    return seamark::run::run(plan_, sink_, listener_, signals);
  }
  Finished run_to_end() {
    Result<RunResult> result = run();
    EXPECT_TRUE(result.ok()) << (result.ok() ? "" : result.error().message());
    if (!result.ok() || !std::holds_alternative<Finished>(*result)) {
      ADD_FAILURE() << "not finished";
      return {};
    }
    return std::get<Finished>(*result);
  }
  Attempt only(const std::string& case_name) {
    const std::vector<Attempt> attempts = sink_.of(case_name);
    EXPECT_EQ(attempts.size(), 1u) << case_name;
    return attempts.empty() ? Attempt{} : attempts.back();
  }
  void expect_pass(const std::string& case_name) {
    const std::vector<Attempt> attempts = sink_.of(case_name);
    ASSERT_EQ(attempts.size(), 1u) << case_name;
    EXPECT_EQ(attempts[0].outcome, Outcome::kPass) << case_name << ": " << attempts[0].reason;
  }

  TempDir folder_;
  Plan plan_;
  MemorySink sink_;
  RecordingListener listener_;
};

}  // namespace seamark::run
