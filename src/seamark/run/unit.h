// One case on one target through a run: what it still needs, and what its attempts come to. Pure.
#pragma once

#include <optional>
#include <vector>

#include "seamark/model/verdict.h"

namespace seamark::run {

class CaseUnit {
 public:
  // The next attempt that this case needs outside the timing phase; nullopt: none.
  [[nodiscard]] std::optional<Phase> need() const { return running_ ? std::nullopt : need_; }
  [[nodiscard]] bool running() const { return running_; }
  // No attempt is missing and none runs (timing aside).
  [[nodiscard]] bool is_final() const { return !need_ && !running_; }
  [[nodiscard]] std::optional<Outcome> outcome() const { return case_outcome(attempts_); }
  [[nodiscard]] const std::vector<AttemptDigest>& attempts() const { return attempts_; }
  // The first attempt that ran, of those that are not alone; nullptr: there is none.
  [[nodiscard]] const AttemptDigest* first_run() const;
  // Attempts alone that ran.
  [[nodiscard]] std::vector<AttemptDigest> alone() const;
  // The number of the attempt that comes next, from 1.
  [[nodiscard]] int next_number() const { return last_number_ + 1; }

  void start() { running_ = true; }
  // It did not run after all: its worker died of another case.
  void give_back() { running_ = false; }
  // An attempt ended; `follow_up` is what is needed next.
  void end(AttemptDigest digest, std::optional<Phase> follow_up);
  // Needs this again, after it had been final (the failure that stood for its own was refuted).
  void reopen(Phase phase) { need_ = phase; }
  // An attempt of an earlier part of the run, with its number.
  void replay(AttemptDigest digest, int number, std::optional<Phase> follow_up);

 private:
  std::vector<AttemptDigest> attempts_;
  std::optional<Phase> need_ = Phase::kCorrectness;
  int last_number_ = 0;
  bool running_ = false;
};

}  // namespace seamark::run
