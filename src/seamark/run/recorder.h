// Between the run and its sink: gathers the attempts of a turn into one commit, and keeps the first error.
// What a busy sink does not take waits in memory.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "seamark/base/clock.h"
#include "seamark/run/attempt_sink.h"
#include "seamark/run/status_listener.h"

namespace seamark::run {

class Recorder {
 public:
  // An attempt waits this long for others to share its commit.
  static constexpr std::chrono::nanoseconds kGather = std::chrono::milliseconds(4);

  // A busy sink is asked again so often, for so long.
  static constexpr std::chrono::nanoseconds kRetry = std::chrono::milliseconds(250);
  static constexpr std::chrono::nanoseconds kPatience = std::chrono::minutes(10);
  // No more than these may wait.
  static constexpr std::size_t kMost = 10'000;

  // All outlive this.
  Recorder(AttemptSink& sink, StatusListener& listener, const Clock& clock)
      : sink_(sink), listener_(listener), clock_(clock) {}

  // `progress` outlives this; the listener sees it as it is after the commit.
  void add(Attempt attempt, const TargetProgress& progress);
  // To sink and listener.
  void event(std::string_view kind, const Value& detail);
  // Commits what waits, when it has waited long enough or there is much of it.
  void flush_if_due();
  void flush();  // unless the sink is busy and not to be asked again yet
  // Nothing waits any longer: what the sink does not take now is lost, and an error.
  void close();
  [[nodiscard]] bool is_busy() const { return busy_since_ns_.has_value(); }
  [[nodiscard]] bool is_full() const { return waiting_.size() >= kMost; }
  [[nodiscard]] std::int64_t next_ns() const;
  // The first error of the sink, and how much is lost with it; nothing is written after it.
  [[nodiscard]] const std::optional<Error>& error() const { return error_; }
  [[nodiscard]] std::size_t committed() const { return committed_; }

 private:
  struct Event {
    std::string kind;
    Value detail;
  };
  // What the sink said; false: it took nothing.
  bool took(const Status& status);
  [[nodiscard]] Error account_of(const Error& error) const;

  AttemptSink& sink_;
  StatusListener& listener_;
  const Clock& clock_;
  std::vector<Attempt> waiting_;
  std::vector<const TargetProgress*> progress_;
  std::deque<Event> events_;  // that wait for a busy sink
  std::int64_t first_ns_ = 0;
  std::optional<std::int64_t> busy_since_ns_;
  std::int64_t retry_ns_ = 0;
  std::size_t committed_ = 0;
  std::optional<Error> error_;
};

}  // namespace seamark::run
