#include "seamark/proc/spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef __linux__
#include <sys/prctl.h>
#include <sys/syscall.h>
#endif

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "seamark/base/fd.h"
#include "seamark/base/home.h"
#include "seamark/base/text.h"

extern char** environ;  // NOLINT: the system's, not declared everywhere

namespace seamark::proc {
namespace {

enum class Stage : int { kFds = 1, kFolder = 2, kExec = 3, kSandbox = 4 };

// What a child that could not exec writes into the status pipe.
struct Failure {
  Stage stage = Stage::kExec;
  int error_number = 0;
};

// Everything that the child needs, as plain C arrays.
struct Prepared {
  std::string path;
  std::vector<std::string> environment;
  std::vector<char*> argv;
  std::vector<char*> envp;
  std::vector<FdMapping> fds;
  int first_free_fd = 3;  // above every fd that the child is to have
  const char* cwd = nullptr;
  bool die_with_parent = false;
  pid_t parent = -1;
  std::optional<SandboxEntry> sandbox;
};

void refuse_nul(std::string_view text) {
  if (text.find('\0') != std::string_view::npos) throw std::invalid_argument("spawn: a NUL inside a string");
}

void remove_variable(std::vector<std::string>& environment, std::string_view name) {
  std::erase_if(environment, [name](const std::string& entry) {
    return entry.size() > name.size() && entry[name.size()] == '=' && entry.starts_with(name);
  });
}

std::vector<std::string> build_environment(const SpawnOptions& options) {
  std::vector<std::string> environment;
  if (options.inherit_environment && environ != nullptr) {
    for (char** entry = environ; *entry != nullptr; ++entry) {
      const std::string_view text = *entry;
      if (options.inherits == nullptr || options.inherits->passes(text.substr(0, text.find('=')))) {
        environment.emplace_back(text);
      }
    }
  }
  for (const auto& [name, value] : options.environment) {
    refuse_nul(name);
    if (name.empty() || name.find('=') != std::string::npos) {
      throw std::invalid_argument("spawn: a bad name of an environment variable");
    }
    remove_variable(environment, name);
    if (!value) continue;
    refuse_nul(*value);
    environment.push_back(fmt::format("{}={}", name, *value));
  }
  return environment;
}

bool is_executable_file(const std::string& path) {
  struct stat info{};
  return ::stat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode) && ::access(path.c_str(), X_OK) == 0;
}

// The path of `name` by the child's PATH; `name` itself when nothing is found, so that exec says why.
std::string look_up(const std::string& name, const std::vector<std::string>& environment) {
  constexpr std::string_view kPrefix = "PATH=";
  std::string_view path = "/usr/local/bin:/usr/bin:/bin";
  for (const std::string& entry : environment) {
    if (entry.starts_with(kPrefix)) path = std::string_view(entry).substr(kPrefix.size());
  }
  for (const std::string_view folder : split(path, ':')) {
    if (folder.empty()) continue;
    std::string candidate = fmt::format("{}/{}", folder, name);
    if (is_executable_file(candidate)) return candidate;
  }
  return {};
}

Error cannot_start(std::string_view what, std::string_view why, std::string_view remedy = {}) {
  return Error(ProcError::kCannotStart, fmt::format("cannot start {}: {}", one_line(what), why),
               std::string(remedy));
}

Result<Prepared> prepare(const SpawnOptions& options) {
  if (options.argv.empty() || options.argv.front().empty()) throw std::invalid_argument("spawn: no program");
  for (const std::string& argument : options.argv) refuse_nul(argument);
  refuse_nul(options.cwd);

  Prepared prepared;
  prepared.environment = build_environment(options);
  const std::string& program = options.argv.front();
  prepared.path = program.find('/') != std::string::npos ? program : look_up(program, prepared.environment);
  if (prepared.path.empty()) {
    return cannot_start(program, "no such program in PATH", "install it, or give its path");
  }
  for (const std::string& argument : options.argv)
    prepared.argv.push_back(const_cast<char*>(argument.c_str()));  // NOLINT(*-const-cast): execve's type
  prepared.argv.push_back(nullptr);
  for (std::string& entry : prepared.environment) prepared.envp.push_back(entry.data());
  prepared.envp.push_back(nullptr);
  prepared.fds = options.fds;
  for (const FdMapping& mapping : prepared.fds) {
    if (mapping.parent_fd < 0 || mapping.child_fd < 0) throw std::invalid_argument("spawn: a negative fd");
    prepared.first_free_fd = std::max(prepared.first_free_fd, mapping.child_fd + 1);
  }
  if (!options.cwd.empty()) prepared.cwd = options.cwd.c_str();
  prepared.die_with_parent = options.die_with_parent;
  prepared.parent = ::getpid();
  if (!options.sandbox.empty()) prepared.sandbox.emplace(options.sandbox);
  return prepared;
}

// ---- in the child: async-signal-safe calls only ----

[[noreturn]] void give_up(int status_fd, Stage stage) {
  const Failure failure{stage, errno};
  while (::write(status_fd, &failure, sizeof failure) < 0 && errno == EINTR) {
  }
  ::_exit(127);
}

void close_on_exec_above_stderr() {
#ifdef SYS_close_range
  constexpr unsigned kCloseOnExec = 1U << 2;
  if (::syscall(SYS_close_range, 3U, ~0U, kCloseOnExec) == 0) return;
#endif
  // The highest number that is likely to be used: asking for each of a million takes too long.
  rlimit limit{};
  int end = 65536;
  if (::getrlimit(RLIMIT_NOFILE, &limit) == 0 && std::cmp_less(limit.rlim_cur, end)) {
    end = static_cast<int>(limit.rlim_cur);
  }
  for (int fd = 3; fd < end; ++fd) ::fcntl(fd, F_SETFD, FD_CLOEXEC);
}

void place_fds(Prepared& prepared, int& status_fd) {
  // First all out of the way, so that no mapping overwrites what another still needs.
  const int moved = ::fcntl(status_fd, F_DUPFD_CLOEXEC, prepared.first_free_fd);
  if (moved < 0) give_up(status_fd, Stage::kFds);
  status_fd = moved;
  for (FdMapping& mapping : prepared.fds) {
    mapping.parent_fd = ::fcntl(mapping.parent_fd, F_DUPFD_CLOEXEC, prepared.first_free_fd);
    if (mapping.parent_fd < 0) give_up(status_fd, Stage::kFds);
  }
  close_on_exec_above_stderr();
  bool stdin_mapped = false;
  for (const FdMapping& mapping : prepared.fds) {
    if (::dup2(mapping.parent_fd, mapping.child_fd) < 0) give_up(status_fd, Stage::kFds);
    stdin_mapped = stdin_mapped || mapping.child_fd == 0;
  }
  if (stdin_mapped) return;
  const int null_fd = ::open("/dev/null", O_RDONLY);
  if (null_fd < 0) give_up(status_fd, Stage::kFds);
  if (null_fd == 0) return;
  if (::dup2(null_fd, 0) < 0) give_up(status_fd, Stage::kFds);
  // It may have landed on 1 or 2 where those were closed; a mapped fd is never free to land on.
  ::close(null_fd);
}

void reset_signals() {
  struct sigaction standard{};
  standard.sa_handler = SIG_DFL;
  for (int signal = 1; signal < NSIG; ++signal) ::sigaction(signal, &standard, nullptr);
  sigset_t none;
  ::sigemptyset(&none);
  ::pthread_sigmask(SIG_SETMASK, &none, nullptr);
}

[[noreturn]] void become(Prepared& prepared, int status_fd) {
  ::setpgid(0, 0);
  // First of all: new rights take the parent-death signal away.
  if (prepared.sandbox && prepared.sandbox->enter() != nullptr) give_up(status_fd, Stage::kSandbox);
#ifdef __linux__
  if (prepared.die_with_parent) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != prepared.parent) ::_exit(127);  // it died before
  }
