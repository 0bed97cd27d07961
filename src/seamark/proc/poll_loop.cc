#include "seamark/proc/poll_loop.h"

#include <errno.h>
#include <signal.h>
#include <time.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <system_error>

namespace seamark::proc {
namespace {

constexpr double kLongestWaitSeconds = 1e6;  // keeps the arithmetic away from overflow

// The mask counts where ppoll is; elsewhere the self-pipe wakes the wait.
int poll_with_mask(std::vector<pollfd>& fds, std::optional<double> timeout_s,
                   [[maybe_unused]] const sigset_t* mask) {
#if defined(__linux__) || defined(__FreeBSD__)
  timespec time{};
  if (timeout_s) {
    const double whole = std::floor(*timeout_s);
    time.tv_sec = static_cast<time_t>(whole);
    time.tv_nsec = std::min(999'999'999L, static_cast<long>((*timeout_s - whole) * 1e9));
  }
  return ::ppoll(fds.data(), fds.size(), timeout_s ? &time : nullptr, mask);
#else
  const int ms = timeout_s ? static_cast<int>(std::ceil(*timeout_s * 1e3)) : -1;
  return ::poll(fds.data(), static_cast<nfds_t>(fds.size()), ms);
#endif
}

}  // namespace

PollLoop::PollLoop(Signals* signals) : signals_(signals) {}

void PollLoop::watch(int fd, std::uint64_t tag, bool read, bool write) {
  if (fd < 0) throw std::invalid_argument("PollLoop::watch: a negative fd");
  const auto events = static_cast<short>((read ? POLLIN : 0) | (write ? POLLOUT : 0));
  for (Entry& entry : entries_) {
    if (entry.fd != fd) continue;
    entry = {fd, events, tag};
    return;
  }
  entries_.push_back({fd, events, tag});
}

void PollLoop::unwatch(int fd) {
  std::erase_if(entries_, [fd](const Entry& entry) { return entry.fd == fd; });
}

int PollLoop::poll_once(std::optional<double> timeout_s) {
  if (timeout_s) timeout_s = std::clamp(*timeout_s, 0.0, kLongestWaitSeconds);
  return poll_with_mask(polled_, timeout_s, signals_ != nullptr ? signals_->wait_mask() : nullptr);
}

std::span<const PollEvent> PollLoop::wait(std::optional<double> timeout_s) {
  ready_.clear();
  polled_.clear();
  for (const Entry& entry : entries_) polled_.push_back({entry.fd, entry.events, 0});
  const int wakeup = signals_ != nullptr ? signals_->wakeup_fd() : -1;
  if (wakeup >= 0) polled_.push_back({wakeup, POLLIN, 0});

  const int count = poll_once(timeout_s);
  if (count < 0) {
    if (errno == EINTR || errno == EAGAIN) return {};
    throw std::system_error(errno, std::generic_category(), "poll");
  }
  if (wakeup >= 0 && polled_.back().revents != 0) signals_->drain_wakeup();
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    const short got = polled_[i].revents;
    if (got == 0) continue;
    if ((got & POLLNVAL) != 0) {
      throw std::system_error(EBADF, std::generic_category(), "PollLoop: a watched fd was closed");
    }
    const bool broken = (got & (POLLERR | POLLHUP)) != 0;
    PollEvent event{entries_[i].fd, entries_[i].tag, false, false};
    event.readable = (got & POLLIN) != 0 || (broken && (entries_[i].events & POLLIN) != 0);
    event.writable = (got & POLLOUT) != 0 || (broken && (entries_[i].events & POLLOUT) != 0);
    // Watched for nothing, yet broken: it must be told, or the wait spins.
    if (!event.readable && !event.writable) event.readable = true;
    ready_.push_back(event);
  }
  return ready_;
}

}  // namespace seamark::proc
