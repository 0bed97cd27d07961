#include "seamark/store/run_owner.h"

#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <fstream>
#include <sstream>

#include "seamark/base/text.h"
#include "seamark/store/store.h"

namespace seamark::store {

namespace {

std::string host_name() {
  std::array<char, 256> name{};
  if (gethostname(name.data(), name.size() - 1) != 0) return "?";
  return replace_all(name.data(), "/", "_");
}

// Clock ticks from boot to the start of the process (Linux), which a reused process id does not share. Empty:
// it has ended, also where nobody has asked for its exit code yet.
std::string start_of(long pid) {
  std::ifstream file(fmt::format("/proc/{}/stat", pid));
  std::stringstream content;
  content << file.rdbuf();
  const std::string line = content.str();
  const std::size_t name_end = line.rfind(')');  // the name may hold anything
  if (name_end == std::string::npos || name_end + 2 > line.size()) return {};
  const std::string rest = line.substr(name_end + 2);
  const std::vector<std::string_view> fields = split_words(rest);
  const bool ended = !fields.empty() && (fields[0] == "Z" || fields[0] == "X");
  return fields.size() > 19 && !ended ? std::string(fields[19]) : std::string();
}

}  // namespace

std::string this_process() {
  const long pid = getpid();
  return fmt::format("{}/{}/{}", host_name(), pid, start_of(pid));
}

long live_owner(std::string_view owner) {
  const std::vector<std::string_view> parts = split(owner, '/');
  if (parts.size() != 3 || parts[0] != host_name()) return 0;
  const std::optional<std::int64_t> pid = parse_int(parts[1]);
  if (!pid || *pid <= 0 || *pid > 0x7fffffff) return 0;
  if (kill(static_cast<pid_t>(*pid), 0) != 0 && errno == ESRCH) return 0;
  if (start_of(static_cast<long>(*pid)) != parts[2]) return 0;
  return static_cast<long>(*pid);
}

Status check_ended(std::string_view uuid, std::string_view owner) {
  const long pid = live_owner(owner);
  if (pid == 0) return {};
  return Error(StoreError::kLocked, fmt::format("run {} is still going on in process {}", uuid, pid),
               "wait for it, or stop it first");
}

}  // namespace seamark::store
