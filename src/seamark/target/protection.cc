#include "seamark/target/protection.h"

#include <errno.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <system_error>

namespace seamark::target {
namespace {

std::filesystem::path resolved(const std::filesystem::path& path) {
  std::error_code error;
  std::filesystem::path plain = std::filesystem::weakly_canonical(path, error);
  return error ? path : plain;
}

Safeguard missing(std::string what, std::string reason, std::string remedy = {}) {
  return {std::move(what), false, std::move(reason), std::move(remedy)};
}

Safeguard refused(std::string what, const proc::SandboxTrial& trial) {
#ifdef __linux__
  const int number = trial.error_number;
  std::string reason =
      fmt::format("the system refuses to {}: {}", trial.step, std::generic_category().message(number));
  if (number == ENOSYS) return missing(std::move(what), std::move(reason), "Linux 5.12 or newer");
  return missing(std::move(what), std::move(reason),
                 "permit user namespaces: sysctl user.max_user_namespaces, kernel.unprivileged_userns_clone "
                 "(Debian), kernel.apparmor_restrict_unprivileged_userns (Ubuntu); in a container its "
                 "seccomp profile");
#else
  (void)trial;
  return missing(std::move(what), "only Linux has namespaces");
#endif
}

Safeguard close_home(proc::Sandbox& sandbox, const std::optional<std::string>& home,
                     const std::filesystem::path& temporary) {
  const std::string what = "home folder read-only";
  const std::filesystem::path folder = resolved(home.value_or(""));
  std::error_code error;
  if (!home || !folder.is_absolute() || !std::filesystem::is_directory(folder, error)) {
    return missing(what, "HOME names no folder", "set HOME");
  }
  if (folder == folder.root_path() || folder == resolved(temporary)) {
    return missing(what, fmt::format("HOME is {}, where workers write", folder.native()),
                   "set HOME to a folder of your own");
  }
  proc::Sandbox wanted;
  wanted.read_only = folder.native();
  if (is_within(temporary, folder)) wanted.writable.push_back(resolved(temporary).native());
  const proc::SandboxTrial trial = proc::try_sandbox(wanted);
  if (!trial.permitted) return refused(what, trial);
  sandbox.read_only = std::move(wanted.read_only);
  sandbox.writable = std::move(wanted.writable);
  return {what, true, fmt::format("a mount namespace; {}", sandbox.read_only), {}};
}

Safeguard cut_network(proc::Sandbox& sandbox) {
  const std::string what = "no network but the loopback";
  proc::Sandbox wanted;
  wanted.no_network = true;
  const proc::SandboxTrial trial = proc::try_sandbox(wanted);
  if (!trial.permitted) return refused(what, trial);
  sandbox.no_network = true;
  return {what, true, "a network namespace; targets with `network = true` keep the network", {}};
}

Safeguard watched_memory() {
  const std::string what = "memory of all processes of a case";
  if (::access("/proc/self/smaps_rollup", R_OK) == 0) {
    return {what, true, "looked at ten times a second; pages that several share count once", {}};
  }
  return missing(what, "the system does not tell what processes share: the largest alone counts");
}

Safeguard found_processes() {
  const std::string what = "processes that a case leaves behind are ended";
#ifdef __linux__
  return {what, true, "those in groups of their own too", {}};
#else
  return missing(what, "only what stays in its process group is found");
#endif
}

}  // namespace

bool is_within(const std::filesystem::path& path, const std::filesystem::path& folder) {
  const std::filesystem::path inner = resolved(path);
  const std::filesystem::path outer = resolved(folder);
  return std::mismatch(outer.begin(), outer.end(), inner.begin(), inner.end()).first == outer.end();
}

Protection find_protection(const std::optional<std::string>& home, const std::filesystem::path& temporary) {
  Protection protection;
  std::vector<Safeguard>& all = protection.safeguards;
  all.push_back(close_home(protection.sandbox, home, temporary));
  all.push_back(cut_network(protection.sandbox));
  all.push_back(
      {"a stated environment", true, "what data/worker_environment.toml lists, and --pass-env", {}});
  all.push_back(watched_memory());
  all.push_back(found_processes());
  return protection;
}

}  // namespace seamark::target
