#include "seamark/target/hardware.h"

#include <glob.h>
#include <sys/utsname.h>

#include <algorithm>

#include "seamark/base/fd.h"
#include "seamark/base/home.h"
#include "seamark/base/text.h"

namespace seamark::target {
namespace {

constexpr std::size_t kMostOfAFile = 4096;

std::vector<std::string> expand(const std::string& pattern, const std::filesystem::path& root) {
  const std::string whole = (root / std::filesystem::path(pattern).relative_path()).native();
  glob_t found = {};
  std::vector<std::string> paths;
  if (::glob(whole.c_str(), 0, nullptr, &found) == 0) {  // NOLINT(concurrency-mt-unsafe): no ~ and no locale
    paths.assign(found.gl_pathv, found.gl_pathv + found.gl_pathc);
  }
  ::globfree(&found);
  return paths;
}

}  // namespace

std::string system_name() {
  utsname name = {};
  if (::uname(&name) != 0) return "unknown";
  return std::string(name.sysname) + "-" + name.machine;
}

bool is_present(const HardwareCheck& check, const std::filesystem::path& root) {
  if (std::find(check.systems.begin(), check.systems.end(), system_name()) != check.systems.end())
    return true;
  for (const std::string& name : check.variables) {
    if (environment_variable(name)) return true;
  }
  for (const std::string& path : check.paths) {
    if (!expand(path, root).empty()) return true;
  }
  for (const auto& [pattern, text] : check.files_containing) {
    for (const std::string& path : expand(pattern, root)) {
      const Result<std::string> content = read_file(path, kMostOfAFile);
      if (content && content->find(text) != std::string::npos) return true;
    }
  }
  return false;
}

std::string hardware_fingerprint(const std::filesystem::path& root) {
  std::string seen = system_name();
  for (const char* pattern :
       {"/dev/nvidia*", "/dev/dxg", "/dev/kfd", "/dev/dri/*", "/dev/accel*", "/dev/vfio/*"}) {
    for (const std::string& path : expand(pattern, root)) seen += "\n" + path;
  }
  for (const char* file :
       {"/proc/driver/nvidia/version", "/sys/module/amdgpu/version", "/proc/sys/kernel/random/boot_id"}) {
    const Result<std::string> content =
        read_file(root / std::filesystem::path(file).relative_path(), kMostOfAFile);
    if (content) seen += "\n" + *content;
  }
  return seen;
}

}  // namespace seamark::target