#endif
  place_fds(prepared, status_fd);
  if (prepared.cwd != nullptr && ::chdir(prepared.cwd) != 0) give_up(status_fd, Stage::kFolder);
  const rlimit no_core{0, 0};
  ::setrlimit(RLIMIT_CORE, &no_core);
  reset_signals();
  ::execve(prepared.path.c_str(), prepared.argv.data(), prepared.envp.data());
  give_up(status_fd, Stage::kExec);
}

// ---- in the parent again ----

// Keeps every signal from the short time between fork and exec: a handler of the parent must not run in
// the child.
class BlockSignals {
 public:
  BlockSignals() {
    sigset_t all;
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &old_);
  }
  BlockSignals(const BlockSignals&) = delete;
  BlockSignals& operator=(const BlockSignals&) = delete;
  ~BlockSignals() { ::pthread_sigmask(SIG_SETMASK, &old_, nullptr); }

 private:
  sigset_t old_{};
};

std::optional<Failure> read_failure(int status_fd) {
  Failure failure;
  ssize_t got = 0;
  do {
    got = ::read(status_fd, &failure, sizeof failure);
  } while (got < 0 && errno == EINTR);
  if (std::cmp_equal(got, sizeof failure)) return failure;
  return std::nullopt;  // end of file: exec closed it
}

std::string reason(int error_number) { return std::generic_category().message(error_number); }

Error explain(const Failure& failure, const SpawnOptions& options, const Prepared& prepared) {
  switch (failure.stage) {
    case Stage::kFolder:
      return cannot_start(options.argv.front(), fmt::format("working folder {}: {}", one_line(options.cwd),
                                                            reason(failure.error_number)));
    case Stage::kExec: {
      const bool there = ::access(prepared.path.c_str(), F_OK) == 0;
      if (failure.error_number == ENOENT && there && prepared.cwd == nullptr) {
        return cannot_start(prepared.path, "its interpreter or loader is missing");
      }
      if (failure.error_number == ENOEXEC) return cannot_start(prepared.path, "not a program of this system");
      return cannot_start(prepared.path, reason(failure.error_number));
    }
    case Stage::kSandbox:
      return Error(ProcError::kSystem, fmt::format("cannot start {}: its sandbox: {}",
                                                   one_line(prepared.path), reason(failure.error_number)));
    case Stage::kFds:
      break;
  }
  return Error(ProcError::kSystem, fmt::format("cannot start {}: descriptors: {}", one_line(prepared.path),
                                               reason(failure.error_number)));
}

}  // namespace

Result<pid_t> spawn_process(const SpawnOptions& options) {
  Result<Prepared> prepared = prepare(options);
  if (!prepared) return prepared.error();
  Result<Pipe> status = make_pipe();
  if (!status) return Error(ProcError::kSystem, status.error().message());

  pid_t pid = -1;
  {
    const BlockSignals blocked;
    pid = ::fork();
    if (pid == 0) become(*prepared, status->write.get());
  }
  if (pid < 0) {
    return Error(ProcError::kSystem, fmt::format("cannot start a process: {}", reason(errno)),
                 "fewer processes at once (ulimit -u), or more memory");
  }
  ::setpgid(pid, pid);  // fails once the child has done it and exec'd: then it is done
  status->write.reset();
  if (const auto failure = read_failure(status->read.get())) {
    while (::waitpid(pid, nullptr, 0) < 0 && errno == EINTR) {
    }
    return explain(*failure, options, *prepared);
  }
  return pid;
}

}  // namespace seamark::proc
