#include "seamark/run/unit.h"

#include <algorithm>
#include <utility>

namespace seamark::run {

void CaseUnit::end(AttemptDigest digest, std::optional<Phase> follow_up) {
  replay(std::move(digest), next_number(), follow_up);
}

const AttemptDigest* CaseUnit::first_run() const {
  const auto at = std::find_if(attempts_.begin(), attempts_.end(), [](const AttemptDigest& one) {
    return one.phase == Phase::kCorrectness && was_run(one.outcome);
  });
  return at == attempts_.end() ? nullptr : &*at;
}

std::vector<AttemptDigest> CaseUnit::alone() const {
  std::vector<AttemptDigest> found;
  for (const AttemptDigest& one : attempts_) {
    if ((one.phase == Phase::kConfirm || one.phase == Phase::kRecheck) && was_run(one.outcome))
      found.push_back(one);
  }
  return found;
}

void CaseUnit::replay(AttemptDigest digest, int number, std::optional<Phase> follow_up) {
  attempts_.push_back(std::move(digest));
  last_number_ = std::max(last_number_, number);
  need_ = follow_up;
  running_ = false;
}

}  // namespace seamark::run
