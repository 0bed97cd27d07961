#include "seamark/run/unit.h"

#include <algorithm>
#include <utility>

namespace seamark::run {
namespace {

bool decides(const AttemptDigest& attempt) {
  return attempt.outcome != Outcome::kError && attempt.outcome != Outcome::kSkip;
}

}  // namespace

std::optional<Outcome> settle(std::span<const AttemptDigest> attempts) {
  if (attempts.empty()) return std::nullopt;
  const AttemptDigest* first = nullptr;
  for (const AttemptDigest& attempt : attempts) {
    if (!decides(attempt)) continue;
    if (first == nullptr) first = &attempt;
    if (attempt.outcome != first->outcome || attempt.signature != first->signature) return Outcome::kFlaky;
  }
  return first != nullptr ? first->outcome : attempts.back().outcome;
}

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
