// The programs behind helper().
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#ifdef __linux__
#include <sys/prctl.h>
#endif

#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

namespace {

// Says that the program is where the test wants it.
void say(std::string_view text) {
  if (::write(STDOUT_FILENO, text.data(), text.size()) < 0) ::_exit(99);
}

[[noreturn]] void sleep_for_ever() {
  while (true) ::pause();
}

// Which fds are open, the signals that are blocked or not at their default, the core limit.
void print_state() {
  std::string fds, signals;
  for (int fd = 0; fd < 256; ++fd) {
    if (::fcntl(fd, F_GETFD) >= 0) fds += std::to_string(fd) + " ";
  }
  sigset_t mask;
  ::sigprocmask(SIG_SETMASK, nullptr, &mask);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGCHLD, SIGPIPE, SIGUSR1}) {
    struct sigaction action{};
    ::sigaction(signal, nullptr, &action);
    if (::sigismember(&mask, signal) == 1 || action.sa_handler != SIG_DFL)
      signals += std::to_string(signal) + " ";
  }
  rlimit core{};
  ::getrlimit(RLIMIT_CORE, &core);
  std::printf("fds=%s\nsignals=%s\ncore=%ld\ngroup=%d\n", fds.c_str(), signals.c_str(),
              static_cast<long>(core.rlim_cur), ::getpgrp() == ::getpid() ? 1 : 0);
  std::fflush(stdout);
}

void write_megabytes(int count) {
  const std::string piece(1 << 20, 'x');
  for (int i = 0; i < count; ++i) {
    std::string_view rest = piece;
    while (!rest.empty()) {
      const ssize_t wrote = ::write(STDOUT_FILENO, rest.data(), rest.size());
      if (wrote < 0) ::_exit(99);
      rest.remove_prefix(static_cast<std::size_t>(wrote));
    }
  }
  say("END");
}

void act(std::string_view action) {
#ifdef __linux__
  if (action == "parent-death-signal") {
    int signal = 0;
    ::prctl(PR_GET_PDEATHSIG, &signal);
    ::_exit(signal);
  }
#endif
  if (action == "segv") {
    ::raise(SIGSEGV);
  } else if (action == "segv-by-pointer") {
    volatile int* nowhere = nullptr;
    *nowhere = 1;  // NOLINT(clang-analyzer-core.NullDereference)
  } else if (action == "abort") {
    ::abort();
  } else if (action == "ignore-term") {
    ::signal(SIGTERM, SIG_IGN);
    say("ready");
    sleep_for_ever();
  } else if (action == "state") {
    print_state();
  } else if (action == "flood") {
    write_megabytes(32);
  } else if (action == "hold-memory") {
    std::vector<char> block(std::size_t{64} << 20);
    ::memset(block.data(), 1, block.size());
    say("ready");
    sleep_for_ever();
  } else if (action == "burn") {
    volatile unsigned long sum = 0;
    for (unsigned long i = 0; i < 200'000'000; ++i) sum = sum + i;
  }
}

struct BeforeMain {
  BeforeMain() {
    const char* action = ::getenv("SEAMARK_PROC_HELPER");
    if (action == nullptr) return;
    act(action);
    ::_exit(0);
  }
};

const BeforeMain before_main;

}  // namespace
