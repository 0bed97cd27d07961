#include "seamark/usage/input/loss_log.h"

#include <fmt/format.h>

namespace seamark::usage {

void LossLog::lose(Loss loss) {
  ++count_;
  sink_.lose(loss);
  if (!strict_ || stop_) return;
  const std::string place = loss.line == 0 ? loss.file : fmt::format("{}:{}", loss.file, loss.line);
  stop_ = Error(UsageError::kLost, fmt::format("{}: {}", place, loss.what),
                "mend it, or leave out --strict: what is whole is counted then");
}

void LossLog::advance(std::uint64_t bytes) {
  if (!sink_.advance(bytes) && !stop_) stop_ = Error(UsageError::kStopped, "stopped");
}

}  // namespace seamark::usage
