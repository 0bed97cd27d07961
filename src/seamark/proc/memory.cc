#include "seamark/proc/memory.h"

#include <fcntl.h>
#include <unistd.h>

#ifdef __linux__
#include <sched.h>
#endif
#ifdef __APPLE__
#include <libproc.h>
#include <sys/sysctl.h>
#endif

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "seamark/base/fd.h"
#include "seamark/base/text.h"
#include "seamark/proc/subreaper.h"

namespace seamark::proc {
namespace {

constexpr std::size_t kSmallFile = std::size_t{256} << 10;

std::optional<std::int64_t> read_number(const std::string& path) {
  const auto text = read_file(path, kSmallFile);
  return text ? parse_int(trim(*text)) : std::nullopt;
}

// Of "key: value kB" lines, in bytes.
std::optional<std::int64_t> read_field(const std::string& path, std::string_view key) {
  const auto text = read_file(path, kSmallFile);
  if (!text) return std::nullopt;
  for (const std::string_view line : split_lines(*text)) {
    const auto words = split_words(line);
    if (words.size() < 2 || words[0] != key) continue;
    const auto number = parse_int(words[1]);
    if (!number) return std::nullopt;
    return words.size() > 2 && words[2] == "kB" ? *number * 1024 : *number;
  }
  return std::nullopt;
}

// The folder of a controller's cgroup and all folders above it, of both versions. Inside a container the path
// that proc/self/cgroup names may not be there; the root of the mount then is the container's own.
std::vector<std::string> cgroup_folders(const std::string& root, std::string_view controller) {
  std::vector<std::string> folders;
  const auto text = read_file(root + "/proc/self/cgroup", kSmallFile);
  if (!text) return folders;
  for (const std::string_view line : split_lines(*text)) {
    // "4:cpu,cpuacct:/path"; version 2 names no controllers. A path may hold colons of its own.
    const std::size_t first = line.find(':');
    const std::size_t second = line.find(':', first + 1);
    if (first == std::string_view::npos || second == std::string_view::npos) continue;
    const std::string_view controllers = line.substr(first + 1, second - first - 1);
    std::string_view path = line.substr(second + 1);
    const auto names = split(controllers, ',');
    if (!controllers.empty() && std::find(names.begin(), names.end(), controller) == names.end()) continue;
    const std::string mount =
        root + "/sys/fs/cgroup" + (controllers.empty() ? "" : fmt::format("/{}", controllers));
    while (path.size() > 1 && path.front() == '/') {
      folders.push_back(mount + std::string(path));
      path = path.substr(0, path.rfind('/'));
    }
    folders.push_back(mount);
    if (!controllers.empty()) folders.push_back(fmt::format("{}/sys/fs/cgroup/{}", root, controller));
  }
  return folders;
}

// The tightest limit of all cgroups that we are in.
std::optional<std::int64_t> cgroup_memory(const std::string& root) {
  std::optional<std::int64_t> tightest;
  for (const std::string& folder : cgroup_folders(root, "memory")) {
    auto limit = read_number(folder + "/memory.max");  // "max" is no number: no limit
    if (!limit) limit = read_number(folder + "/memory.limit_in_bytes");
    if (!limit || *limit <= 0 || (tightest && *tightest <= *limit)) continue;
    tightest = limit;
  }
  return tightest;
}

std::optional<std::int64_t> installed_memory() {
#ifdef __APPLE__
  std::int64_t bytes = 0;
  std::size_t size = sizeof bytes;
  if (::sysctlbyname("hw.memsize", &bytes, &size, nullptr, 0) != 0) return std::nullopt;
  return bytes;
#else
  const long pages = ::sysconf(_SC_PHYS_PAGES);
  const long page_size = ::sysconf(_SC_PAGESIZE);
  if (pages <= 0 || page_size <= 0) return std::nullopt;
  return static_cast<std::int64_t>(pages) * page_size;
#endif
}

// CPUs' worth of time that the cgroups allow.
std::optional<double> cgroup_cpus(const std::string& root) {
  std::optional<double> fewest;
  for (const std::string& folder : cgroup_folders(root, "cpu")) {
    std::optional<std::int64_t> quota, period;
    if (const auto text = read_file(folder + "/cpu.max", kSmallFile)) {
      const auto words = split_words(*text);
      if (words.size() == 2) {
        quota = parse_int(words[0]);
        period = parse_int(words[1]);
      }
    } else {
      quota = read_number(folder + "/cpu.cfs_quota_us");
      period = read_number(folder + "/cpu.cfs_period_us");
    }
    if (!quota || !period || *quota <= 0 || *period <= 0) continue;
    const double cpus = static_cast<double>(*quota) / static_cast<double>(*period);
    if (!fewest || cpus < *fewest) fewest = cpus;
  }
  return fewest;
}

}  // namespace

std::optional<std::int64_t> resident_bytes(pid_t pid) {
#ifdef __APPLE__
  proc_taskinfo info{};
  if (::proc_pidinfo(pid, PROC_PIDTASKINFO, 0, &info, sizeof info) != sizeof info) return std::nullopt;
  return static_cast<std::int64_t>(info.pti_resident_size);
#else
  const UniqueFd fd(::open(fmt::format("/proc/{}/statm", pid).c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd) return std::nullopt;
  char buffer[128];
  const ssize_t got = ::read(fd.get(), buffer, sizeof buffer);
  if (got <= 0) return std::nullopt;
  const auto words = split_words(std::string_view(buffer, static_cast<std::size_t>(got)));
  const auto pages = words.size() > 1 ? parse_int(words[1]) : std::nullopt;
  if (!pages) return std::nullopt;
  return *pages * ::sysconf(_SC_PAGESIZE);
#endif
}

std::int64_t held_bytes(std::span<const ProcessInfo> processes) {
  std::int64_t shares = 0;
  std::int64_t largest = 0;
  for (const ProcessInfo& process : processes) {
    shares += read_field(fmt::format("/proc/{}/smaps_rollup", process.pid), "Pss:").value_or(0);
    largest = std::max(largest, process.resident_bytes);
  }
  return std::max(shares, largest);
}

std::optional<std::int64_t> out_of_memory_kills(const std::string& root) {
  return read_field(root + "/proc/vmstat", "oom_kill");
}

std::optional<std::int64_t> physical_memory_bytes(const std::string& root) {
  const auto installed = installed_memory();
  const auto limit = cgroup_memory(root);
  if (installed && limit) return std::min(*installed, *limit);
  return installed;
}

int usable_cpus(const std::string& root) {
  int cpus = static_cast<int>(std::thread::hardware_concurrency());
#ifdef __linux__
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  if (::sched_getaffinity(0, sizeof allowed, &allowed) == 0) cpus = CPU_COUNT(&allowed);
#endif
  if (const auto quota = cgroup_cpus(root)) cpus = std::min(cpus, static_cast<int>(std::ceil(*quota)));
  return std::max(1, cpus);
}

}  // namespace seamark::proc
