// Where a run's results go. `run` knows no store: cli wires a sink to it.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "seamark/base/result.h"
#include "seamark/model/attempt.h"

namespace seamark::run {

class AttemptSink {
 public:
  virtual ~AttemptSink() = default;
  // Durable when it returns: all attempts or none. An error stops the run (exit code 3).
  virtual Status commit(std::span<const Attempt> attempts) = 0;
  // A fact about the run itself: worker started, died, leaked a process, flip found.
  virtual Status event(std::string_view kind, const Value& detail) = 0;
};

}  // namespace seamark::run
