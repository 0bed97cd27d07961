#include "seamark/run/unit.h"

#include <algorithm>
#include <utility>

namespace seamark::run {

void CaseUnit::end(AttemptDigest digest, std::optional<Phase> follow_up) {
  replay(std::move(digest), next_number(), follow_up);
}

void CaseUnit::replay(AttemptDigest digest, int number, std::optional<Phase> follow_up) {
  attempts_.push_back(std::move(digest));
  last_number_ = std::max(last_number_, number);
  need_ = follow_up;
  running_ = false;
}

}  // namespace seamark::run
