#include "seamark/run/blame.h"

#include <fmt/format.h>
#include <signal.h>

#include <array>
#include <cmath>
#include <optional>
#include <string_view>
#include <utility>

#include "seamark/base/clock.h"
#include "seamark/base/text.h"
#include "seamark/model/attributes.h"
#include "seamark/run/latency.h"

namespace seamark::run {
namespace {

Latency latency_without_times(Phase phase) {
  if (phase == Phase::kTiming) return not_timed("not timed: the attempt did not pass");
  return not_timed(fmt::format("not timed: {} phase", name_of(phase)));
}

Attempt base_attempt(const PlannedTarget& target, const PlannedCase& planned, AttemptContext& context) {
  Attempt attempt;
  attempt.target = target.name;
  attempt.case_name = planned.name;
  attempt.case_hash = planned.hash;
  attempt.phase = context.phase;
  attempt.mode = context.mode;
  attempt.started_unix_us = context.started_unix_us;
  attempt.wall_s = context.wall_s;
  attempt.latency = latency_without_times(context.phase);
  return attempt;
}

// What allocators and runtimes print before they end a process that could get no more memory.
bool says_out_of_memory(std::string_view capture) {
  constexpr std::array<std::string_view, 6> kSigns = {
      "bad_alloc", "Cannot allocate memory", "out of memory", "Out of memory", "MemoryError", "ENOMEM"};
  for (std::string_view sign : kSigns) {
    if (capture.find(sign) != std::string_view::npos) return true;
  }
  return false;
}

std::string limit_text(const MemoryLimit& memory, std::string_view method) {
  return fmt::format("the memory limit of {} above the size after import ({})",
                     format_bytes(static_cast<std::uint64_t>(memory.bytes)), method);
}

Failure worker_failure(std::string type, std::string message) {
  Failure failure;
  failure.stage = "worker";
  failure.type = std::move(type);
  failure.message = std::move(message);
  return failure;
}

// The worker's own status when a case closed or replaced its wire: worker.py says it, too.
constexpr int kWireClosed = 76;

// An answer that what follows contradicts is not believed.
std::string contradiction(const WorkerExit& worker_exit) {
  const bool hung = worker_exit.cause == WorkerExit::Cause::kTimeout;
  return fmt::format("it answered '{}', and then {}", name_of(*worker_exit.answered),
                     hung               ? "did not end"
                     : worker_exit.exit ? worker_exit.exit->text()
                                        : "ended without a word");
}

// A fault where memory was short: what was refused, or why the kernel ended it, is not the function's doing.
std::optional<std::string> want_of_memory(const MemoryLimit& memory, const WorkerExit& worker_exit,
                                          std::string_view capture) {
  constexpr double kNear = 0.8;
  const std::string how = worker_exit.exit ? worker_exit.exit->text() : "ended without an answer";
  if (memory.method == MemoryMethod::kAddressSpace && says_out_of_memory(capture)) {
    return fmt::format("ran into {} and was {}", limit_text(memory, name_of(memory.method)), how);
  }
  const int signal = worker_exit.exit ? worker_exit.exit->signal() : 0;
  if (signal == SIGKILL && worker_exit.out_of_memory) {
    return fmt::format("{} when the system had no more memory", how);
  }
  const bool fault = signal == SIGSEGV || signal == SIGBUS || signal == SIGABRT || signal == SIGKILL;
  const std::int64_t held = worker_exit.resident_bytes;
  if (!fault || memory.bytes <= 0 || static_cast<double>(held) < kNear * static_cast<double>(memory.bytes)) {
    return std::nullopt;
  }
  return fmt::format("{} with {} resident, near {}", how, format_bytes(static_cast<std::uint64_t>(held)),
                     limit_text(memory, name_of(MemoryMethod::kResident)));
}

void blame_own_exit(const PlannedTarget& target, const WorkerExit& worker_exit, Attempt& attempt) {
  const std::string how = worker_exit.exit ? worker_exit.exit->text() : "ended without an answer";
  if (auto reason = want_of_memory(target.memory, worker_exit, attempt.capture)) {
    attempt.outcome = Outcome::kError;
    attempt.reason = std::move(*reason);
    return;
  }
  if (worker_exit.exit == proc::ExitState::exited(kWireClosed)) {
    attempt.outcome = Outcome::kError;
    attempt.reason = "the case closed the worker's wire";
    return;
  }
  attempt.outcome = Outcome::kCrash;
  const bool signalled = worker_exit.exit && worker_exit.exit->signalled();
  std::string message = how;
  if (signalled && worker_exit.exit->signal() == SIGKILL) {
    message += " (not by Seamark; the system does so when memory runs out)";
  }
  attempt.failure = worker_failure(signalled ? "signal" : "exit", std::move(message));
}

// Where it is finite, and not negative as no agent of ours says it.
std::optional<double> number_of(const Value& document, std::string_view key) {
  const Value* found = document.find(key);
  if (found == nullptr || !found->is_number() || !std::isfinite(found->as_number()) || found->as_number() < 0)
    return std::nullopt;
  return found->as_number();
}

}  // namespace

Attempt attempt_from_end(const PlannedTarget& target, const PlannedCase& planned, agent::End end,
                         AttemptContext context) {
  Attempt attempt = base_attempt(target, planned, context);
  attempt.outcome = end.outcome;
  attempt.evidence = end.evidence.value_or(target.exit_evidence);
  attempt.reason = std::move(end.reason);
  attempt.failure = std::move(end.failure);
  attempt.placement = std::move(end.placement);
  attempt.operations = std::move(end.operations);
  attempt.max_abs_err = number_of(end.reference, "max_abs_err");
  attempt.max_rel_err = number_of(end.reference, "max_rel_err");
  attempt.max_ulp_err = number_of(end.reference, "max_ulp_err");
  attempt.reference = std::move(end.reference);
  attempt.compiled = std::move(end.compiled);
  attempt.attributes = std::move(end.attributes);
  attempt.cpu_s = end.cpu_s;
  if (has_attribute(attempt, attribute::kCacheHit)) {
    attempt.latency = not_timed("not timed: the compiler's answer was kept from an earlier run");
  }
  if (attempt.outcome != Outcome::kPass) {
    attempt.capture = std::move(context.capture);
  } else if (context.phase == Phase::kTiming) {
    attempt.latency = summarize(attempt.operations, context.protocol, end.cold_kind);
    attempt.costs = end.costs;
  }
  return attempt;
}

Attempt attempt_from_exit(const PlannedTarget& target, const PlannedCase& planned,
                          const WorkerExit& worker_exit, AttemptContext context) {
  Attempt attempt = base_attempt(target, planned, context);
  attempt.evidence = target.exit_evidence;
  attempt.capture = std::move(context.capture);
  if (worker_exit.exit) attempt.wait_status = worker_exit.exit->wait_status();
  using Cause = WorkerExit::Cause;
  if (worker_exit.answered && (worker_exit.cause == Cause::kDied || worker_exit.cause == Cause::kTimeout)) {
    attempt.outcome = Outcome::kError;
    attempt.reason = contradiction(worker_exit);
    return attempt;
  }
  switch (worker_exit.cause) {
    case WorkerExit::Cause::kDied:
      blame_own_exit(target, worker_exit, attempt);
      break;
    case WorkerExit::Cause::kTimeout:
      attempt.outcome = Outcome::kTimeout;
      attempt.failure =
          worker_failure("timeout", fmt::format("no answer within {:g} s", worker_exit.timeout_s));
      break;
    case WorkerExit::Cause::kMemory:
      attempt.outcome = Outcome::kError;
      attempt.reason = fmt::format("ended by Seamark: {} is above {}", worker_exit.detail,
                                   limit_text(target.memory, name_of(MemoryMethod::kResident)));
      break;
    case WorkerExit::Cause::kProtocol:
      attempt.outcome = Outcome::kError;
      attempt.reason = "the worker broke the wire: " + worker_exit.detail;
      break;
  }
  return attempt;
}

Attempt attempt_not_started(const PlannedTarget& target, const PlannedCase& planned, Outcome outcome,
                            std::string reason, AttemptContext context) {
  Attempt attempt = base_attempt(target, planned, context);
  attempt.outcome = outcome;
  attempt.evidence = Evidence::kDeclared;  // nothing was reached
  attempt.reason = std::move(reason);
  attempt.capture = std::move(context.capture);
  return attempt;
}

}  // namespace seamark::run
