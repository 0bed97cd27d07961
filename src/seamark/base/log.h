// A log with levels and one sink. There is no global log: who may speak is handed one.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>

namespace seamark {

enum class LogLevel { kError = 1, kWarning = 2, kInfo = 3, kDebug = 4 };
std::string_view name_of(LogLevel level);  // "error", "warning", "info", "debug"

class Log {
 public:
  using Sink = std::function<void(LogLevel level, std::string_view message)>;

  // Drops everything.
  Log() = default;
  // `sink` gets every message at `level` or more serious, without a line end, safe for a terminal.
  Log(LogLevel level, Sink sink) : level_(level), sink_(std::move(sink)) {}
  // "seamark: warning: ..." on stderr, one write a message.
  static Log to_stderr(LogLevel level);

  [[nodiscard]] bool wants(LogLevel level) const { return sink_ != nullptr && level <= level_; }
  void write(LogLevel level, std::string_view message) const;
  void error(std::string_view message) const { write(LogLevel::kError, message); }
  void warning(std::string_view message) const { write(LogLevel::kWarning, message); }
  void info(std::string_view message) const { write(LogLevel::kInfo, message); }
  void debug(std::string_view message) const { write(LogLevel::kDebug, message); }

 private:
  LogLevel level_ = LogLevel::kWarning;
  Sink sink_;
};

}  // namespace seamark
