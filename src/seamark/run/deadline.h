// The steps against a case that runs too long: notice, TERM, KILL, giving up. Pure: time is handed in.
#pragma once

#include <chrono>
#include <cstdint>
#include <limits>

namespace seamark::run {

class Deadline {
 public:
  static constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();

  // All from the start on, in order; slow_after beyond the timeout means no notice.
  struct Limits {
    std::chrono::nanoseconds timeout{};
    std::chrono::nanoseconds slow_after{};
    std::chrono::nanoseconds grace{};     // TERM to KILL
    std::chrono::nanoseconds patience{};  // KILL to giving up
  };
  enum class Step { kNone, kSlow, kTerminate, kKill, kGiveUp };

  Deadline() = default;  // never expires
  Deadline(std::int64_t start_ns, const Limits& limits);

  // The next step that is due at now_ns, each step once; call again until kNone.
  Step advance(std::int64_t now_ns);
  // Makes TERM (or, with `at_once`, KILL) the next step, due now. Nothing when that is behind us.
  void expire(std::int64_t now_ns, bool at_once = false);
  // When advance() has something to do; kNever when nothing is left.
  [[nodiscard]] std::int64_t next_ns() const;
  // TERM or KILL was due.
  [[nodiscard]] bool expired() const { return next_ > Step::kTerminate; }
  [[nodiscard]] std::int64_t start_ns() const { return start_ns_; }
  [[nodiscard]] std::chrono::nanoseconds timeout() const { return limits_.timeout; }

 private:
  [[nodiscard]] std::int64_t due(Step step) const;

  std::int64_t start_ns_ = 0;
  Limits limits_{};
  Step next_ = Step::kNone;   // kNone: nothing left
  std::int64_t last_ns_ = 0;  // when TERM or KILL was taken
  bool done_ = true;
};

}  // namespace seamark::run
