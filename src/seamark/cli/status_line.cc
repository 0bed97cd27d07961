#include "seamark/cli/status_line.h"

#include <fmt/format.h>

#include <algorithm>

#include "seamark/base/text.h"

namespace seamark::cli {
namespace {

// An estimate from less is a guess.
constexpr double kSecondsBeforeEstimate = 5;
constexpr std::size_t kDoneBeforeEstimate = 10;
constexpr std::size_t kMostReasons = 100;

std::string_view name_of(run::RunStage stage) {
  return stage == run::RunStage::kTiming ? "timing" : "checking";
}

std::string seconds(std::chrono::milliseconds time) {
  return format_duration(std::chrono::duration<double>(time).count());
}

}  // namespace

StatusLine::StatusLine(LiveLine& line, const Clock& clock,
                       const std::vector<std::pair<std::string, std::size_t>>& targets)
    : line_(line), clock_(clock), stage_start_ns_(clock.monotonic_ns()) {
  if (targets.size() < 2) return;
  for (const auto& [target, cases] : targets) targets_.push_back({target, cases, 0, 0, 0, {}});
}

StatusLine::TargetLine* StatusLine::line_of(std::string_view target) {
  const auto found = std::find_if(targets_.begin(), targets_.end(),
                                  [&](const TargetLine& one) { return one.target == target; });
  return found == targets_.end() ? nullptr : &*found;
}

// "torch/lazy           83/141    80 pass    3 fail  torch.sort/sort[f32]"
std::vector<std::string> StatusLine::table() const {
  std::size_t width = 0;
  for (const TargetLine& one : targets_) width = std::max(width, display_width(one.target));
  std::vector<std::string> lines;
  lines.reserve(targets_.size());
  for (const TargetLine& one : targets_) {
    lines.push_back(fmt::format("{} {:>9} {:>5} pass {:>4} fail{}", pad_right(one.target, width),
                                fmt::format("{}/{}", one.done, one.planned), one.pass, one.fail,
                                one.current.empty() ? "" : "  " + one.current));
  }
  return lines;
}

void StatusLine::on_stage(run::RunStage stage, std::size_t planned, std::size_t done) {
  stage_ = stage;
  planned_ = planned;
  done_before_ = done_ = done;
  stage_done_.clear();
  stage_start_ns_ = clock_.monotonic_ns();
  current_.clear();
  if (planned == 0) return;
  if (!line_.terminal().live) {
    line_.print(fmt::format("{} {} cases{}", name_of(stage), planned,
                            done > 0 ? fmt::format(", {} of them done before", done) : ""));
  }
  show();
}

void StatusLine::on_started(std::string_view target, std::string_view case_name, Phase phase) {
  std::string name = one_line(case_name);
  if (phase == Phase::kConfirm || phase == Phase::kRecheck) name += " (again, alone)";
  current_ = fmt::format("{} {}", target, name);
  if (TargetLine* const line = line_of(target)) line->current = std::move(name);
  show();
}

void StatusLine::on_attempt(const Attempt& attempt, const run::TargetProgress& progress) {
  if (attempt.outcome == Outcome::kError &&
      (reasons_.size() < kMostReasons || reasons_.contains(attempt.reason))) {
    ++reasons_[attempt.reason];
  }
  auto known = stage_done_.find(progress.target);
  if (known == stage_done_.end()) {
    // What an earlier part of the run had done of this target is in the stage's number already.
    const std::size_t before = done_before_ > 0 && progress.done > 0 ? progress.done - 1 : 0;
    known = stage_done_.emplace(progress.target, before).first;
  }
  done_ += progress.done;
  done_ -= known->second;
  known->second = progress.done;
  if (stage_ == run::RunStage::kCorrectness) {
    const std::size_t failed = progress.fail + progress.timeout + progress.crash + progress.flaky;
    failed_.insert_or_assign(std::string(progress.target), failed);
    if (TargetLine* const line = line_of(progress.target)) {
      line->done = progress.done;
      line->pass = progress.pass;
      line->fail = failed;
    }
  }
  if (TargetLine* const line = line_of(progress.target); line != nullptr && progress.done == progress.planned)
    line->current.clear();
  show();
}

void StatusLine::on_slow(std::string_view target, std::string_view case_name,
                         std::chrono::milliseconds so_far, std::chrono::milliseconds deadline) {
  line_.print(fmt::format("slow: {} {} runs for {} (its deadline: {})", target, one_line(case_name),
                          seconds(so_far), seconds(deadline)));
}

void StatusLine::on_event(std::string_view kind, const Value& detail) {
  const std::string target = one_line(detail.string_or("target", ""));
  const std::string reason = one_line(detail.string_or("reason", "no reason given"));
  if (kind == "leak") {
    const std::string what = one_line(detail.string_or("case", target.empty() ? "a worker" : target));
    line_.print(fmt::format("leak: {} left processes behind; they were killed", what));
  } else if (kind == "worker-unusable") {
    line_.print(fmt::format("{}: unusable: {}", target, reason));
  } else if (kind == "worker-failed") {
    line_.print(fmt::format("{}: a worker failed: {}", target, reason));
  }
}

void StatusLine::on_notice(std::string_view text) { line_.print(one_line(text)); }

void StatusLine::on_tick() { show(); }

std::chrono::milliseconds StatusLine::tick_period() const {
  return std::chrono::milliseconds(line_.terminal().live ? 500 : 5000);
}

std::vector<std::pair<std::string, std::size_t>> StatusLine::error_reasons() const {
  std::vector<std::pair<std::string, std::size_t>> found(reasons_.begin(), reasons_.end());
  std::stable_sort(found.begin(), found.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  return found;
}

std::string StatusLine::time_left() const {
  const double elapsed = static_cast<double>(clock_.monotonic_ns() - stage_start_ns_) * 1e-9;
  const std::size_t done = done_ > done_before_ ? done_ - done_before_ : 0;
  if (elapsed < kSecondsBeforeEstimate || done < kDoneBeforeEstimate || done_ >= planned_) return {};
  const double left = elapsed / static_cast<double>(done) * static_cast<double>(planned_ - done_);
  return fmt::format(", {} left", format_duration(left < 1 ? 1 : left));
}

void StatusLine::show() {
  std::size_t bad = 0;
  for (const auto& [target, failed] : failed_) bad += failed;
  std::string text = fmt::format("{} {}/{}", name_of(stage_), done_, planned_);
  if (bad > 0) text += fmt::format(", {} failed", bad);
  text += time_left();
  const bool alone = targets_.empty() || !line_.terminal().live;
  if (alone && !current_.empty()) text += ": " + current_;
  line_.show(text, table());
}

}  // namespace seamark::cli
