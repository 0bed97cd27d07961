// How a process ended: a wait status as a plain value.
#pragma once

#include <string>
#include <string_view>

namespace seamark::proc {

class ExitState {
 public:
  // From waitpid()'s status or the wire's `reaped`; a status that is neither (stopped) is exited(255).
  static ExitState from_wait_status(int status);
  static ExitState exited(int code) { return from_wait_status((code & 0xff) << 8); }
  static ExitState signalled(int signal, bool core = false);

  [[nodiscard]] bool success() const { return kind_ == Kind::kExited && number_ == 0; }
  [[nodiscard]] bool exited() const { return kind_ == Kind::kExited; }
  [[nodiscard]] bool signalled() const { return kind_ == Kind::kSignalled; }
  [[nodiscard]] int code() const { return exited() ? number_ : 0; }       // 0 when signalled
  [[nodiscard]] int signal() const { return signalled() ? number_ : 0; }  // 0 when exited
  [[nodiscard]] bool core_dumped() const { return core_; }
  // The status as waitpid() gives it, for the store.
  [[nodiscard]] int wait_status() const;
  // As a shell's $?: the code, or 128 + signal.
  [[nodiscard]] int shell_code() const { return exited() ? number_ : 128 + number_; }
  // "exited with code 3", "killed by SIGSEGV", "killed by SIGABRT (core dumped)".
  [[nodiscard]] std::string text() const;

  friend bool operator==(const ExitState&, const ExitState&) = default;

 private:
  enum class Kind { kExited, kSignalled };
  ExitState(Kind kind, int number, bool core) : kind_(kind), number_(number), core_(core) {}
  Kind kind_;
  int number_;
  bool core_;
};

// "SIGSEGV"; "signal 77" for one without a name.
[[nodiscard]] std::string signal_name(int signal);

}  // namespace seamark::proc
