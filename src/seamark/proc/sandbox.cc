#include "seamark/proc/sandbox.h"

#include <errno.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef __linux__
#include <fcntl.h>
#include <linux/capability.h>
#include <net/if.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#endif

#include <fmt/format.h>

#include <cstdint>
#include <cstring>

#include "seamark/base/fd.h"

namespace seamark::proc {

SandboxEntry::SandboxEntry(const Sandbox& sandbox)
    : sandbox_{sandbox.read_only, sandbox.writable, sandbox.no_network},
      user_map_(fmt::format("{0} {0} 1", ::geteuid())),
      group_map_(fmt::format("{0} {0} 1", ::getegid())) {}

#ifdef __linux__

namespace {

constexpr const char* kNames = "make namespaces";
constexpr const char* kFolder = "make a folder read-only";
constexpr const char* kLoopback = "bring up the loopback";

// As linux/mount.h has it since Linux 5.12; that header and sys/mount.h exclude each other in some versions.
struct MountAttributes {
  std::uint64_t set = 0;
  std::uint64_t clear = 0;
  std::uint64_t propagation = 0;
  std::uint64_t user_namespace = 0;
};
constexpr std::uint64_t kReadOnly = 1;
constexpr unsigned kWithAllBelow = 0x8000;
constexpr long kMountSetattr = 442;

bool change_mount(const char* path, unsigned flags, const MountAttributes& attributes) {
  return ::syscall(kMountSetattr, AT_FDCWD, path, flags, &attributes, sizeof attributes) == 0;
}

bool put(const char* path, const char* bytes, std::size_t size) {
  const int fd = ::open(path, O_WRONLY | O_CLOEXEC);
  if (fd < 0) return false;
  const bool done = ::write(fd, bytes, size) == static_cast<ssize_t>(size);
  const int error_number = errno;
  ::close(fd);
  errno = error_number;
  return done;
}

bool bring_up_loopback() {
  const int fd = ::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return false;
  ifreq request{};
  ::strcpy(request.ifr_name, "lo");  // NOLINT(*insecureAPI.strcpy): three bytes of sixteen
  request.ifr_flags = IFF_UP;        // NOLINT(*-union-access): the system's type
  const bool done = ::ioctl(fd, SIOCSIFFLAGS, &request) == 0;
  const int error_number = errno;
  ::close(fd);
  errno = error_number;
  return done;
}

// By these root could undo what stands above, go around it, or read the memory of who is outside.
void drop_capabilities() {
  constexpr int kPerfmon = 38;  // Linux 5.8
  for (const int capability : {CAP_SYS_ADMIN, CAP_SYS_PTRACE, CAP_DAC_READ_SEARCH, kPerfmon}) {
    ::prctl(PR_CAPBSET_DROP, capability, 0, 0, 0);
  }
}

}  // namespace

// Who may not make them gets them below a user namespace, in which nobody's number changes.
const char* SandboxEntry::make_namespaces() const {
  const int flags = (sandbox_.read_only.empty() ? 0 : CLONE_NEWNS) | (sandbox_.no_network ? CLONE_NEWNET : 0);
  if (::unshare(flags) == 0) return nullptr;
  if (errno != EPERM || ::unshare(flags | CLONE_NEWUSER) != 0) return kNames;
  if (!put("/proc/self/setgroups", "deny", 4) && errno != ENOENT) return kNames;
  if (!put("/proc/self/uid_map", user_map_.c_str(), user_map_.size())) return kNames;
  return put("/proc/self/gid_map", group_map_.c_str(), group_map_.size()) ? nullptr : kNames;
}

const char* SandboxEntry::close_folder() const {
  const char* const folder = sandbox_.read_only.c_str();
  if (::mount(nullptr, "/", nullptr, MS_REC | MS_SLAVE, nullptr) != 0) return kFolder;
  if (::mount(folder, folder, nullptr, MS_BIND | MS_REC, nullptr) != 0) return kFolder;
  if (!change_mount(folder, kWithAllBelow, {.set = kReadOnly})) return kFolder;
  for (const std::string& open : sandbox_.writable) {
    const char* const path = open.c_str();
    if (::mount(path, path, nullptr, MS_BIND, nullptr) != 0) return kFolder;
    if (!change_mount(path, 0, {.clear = kReadOnly})) return kFolder;
  }
  return nullptr;
}

const char* SandboxEntry::enter() const {
  if (sandbox_.empty()) return nullptr;
  if (const char* const refused = make_namespaces()) return refused;
  if (sandbox_.no_network && !bring_up_loopback()) return kLoopback;
  if (!sandbox_.read_only.empty()) {
    if (const char* const refused = close_folder()) return refused;
  }
  drop_capabilities();
  return nullptr;
}

#else

const char* SandboxEntry::enter() const {
  errno = ENOSYS;
  return sandbox_.empty() ? nullptr : "make namespaces";
}

#endif

SandboxTrial try_sandbox(const Sandbox& sandbox) {
  const SandboxEntry entry(sandbox);
  SandboxTrial trial;
  struct Answer {
    int error_number = 0;
    char step[60] = {};
  } answer;
  const auto refused = [&](const char* step, int error_number) {
    trial.step = step;
    trial.error_number = error_number;
    return trial;
  };
  Result<Pipe> pipe = make_pipe();
  if (!pipe) return refused("make a pipe", EMFILE);
  const pid_t child = ::fork();
  if (child < 0) return refused("start a process", errno);
  if (child == 0) {
    const char* const step = entry.enter();
    answer.error_number = errno;
    if (step == nullptr) ::_exit(0);
    ::strncpy(answer.step, step, sizeof answer.step - 1);  // NOLINT(*insecureAPI.strcpy): bounded, zeroed
    const ssize_t written = ::write(pipe->write.get(), &answer, sizeof answer);
    ::_exit(written > 0 ? 1 : 2);
  }
  pipe->write.reset();
  const bool told = ::read(pipe->read.get(), &answer, sizeof answer) == static_cast<ssize_t>(sizeof answer);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (told) return refused(answer.step, answer.error_number);
  trial.permitted = WIFEXITED(status) && WEXITSTATUS(status) == 0;
  if (!trial.permitted) return refused("try it", 0);
  return trial;
}

}  // namespace seamark::proc
