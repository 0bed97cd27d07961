#include "seamark/base/log.h"

#include <fmt/format.h>
#include <unistd.h>

#include "seamark/base/fd.h"
#include "seamark/base/text.h"

namespace seamark {

std::string_view name_of(LogLevel level) {
  switch (level) {
    case LogLevel::kError:
      return "error";
    case LogLevel::kWarning:
      return "warning";
    case LogLevel::kInfo:
      return "info";
    case LogLevel::kDebug:
      break;
  }
  return "debug";
}

Log Log::to_stderr(LogLevel level) {
  return Log(level, [](LogLevel at, std::string_view message) {
    // Nothing can be said about a stderr that cannot be written.
    static_cast<void>(write_all(STDERR_FILENO, fmt::format("seamark: {}: {}\n", name_of(at), message)));
  });
}

void Log::write(LogLevel level, std::string_view message) const {
  if (!wants(level)) return;
  const std::string safe = plain_text(message);
  std::string_view text = safe;
  while (!text.empty() && text.back() == '\n') text.remove_suffix(1);
  sink_(level, text);
}

}  // namespace seamark
