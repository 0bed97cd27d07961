// Between the run and its sink: gathers the attempts of a turn into one commit, and keeps the first error.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
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

  // All outlive this.
  Recorder(AttemptSink& sink, StatusListener& listener, const Clock& clock)
      : sink_(sink), listener_(listener), clock_(clock) {}

  // `progress` outlives this; the listener sees it as it is after the commit.
  void add(Attempt attempt, const TargetProgress& progress);
  // To sink and listener.
  void event(std::string_view kind, const Value& detail);
  // Commits what waits, when it has waited long enough or there is much of it.
  void flush_if_due();
  void flush();
  [[nodiscard]] std::int64_t next_ns() const;
  // The first error of the sink; nothing is written after it.
  [[nodiscard]] const std::optional<Error>& error() const { return error_; }
  [[nodiscard]] std::size_t committed() const { return committed_; }

 private:
  AttemptSink& sink_;
  StatusListener& listener_;
  const Clock& clock_;
  std::vector<Attempt> waiting_;
  std::vector<const TargetProgress*> progress_;
  std::int64_t first_ns_ = 0;
  std::size_t committed_ = 0;
  std::optional<Error> error_;
};

}  // namespace seamark::run
