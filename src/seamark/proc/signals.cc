#include "seamark/proc/signals.h"

#include <errno.h>
#include <unistd.h>

#include <atomic>
#include <stdexcept>
#include <system_error>

namespace seamark::proc {
namespace {

constexpr int kHandled[] = {SIGINT, SIGTERM, SIGHUP, SIGCHLD};

// A handler gets no context: this state of the one Signals object cannot live inside it.
// NOLINTBEGIN(cppcoreguidelines-avoid-non-const-global-variables)
std::atomic<bool> g_exists{false};
std::atomic<int> g_interrupts{0};
std::atomic<bool> g_child_ended{false};
std::atomic<int> g_wakeup_fd{-1};
// NOLINTEND(cppcoreguidelines-avoid-non-const-global-variables)
static_assert(std::atomic<int>::is_always_lock_free && std::atomic<bool>::is_always_lock_free);

void on_signal(int signal) {
  const int saved = errno;
  if (signal == SIGCHLD) {
    g_child_ended = true;
  } else {
    ++g_interrupts;
  }
  if (const int fd = g_wakeup_fd; fd >= 0) {
    const char byte = 0;
    // A full pipe wakes just as well.
    [[maybe_unused]] const ssize_t wrote = ::write(fd, &byte, 1);
  }
  errno = saved;
}

void must(int rc, const char* what) {
  if (rc != 0) throw std::system_error(errno, std::generic_category(), what);
}

constexpr bool kHavePpoll =
#if defined(__linux__) || defined(__FreeBSD__)
    true;
#else
    false;
#endif

Pipe make_self_pipe() {
  Result<Pipe> pipe = make_pipe();
  if (!pipe) throw std::runtime_error(pipe.error().message());
  for (const int fd : {pipe->read.get(), pipe->write.get()}) {
    if (Status set = set_nonblocking(fd); !set) throw std::runtime_error(set.error().message());
  }
  return std::move(*pipe);
}

}  // namespace

Signals::Signals(Method method) {
  static_assert(sizeof kHandled / sizeof *kHandled == kCount);
  const bool use_pipe = method == Method::kSelfPipe || !kHavePpoll;
  if (use_pipe) self_pipe_ = make_self_pipe();
  if (g_exists.exchange(true)) throw std::logic_error("there is a Signals object already");
  g_interrupts = 0;
  g_child_ended = false;
  g_wakeup_fd = self_pipe_.write.get();

  struct sigaction action{};
  action.sa_handler = on_signal;
  ::sigemptyset(&action.sa_mask);
  for (const int signal : kHandled) ::sigaddset(&action.sa_mask, signal);
  action.sa_flags = SA_NOCLDSTOP | (use_pipe ? SA_RESTART : 0);

  sigset_t handled = action.sa_mask;
  must(::pthread_sigmask(use_pipe ? SIG_UNBLOCK : SIG_BLOCK, &handled, &old_mask_), "pthread_sigmask");
  wait_mask_ = old_mask_;
  for (int i = 0; i < kCount; ++i) {
    ::sigdelset(&wait_mask_, kHandled[i]);
    must(::sigaction(kHandled[i], nullptr, &old_actions_[i]), "sigaction");
    if (kHandled[i] == SIGHUP && old_actions_[i].sa_handler == SIG_IGN) continue;
    must(::sigaction(kHandled[i], &action, nullptr), "sigaction");
  }
  struct sigaction ignore{};
  ignore.sa_handler = SIG_IGN;
  must(::sigaction(SIGPIPE, &ignore, &old_pipe_action_), "sigaction");
}

Signals::~Signals() {
  // What is pending is taken by our handlers, not by the old ones: it was meant for us.
  sigset_t pending_mask = wait_mask_;
  ::pthread_sigmask(SIG_SETMASK, &pending_mask, nullptr);
  for (int i = 0; i < kCount; ++i) ::sigaction(kHandled[i], &old_actions_[i], nullptr);
  ::sigaction(SIGPIPE, &old_pipe_action_, nullptr);
  ::pthread_sigmask(SIG_SETMASK, &old_mask_, nullptr);
  g_wakeup_fd = -1;
  g_exists = false;
}

int Signals::interrupts() const { return g_interrupts; }

bool Signals::take_child_ended() { return g_child_ended.exchange(false); }

void Signals::drain_wakeup() {
  if (!self_pipe_.read) return;
  std::string bytes;
  static_cast<void>(read_available(self_pipe_.read.get(), bytes));
}

}  // namespace seamark::proc
