// All cases of one target in one run: what is to be run next, what an ended attempt means, what is run again.
// Pure: no processes, no time.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "seamark/base/value.h"
#include "seamark/model/attempt.h"
#include "seamark/run/plan.h"
#include "seamark/run/status_listener.h"
#include "seamark/run/unit.h"

namespace seamark::run {

struct Job {
  std::size_t unit = 0;  // index into PlannedTarget::cases
  Phase phase = Phase::kCorrectness;
};

// Which case's confirmation stands for all failures of one function with one signature.
class FailureLedger {
 public:
  // The case that stands for this failure, when there is one already; else `unit` does from now on.
  std::optional<std::size_t> stands_for(const std::string& function, const std::string& signature,
                                        std::size_t unit);
  // `unit` relies on `representative`.
  void rely(const std::string& function, const std::string& signature, std::size_t representative,
            std::size_t unit);
  // The confirmation of `representative` gave something else: who relied on it, and must be run again itself.
  std::vector<std::size_t> refute(const std::string& function, const std::string& signature,
                                  std::size_t representative);

 private:
  struct Entry {
    std::size_t representative;
    std::vector<std::size_t> relying;
  };
  std::map<std::pair<std::string, std::string>, Entry> entries_;
};

// Is this pass one of the seeded share that is run again alone?
// In [0, 1), the same for the same seed, target and case on every machine.
double seeded_draw(std::uint64_t seed, std::string_view target, std::string_view case_hash);
bool chosen_for_recheck(std::uint64_t seed, std::string_view target, std::string_view case_hash,
                        double share);

class CaseTracker {
 public:
  // Both outlive this. Replays the target's prior attempts.
  CaseTracker(const Plan& plan, const PlannedTarget& target);

  // Next first runs (in the order of the plan), and runs that must be alone.
  [[nodiscard]] std::size_t main_waiting() const { return main_.size(); }
  [[nodiscard]] std::size_t solo_waiting() const { return solo_.size(); }
  std::optional<Job> take_main();
  std::optional<Job> take_solo();
  void give_back(Job job);

  // Fills in number, signature and confirmed_by, and decides what follows. Returns the events to tell:
  // kind and detail. `worker`: its number; 0: none ran it.
  std::vector<std::pair<std::string, Value>> record(std::size_t index, Attempt& attempt,
                                                    std::size_t worker = 0);

  [[nodiscard]] const CaseUnit& unit(std::size_t index) const { return units_[index]; }
  [[nodiscard]] const PlannedTarget& target() const { return target_; }
  [[nodiscard]] bool all_final() const { return progress_.done == progress_.planned; }
  [[nodiscard]] const TargetProgress& progress() const { return progress_; }

  // How many timing attempts this case still needs: it is to be timed, it passed, and fewer than `wanted`
  // were made.
  [[nodiscard]] int timings_missing(std::size_t unit, int wanted) const;

 private:
  void replay();
  void replay_case(std::size_t unit, std::vector<const PriorAttempt*> priors);
  void reopen_if_refuted(std::size_t unit, const std::string& representative);
  std::optional<Phase> follow_up(std::size_t unit, const AttemptDigest& digest, Attempt* attempt);
  std::optional<Phase> after_first(std::size_t unit, const AttemptDigest& digest, Attempt* attempt);
  std::optional<Phase> after_alone(std::size_t unit, const AttemptDigest& digest);
  void confirm_now(std::size_t unit);
  std::size_t doubt_worker(std::size_t worker);
  void wait_for(std::size_t unit);
  void count(std::size_t unit, bool before);

  const Plan& plan_;
  const PlannedTarget& target_;
  std::vector<CaseUnit> units_;
  std::vector<std::size_t> workers_;  // unit -> number of the worker of its first attempt; 0: not known
  FailureLedger ledger_;
  std::deque<std::size_t> main_;
  std::deque<std::size_t> solo_;
  TargetProgress progress_;
};

}  // namespace seamark::run
