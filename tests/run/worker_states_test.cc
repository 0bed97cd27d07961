// The transitions that src/seamark/run/worker.md draws: each with a real process,
// tests/run/fake_workers, and a clock that stands still until it is told otherwise.

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>
#include <deque>
#include <memory>
#include <ostream>

#include "run_fixture.h"
#include "seamark/base/clock.h"
#include "seamark/base/text.h"
#include "seamark/proc/poll_loop.h"
#include "seamark/proc/subreaper.h"
#include "seamark/run/worker.h"

namespace seamark::run {
namespace {

struct Transition {
  const char* name;
  WorkerMode mode;
  std::vector<std::string> cases;
  // What is done, and what the worker tells, all of it and in this order:
  //   give, stop, kill  what the supervisor asks
  //   slay, freeze      KILL and STOP to the worker, from outside
  //   +150              so many milliseconds pass
  //   'hanging          waits for this output
  //   answered          waits until the open case has answered
  //   ended             waits until the process is seen to have ended, while something holds its pipes
  //   quiet             nothing is told
  //   else              what is told next: ready, failed, unusable, opened, slow, done:OUTCOME, requeued,
  //                     gone, or the kind of a note
  const char* script;
  const char* start = "";  // what the worker does instead of starting
};

void PrintTo(const Transition& row, std::ostream* out) { *out << row.script; }

std::string told_as(const WorkerEvent& event) {
  if (std::holds_alternative<WorkerReady>(event)) return "ready";
  if (const auto* failed = std::get_if<WorkerFailed>(&event)) return failed->unusable ? "unusable" : "failed";
  if (std::holds_alternative<CaseOpened>(event)) return "opened";
  if (std::holds_alternative<CaseSlow>(event)) return "slow";
  if (const auto* done = std::get_if<CaseDone>(&event))
    return fmt::format("done:{}", name_of(done->attempt.outcome));
  if (std::holds_alternative<CaseRequeued>(event)) return "requeued";
  if (const auto* note = std::get_if<WorkerNote>(&event)) return note->kind;
  return "gone";
}

class WorkerStates : public RunTest, public testing::WithParamInterface<Transition> {
 protected:
  static constexpr double kQuietSeconds = 0.1;

  // Without waiting for it, all that there is to take.
  void turn(double wait_s) {
    std::vector<WorkerEvent> events;
    for (const proc::PollEvent& event : loop_.wait(wait_s)) worker_->on_event(event, events);
    worker_->advance(true, events);
    take(events);
  }

  void take(const std::vector<WorkerEvent>& events) {
    for (const WorkerEvent& event : events) told_.push_back(told_as(event));
  }

  template <typename Condition>
  bool wait_for(const Condition& condition) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (!condition()) {
      if (std::chrono::steady_clock::now() > end) return false;
      turn(0.01);
    }
    return true;
  }

  [[nodiscard]] bool has_said(std::string_view text) const {
    const Result<std::string> output = read_file(folder_.path() / "w1.log");
    return output && output->find(text) != std::string::npos;
  }

  // Whether it came true.
  bool follow(const std::string& word) {
    std::vector<WorkerEvent> events;
    if (word == "give") {
      worker_->give(given_++, Phase::kCorrectness, events);
    } else if (word == "stop") {
      worker_->stop();
    } else if (word == "kill") {
      worker_->kill(events);
    } else if (word == "slay" || word == "freeze") {
      ::kill(worker_->pid(), word == "slay" ? SIGKILL : SIGSTOP);
    } else if (word.front() == '+') {
      clock_.advance_ns(parse_int(word.substr(1)).value() * 1'000'000);
    } else if (word.front() == '\'') {
      const bool said = wait_for([&] { return has_said(word.substr(1)); });
      turn(0);  // what was on the wire before
      return said;
    } else if (word == "answered" || word == "ended") {
      const std::chrono::nanoseconds window = word == "ended" ? plan_.leak_window : plan_.exit_window;
      return wait_for([&] { return worker_->next_ns() == clock_.monotonic_ns() + window.count(); });
    } else if (word == "quiet") {
      const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(kQuietSeconds);
      while (std::chrono::steady_clock::now() < end) turn(0.01);
      return told_.empty();
    } else {
      if (!wait_for([&] { return !told_.empty(); }) || told_.front() != word) return false;
      told_.pop_front();
    }
    take(events);
    return true;
  }

