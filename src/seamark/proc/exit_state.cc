#include "seamark/proc/exit_state.h"

#include <fmt/format.h>
#include <signal.h>
#include <sys/wait.h>

namespace seamark::proc {
namespace {

constexpr int kCoreBit = 0x80;

struct SignalName {
  int number;
  const char* name;
};

constexpr SignalName kSignalNames[] = {
    {SIGHUP, "SIGHUP"},   {SIGINT, "SIGINT"},   {SIGQUIT, "SIGQUIT"}, {SIGILL, "SIGILL"},
    {SIGTRAP, "SIGTRAP"}, {SIGABRT, "SIGABRT"}, {SIGBUS, "SIGBUS"},   {SIGFPE, "SIGFPE"},
    {SIGKILL, "SIGKILL"}, {SIGUSR1, "SIGUSR1"}, {SIGSEGV, "SIGSEGV"}, {SIGUSR2, "SIGUSR2"},
    {SIGPIPE, "SIGPIPE"}, {SIGALRM, "SIGALRM"}, {SIGTERM, "SIGTERM"}, {SIGCHLD, "SIGCHLD"},
    {SIGCONT, "SIGCONT"}, {SIGSTOP, "SIGSTOP"}, {SIGTSTP, "SIGTSTP"}, {SIGTTIN, "SIGTTIN"},
    {SIGTTOU, "SIGTTOU"}, {SIGXCPU, "SIGXCPU"}, {SIGXFSZ, "SIGXFSZ"}, {SIGVTALRM, "SIGVTALRM"},
    {SIGPROF, "SIGPROF"}, {SIGSYS, "SIGSYS"},
};

}  // namespace

ExitState ExitState::from_wait_status(int status) {
  if (WIFEXITED(status)) return {Kind::kExited, WEXITSTATUS(status), false};
  if (WIFSIGNALED(status)) return {Kind::kSignalled, WTERMSIG(status), (status & kCoreBit) != 0};
  return {Kind::kExited, 255, false};
}

ExitState ExitState::signalled(int signal, bool core) { return {Kind::kSignalled, signal & 0x7f, core}; }

int ExitState::wait_status() const { return exited() ? number_ << 8 : number_ | (core_ ? kCoreBit : 0); }

std::string ExitState::text() const {
  if (exited()) return fmt::format("exited with code {}", number_);
  return fmt::format("killed by {}{}", signal_name(number_), core_ ? " (core dumped)" : "");
}

std::string signal_name(int signal) {
  for (const SignalName& known : kSignalNames) {
    if (known.number == signal) return known.name;
  }
  return fmt::format("signal {}", signal);
}

}  // namespace seamark::proc
