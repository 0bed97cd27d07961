#include "seamark/run/deadline.h"

namespace seamark::run {

Deadline::Deadline(std::int64_t start_ns, const Limits& limits)
    : start_ns_(start_ns),
      limits_(limits),
      next_(limits.slow_after < limits.timeout ? Step::kSlow : Step::kTerminate),
      done_(false) {}

std::int64_t Deadline::due(Step step) const {
  switch (step) {
    case Step::kSlow:
      return start_ns_ + limits_.slow_after.count();
    case Step::kTerminate:
      return start_ns_ + limits_.timeout.count();
    case Step::kKill:
      return last_ns_ + limits_.grace.count();
    case Step::kGiveUp:
      return last_ns_ + limits_.patience.count();
    case Step::kNone:
      break;
  }
  return kNever;
}

std::int64_t Deadline::next_ns() const { return done_ ? kNever : due(next_); }

Deadline::Step Deadline::advance(std::int64_t now_ns) {
  if (done_ || now_ns < due(next_)) return Step::kNone;
  const Step step = next_;
  if (step == Step::kGiveUp) {
    done_ = true;
    return step;
  }
  if (step != Step::kSlow) last_ns_ = now_ns;
  next_ = static_cast<Step>(static_cast<int>(step) + 1);
  return step;
}

void Deadline::expire(std::int64_t now_ns, bool at_once) {
  const Step wanted = at_once ? Step::kKill : Step::kTerminate;
  if (next_ > wanted) return;
  done_ = false;
  next_ = wanted;
  if (at_once) {
    last_ns_ = now_ns - limits_.grace.count();
  } else {
    limits_.timeout = std::chrono::nanoseconds(now_ns - start_ns_);
  }
}

}  // namespace seamark::run
