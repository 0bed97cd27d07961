// A run's progress on stderr: done of total, failures, the current case, the time left; of several targets a
// live line each.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "seamark/base/clock.h"
#include "seamark/cli/live_line.h"
#include "seamark/run/status_listener.h"

namespace seamark::cli {

class StatusLine final : public run::StatusListener {
 public:
  // Borrows both. `targets`: with how many cases each, in the order of their lines.
  StatusLine(LiveLine& line, const Clock& clock,
             const std::vector<std::pair<std::string, std::size_t>>& targets = {});

  void on_stage(run::RunStage stage, std::size_t planned, std::size_t done) override;
  void on_started(std::string_view target, std::string_view case_name, Phase phase) override;
  void on_attempt(const Attempt& attempt, const run::TargetProgress& progress) override;
  void on_slow(std::string_view target, std::string_view case_name, std::chrono::milliseconds so_far,
               std::chrono::milliseconds deadline) override;
  void on_event(std::string_view kind, const Value& detail) override;
  void on_notice(std::string_view text) override;
  void on_tick() override;
  [[nodiscard]] std::chrono::milliseconds tick_period() const override;

  // Why cases ended as errors, with how many, the most frequent first.
  [[nodiscard]] std::vector<std::pair<std::string, std::size_t>> error_reasons() const;

 private:
  struct TargetLine {
    std::string target;
    std::size_t planned = 0;
    std::size_t done = 0;  // checked, as are the two below
    std::size_t pass = 0;
    std::size_t fail = 0;
    std::string current;
  };
  void show();
  [[nodiscard]] TargetLine* line_of(std::string_view target);  // nullptr: there are no such lines
  [[nodiscard]] std::vector<std::string> table() const;
  [[nodiscard]] std::string time_left() const;

  LiveLine& line_;
  const Clock& clock_;
  run::RunStage stage_ = run::RunStage::kCorrectness;
  std::size_t planned_ = 0;
  std::size_t done_before_ = 0;                                 // when the stage began
  std::map<std::string, std::size_t, std::less<>> stage_done_;  // by target
  std::size_t done_ = 0;
  std::int64_t stage_start_ns_ = 0;
  std::string current_;
  std::vector<TargetLine> targets_;                         // empty: one target needs no line of its own
  std::map<std::string, std::size_t, std::less<>> failed_;  // by target, of the correctness stage
  std::map<std::string, std::size_t> reasons_;
};

}  // namespace seamark::cli