  proc::Signals signals_;
  proc::PollLoop loop_{&signals_};
  FakeClock clock_;
  Worker::Groups groups_;
  std::unique_ptr<Worker> worker_;
  std::size_t given_ = 0;
  std::deque<std::string> told_;
};

TEST_P(WorkerStates, IsAsDrawn) {
  proc::become_subreaper();
  const Transition& row = GetParam();
  PlannedTarget& target = add_target("torch/cpu", row.mode, row.cases, row.start);
  if (row.cases[0].starts_with("f/hog")) target.memory = {MemoryMethod::kResident, 64 << 20};
  WorkerSpec spec;
  spec.number = 1;
  spec.plan = &plan_;
  spec.mode = row.mode;
  for (std::size_t i = 0; i < row.cases.size(); ++i) spec.units.push_back(i);
  worker_ = Worker::start(std::move(spec), clock_, loop_, groups_).value();
  std::string done;
  const std::string script = row.script;
  for (const std::string_view word : split_words(script)) {
    if (!follow(std::string(word))) {
      FAIL() << "after:" << done << "\nwanted: " << word
             << "\ntold: " << fmt::format("{}", fmt::join(told_, " "));
    }
    done += fmt::format(" {}", word);
  }
  EXPECT_TRUE(told_.empty()) << "also told: " << fmt::format("{}", fmt::join(told_, " "));
  EXPECT_EQ(worker_->gone(), done.ends_with("gone"));
}

constexpr WorkerMode kForks = WorkerMode::kFork;
constexpr WorkerMode kServes = WorkerMode::kPersistent;

const std::vector<Transition>& transitions() {
  static const std::vector<Transition> kAll = {
      // --- starting
      {"StartsAndStops", kServes, {"f/ok"}, "ready quiet stop gone"},
      {"IsUnusable", kServes, {"f/ok"}, "unusable gone", "unusable"},
      {"EndsBeforeItIsReady", kServes, {"f/ok"}, "failed gone", "exit"},
      {"BreaksTheWireBeforeItIsReady", kServes, {"f/ok"}, "protocol-error failed gone", "garbage"},
      {"IsNotReadyInTime",
       kServes,
       {"f/ok"},
       "'hanging +19999 quiet +1 failed quiet +199 quiet +1 gone",
       "hang"},
      {"IsStoppedWhileItStarts", kServes, {"f/ok"}, "stop ready gone"},
      {"IsKilledWhileItStarts", kServes, {"f/ok"}, "kill failed gone"},
      // --- idle
      {"DiesIdle", kServes, {"f/ok"}, "ready slay failed worker-died gone"},
      {"DiesIdleBehindACase", kServes, {"f/ok"}, "ready give opened done:pass slay worker-died gone"},
      {"IsKilledIdle", kServes, {"f/ok"}, "ready kill gone"},
      {"DoesNotHeedTheStop", kServes, {"f/ok"}, "ready freeze stop +499 quiet +1 exit-hung gone"},
      // --- running
      {"ServesTwo",
       kServes,
       {"f/ok", "g/ok"},
       "ready give opened give done:pass opened done:pass quiet stop gone"},
      {"ServesTwoForked",
       kForks,
       {"f/ok", "g/ok"},
       "ready give opened give done:pass opened done:pass stop gone"},
      {"FinishesWhatItHas", kServes, {"f/sleep:0.3"}, "ready give opened stop done:pass gone"},
      {"IsKilledRunning", kServes, {"f/wait", "g/ok"}, "ready give opened give kill requeued requeued gone"},
      {"IsKilledRunningForked",
       kForks,
       {"f/wait", "g/ok"},
       "ready give opened 'waiting give kill requeued requeued gone"},
      {"DiesRunning", kServes, {"f/segv", "g/ok"}, "ready give opened give done:crash requeued gone"},
      {"ItsChildDies",
       kForks,
       {"f/segv", "g/ok"},
       "ready give opened give done:crash opened done:pass stop gone"},
      {"BreaksTheWire", kServes, {"f/garbage"}, "ready give opened protocol-error done:error gone"},
      // --- too long
      {"HeedsTerm",
       kServes,
       {"f/wait", "g/ok"},
       "ready give opened give 'waiting +149 quiet +1 slow +19849 quiet +1 done:timeout requeued gone"},
      {"ItsChildHeedsTerm",
       kForks,
       {"f/wait", "g/ok"},
       "ready give opened give 'waiting +150 slow +19850 done:timeout opened done:pass stop gone"},
      {"DoesNotHeedTerm",
       kServes,
       {"f/hang", "g/ok"},
       "ready give opened give 'hanging +150 slow +19850 quiet +199 quiet +1 done:timeout requeued gone"},
      {"ItsChildDoesNotHeedTerm",
       kForks,
       {"f/hang", "g/ok"},
       "ready give opened give 'hanging +150 slow +19850 quiet +199 quiet +1 done:timeout opened done:pass "
       "stop gone"},
      {"TakesTooMuchMemory",
       kForks,
       {"f/hog:200", "g/ok"},
       "ready give opened 'holding quiet +100 done:error give opened done:pass stop gone"},
      // --- answered
      {"DoesNotGoOn",
       kServes,
       {"f/exit_hang"},
       "ready give opened answered +499 quiet +1 exit-hung done:error gone"},
      {"ItsChildDoesNotEnd",
       kForks,
       {"f/exit_hang", "g/ok"},
       "ready give opened answered +500 exit-hung done:error give opened done:pass stop gone"},
      {"DiesOfAnAnsweredCase", kServes, {"f/die_after"}, "ready give opened done:error gone"},
      {"IsSpent", kServes, {"f/spent", "g/ok"}, "ready give opened give poison done:pass requeued gone"},
      // --- ended
      {"LeavesAProcess",
       kServes,
       {"f/leak"},
       "ready give opened done:pass stop ended +199 quiet +1 leak gone"},
      {"ItsChildLeavesAProcess", kForks, {"f/leak"}, "ready give opened done:pass leak stop gone"},
  };
  return kAll;
}

INSTANTIATE_TEST_SUITE_P(All, WorkerStates, testing::ValuesIn(transitions()),
                         [](const auto& row) { return std::string(row.param.name); });

}  // namespace
}  // namespace seamark::run
