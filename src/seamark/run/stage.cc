#include "seamark/run/stage.h"

#include <fmt/format.h>

#include <utility>

#include "seamark/run/blame.h"

namespace seamark::run {
namespace {

constexpr int kMaxFailedStarts = 3;

}  // namespace

void RunState::start_failed(std::size_t target, const WorkerFailed& failed) {
  TargetHealth& one = health[target];
  one.failed_starts += 1;
  if (one.outage || (one.was_ready && !failed.unusable && one.failed_starts < kMaxFailedStarts)) return;
  std::string reason = failed.reason;
  if (!failed.remedy.empty()) reason += " (" + failed.remedy + ")";
  one.outage = TargetHealth::Outage{failed.unusable ? Outcome::kSkip : Outcome::kError, std::move(reason)};
}

void RunState::start_succeeded(std::size_t target) { health[target].was_ready = true; }

void RunState::case_ended(std::size_t target) { health[target].failed_starts = 0; }

Attempt not_started(const RunState& state, std::size_t target, const Job& job,
                    const TargetHealth::Outage& outage) {
  const PlannedTarget& planned = state.plan.targets[target];
  AttemptContext context;
  context.phase = job.phase;
  context.mode = planned.mode;
  context.started_unix_us = state.clock.unix_us();
  return attempt_not_started(planned, planned.cases[job.unit], outage.outcome, outage.reason,
                             std::move(context));
}

}  // namespace seamark::run
