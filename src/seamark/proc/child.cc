#include "seamark/proc/child.h"

#include <errno.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef __linux__
#include <sys/syscall.h>
#endif

#include <algorithm>
#include <stdexcept>
#include <system_error>

#include "seamark/base/fd.h"
#include "seamark/proc/exit_watch.h"
#include "seamark/proc/spawn.h"
#include "seamark/proc/subreaper.h"

namespace seamark::proc {
namespace {

double seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
}

ResourceUse use_of(const rusage& usage) {
#ifdef __APPLE__
  constexpr std::int64_t kUnit = 1;
#else
  constexpr std::int64_t kUnit = 1024;
#endif
  return {seconds(usage.ru_utime), seconds(usage.ru_stime),
          static_cast<std::int64_t>(usage.ru_maxrss) * kUnit};
}

// Looks at an ended child and leaves its zombie.
std::optional<ExitState> peek(pid_t pid) {
  siginfo_t info{};
  int rc = 0;
  do {
    rc = ::waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WNOWAIT | WNOHANG);
  } while (rc != 0 && errno == EINTR);
  if (rc != 0)
    throw std::system_error(errno, std::generic_category(), "waitid: somebody else reaped a Child");
  if (info.si_pid == 0) return std::nullopt;
  if (info.si_code == CLD_EXITED) return ExitState::exited(info.si_status);
  return ExitState::signalled(info.si_status, info.si_code == CLD_DUMPED);
}

}  // namespace

UniqueFd watch_exit(pid_t pid) {
#ifdef SYS_pidfd_open
  return UniqueFd(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
#else
  static_cast<void>(pid);
  return {};
#endif
}

Result<Child> Child::spawn(const SpawnOptions& options) {
  const Result<pid_t> pid = spawn_process(options);
  if (!pid) return pid.error();
  return Child(*pid);
}

Child::Child(Child&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)), state_(other.state_), usage_(other.usage_) {}

Child::~Child() {
  if (pid_ < 0) return;
  try {
    terminate_now();
  } catch (const std::exception&) {  // NOLINT(bugprone-empty-catch)
    // Somebody else reaped it: nothing is left to do.
  }
}

std::optional<ExitState> Child::try_wait() {
  if (!state_ && pid_ > 0) state_ = peek(pid_);
  return state_;
}

bool Child::signal_group(int signal) const { return pid_ > 0 && ::kill(-pid_, signal) == 0; }

bool Child::group_alive() const {
  if (pid_ < 0) return false;
  const std::vector<ProcessInfo> members = list_group(pid_);
  if (members.empty()) return !state_;  // no /proc
  return std::any_of(members.begin(), members.end(),
                     [](const ProcessInfo& member) { return !member.zombie(); });
}

ExitState Child::reap() {
  if (pid_ < 0) {
    if (!state_) throw std::logic_error("reap() on an empty Child");
    return *state_;
  }
  int status = 0;
  rusage usage{};
  pid_t got = 0;
  do {
    got = ::wait4(pid_, &status, 0, &usage);
  } while (got < 0 && errno == EINTR);
  const int error_number = errno;
  pid_ = -1;
  if (got < 0)
    throw std::system_error(error_number, std::generic_category(), "wait4: somebody else reaped a Child");
  state_ = ExitState::from_wait_status(status);
  usage_ = use_of(usage);
  return *state_;
}

ExitState Child::terminate_now() {
  signal_group(SIGKILL);
  return reap();
}

}  // namespace seamark::proc
