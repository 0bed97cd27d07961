#include "seamark/proc/subreaper.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef __linux__
#include <sys/prctl.h>
#endif

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <string_view>
#include <thread>
#include <unordered_map>
#include <unordered_set>

#include "seamark/base/fd.h"
#include "seamark/base/text.h"

namespace seamark::proc {
namespace {

struct CloseDir {
  void operator()(DIR* dir) const { ::closedir(dir); }
};

// "1234 (name) S parent group ...": the name may hold anything, so the last ')' counts.
std::optional<ProcessInfo> parse_stat(pid_t pid, std::string_view stat, std::int64_t page_size) {
  constexpr std::size_t kState = 0, kParent = 1, kGroup = 2, kResident = 21;
  const std::size_t open = stat.find('(');
  const std::size_t close = stat.rfind(')');
  if (open == std::string_view::npos || close == std::string_view::npos || close < open) return std::nullopt;
  const std::vector<std::string_view> fields = split_words(stat.substr(close + 1));
  if (fields.size() <= kResident || fields[kState].size() != 1) return std::nullopt;
  const auto parent = parse_int(fields[kParent]);
  const auto group = parse_int(fields[kGroup]);
  const auto pages = parse_int(fields[kResident]);
  if (!parent || !group || !pages) return std::nullopt;
  ProcessInfo info;
  info.pid = pid;
  info.parent = static_cast<pid_t>(*parent);
  info.group = static_cast<pid_t>(*group);
  info.state = fields[kState].front();
  info.name = stat.substr(open + 1, close - open - 1);
  info.resident_bytes = *pages * page_size;
  return info;
}

std::optional<ProcessInfo> read_process(pid_t pid, std::int64_t page_size) {
  const UniqueFd fd(::open(fmt::format("/proc/{}/stat", pid).c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd) return std::nullopt;  // it has ended meanwhile
  char buffer[1024];
  const ssize_t got = ::read(fd.get(), buffer, sizeof buffer);
  if (got <= 0) return std::nullopt;
  return parse_stat(pid, std::string_view(buffer, static_cast<std::size_t>(got)), page_size);
}

using ByParent = std::unordered_multimap<pid_t, const ProcessInfo*>;

ByParent by_parent(const std::vector<ProcessInfo>& processes) {
  ByParent children;
  for (const ProcessInfo& process : processes) children.emplace(process.parent, &process);
  return children;
}

// Everything below `root`, without what is in `without` and below that.
std::vector<ProcessInfo> below(pid_t root, const std::vector<ProcessInfo>& processes,
                               const std::unordered_set<pid_t>& without) {
  const ByParent children = by_parent(processes);
  std::vector<ProcessInfo> found;
  std::unordered_set<pid_t> seen{root};
  std::vector<pid_t> open{root};
  while (!open.empty()) {
    const auto [first, last] = children.equal_range(open.back());
    open.pop_back();
    for (auto at = first; at != last; ++at) {
      const ProcessInfo& child = *at->second;
      if (without.contains(child.pid) || !seen.insert(child.pid).second) continue;
      found.push_back(child);
      open.push_back(child.pid);
    }
  }
  return found;
}

bool reap_one(pid_t pid, int& status) {
  pid_t got = 0;
  do {
    got = ::waitpid(pid, &status, WNOHANG);
  } while (got < 0 && errno == EINTR);
  return got == pid;
}

bool any_child_ended() {
  siginfo_t info{};
  return ::waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid != 0;
}

}  // namespace

bool become_subreaper() {
#ifdef __linux__
  return ::prctl(PR_SET_CHILD_SUBREAPER, 1) == 0;
#else
  return false;
#endif
}

std::vector<ProcessInfo> list_processes() {
  std::vector<ProcessInfo> processes;
  const std::unique_ptr<DIR, CloseDir> folder(::opendir("/proc"));
  if (!folder) return processes;
  const std::int64_t page_size = ::sysconf(_SC_PAGESIZE);
  // NOLINTNEXTLINE(concurrency-mt-unsafe): a stream of our own
  while (const dirent* entry = ::readdir(folder.get())) {
    const auto pid = parse_int(entry->d_name);
    if (!pid) continue;
    if (auto info = read_process(static_cast<pid_t>(*pid), page_size)) processes.push_back(std::move(*info));
  }
  return processes;
}

std::vector<ProcessInfo> list_group(pid_t group) {
  std::vector<ProcessInfo> processes = list_processes();
  std::erase_if(processes, [group](const ProcessInfo& process) { return process.group != group; });
  return processes;
}

std::vector<ProcessInfo> list_descendants(pid_t root) { return below(root, list_processes(), {}); }

std::vector<ProcessInfo> family_of(pid_t root, std::span<const pid_t> groups,
                                   const std::vector<ProcessInfo>& processes) {
  std::unordered_set<pid_t> members{root};
  for (const ProcessInfo& process : below(root, processes, {})) members.insert(process.pid);
  std::vector<ProcessInfo> family;
  for (const ProcessInfo& process : processes) {
    const bool of_group = std::find(groups.begin(), groups.end(), process.group) != groups.end();
    if (!process.zombie() && (of_group || members.contains(process.pid))) family.push_back(process);
  }
  return family;
}

bool kill_group(pid_t group) {
  // 0, 1 and -1 would mean our own group and everybody.
  return group > 1 && ::kill(-group, SIGKILL) == 0;
}

std::vector<Orphan> reap_orphans(std::span<const pid_t> known) {
  std::vector<Orphan> orphans;
  if (!any_child_ended()) return orphans;
  const std::unordered_set<pid_t> ours(known.begin(), known.end());
  const pid_t self = ::getpid();
  for (const ProcessInfo& process : list_processes()) {
    if (process.parent != self || !process.zombie() || ours.contains(process.pid)) continue;
    int status = 0;
    if (reap_one(process.pid, status)) orphans.push_back({process.pid, ExitState::from_wait_status(status)});
  }
  return orphans;
}

std::vector<ProcessInfo> kill_stray_descendants(std::span<const pid_t> known, double timeout_s) {
  using Clock = std::chrono::steady_clock;
  const auto end = Clock::now() + std::chrono::duration<double>(timeout_s);
  const std::unordered_set<pid_t> ours(known.begin(), known.end());
  std::vector<ProcessInfo> killed;
  std::unordered_set<pid_t> killed_pids;
  while (true) {
    const std::vector<ProcessInfo> strays = below(::getpid(), list_processes(), ours);
    if (strays.empty()) return killed;
    for (const ProcessInfo& stray : strays) {
      int status = 0;
      if (stray.parent == ::getpid() && reap_one(stray.pid, status)) continue;
      if (stray.zombie()) continue;  // its parent's to reap, or ours once that has ended
      ::kill(stray.pid, SIGKILL);
      if (killed_pids.insert(stray.pid).second) killed.push_back(stray);
    }
    if (Clock::now() >= end) return killed;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
}

}  // namespace seamark::proc
