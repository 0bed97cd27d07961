#include "seamark/base/home.h"

#include <pwd.h>
#include <stdlib.h>
#include <unistd.h>

#include <string>
#include <system_error>
#include <vector>

#ifdef __APPLE__
#include <mach-o/dyld.h>
#endif

#include <fmt/format.h>

#include "seamark/base/text.h"

namespace seamark {
namespace {

namespace fs = std::filesystem;

bool is_home(const fs::path& folder) {
  std::error_code ignored;
  return fs::is_directory(folder / "data", ignored) && fs::is_directory(folder / "python", ignored);
}

fs::path canonical_or_same(const fs::path& path) {
  std::error_code error;
  fs::path canonical = fs::canonical(path, error);
  return error ? path : canonical;
}

fs::path home_folder() {
  if (const auto home = environment_variable("HOME")) return *home;
  // NOLINTNEXTLINE(concurrency-mt-unsafe): asked once, at start
  if (const passwd* entry = ::getpwuid(::getuid()); entry != nullptr && entry->pw_dir != nullptr) {
    return entry->pw_dir;
  }
  return {};
}

}  // namespace

std::optional<std::string> environment_variable(std::string_view name) {
  const char* value = ::getenv(std::string(name).c_str());  // NOLINT(concurrency-mt-unsafe)
  if (value == nullptr || *value == '\0') return std::nullopt;
  return std::string(value);
}

fs::path executable_path() {
#ifdef __APPLE__
  std::uint32_t size = 0;
  ::_NSGetExecutablePath(nullptr, &size);
  std::string buffer(size, '\0');
  if (::_NSGetExecutablePath(buffer.data(), &size) != 0) return {};
  return canonical_or_same(fs::path(buffer.c_str()));
#else
  for (const char* link : {"/proc/self/exe", "/proc/curproc/file"}) {
    std::error_code error;
    fs::path path = fs::read_symlink(link, error);
    if (!error) return canonical_or_same(path);
  }
  return {};
#endif
}

Result<fs::path> find_home(const HomeQuery& query) {
  if (query.override_path) {
    if (is_home(*query.override_path)) return canonical_or_same(*query.override_path);
    return Error(HomeError::kNotFound,
                 fmt::format("SEAMARK_HOME is {}, which does not hold the folders data and python",
                             one_line(*query.override_path)),
                 "unset it, or set it to the folder that holds both");
  }
  std::vector<fs::path> places;
  if (query.executable.has_parent_path()) {
    const fs::path folder = query.executable.parent_path();
    places.push_back(folder / ".." / "_home");
    places.push_back(folder / ".." / "share" / "seamark");
  }
  if (!query.source_dir.empty()) places.push_back(query.source_dir);
  std::vector<std::string> tried;
  for (const fs::path& place : places) {
    if (is_home(place)) return canonical_or_same(place);
    tried.push_back(one_line(place.lexically_normal().native()));
  }
  return Error(HomeError::kNotFound,
               fmt::format("cannot find Seamark's own files (the folders data and python); looked in {}",
                           tried.empty() ? "no place" : join(std::span<const std::string>(tried), ", ")),
               "install Seamark again, or set SEAMARK_HOME to the folder that holds both");
}

Result<fs::path> find_home() {
  HomeQuery query;
  query.override_path = environment_variable("SEAMARK_HOME");
  query.executable = executable_path();
#ifdef SEAMARK_SOURCE_DIR
  query.source_dir = SEAMARK_SOURCE_DIR;
#endif
  return find_home(query);
}

fs::path user_cache_dir() {
  if (const auto own = environment_variable("SEAMARK_CACHE")) return *own;
  if (const auto xdg = environment_variable("XDG_CACHE_HOME"); xdg && fs::path(*xdg).is_absolute()) {
    return fs::path(*xdg) / "seamark";
  }
  const fs::path home = home_folder();
  if (home.empty()) {
    std::error_code ignored;
    return fs::temp_directory_path(ignored) / fmt::format("seamark-{}", ::getuid());
  }
#ifdef __APPLE__
  return home / "Library" / "Caches" / "seamark";
#else
  return home / ".cache" / "seamark";
#endif
}

fs::path user_state_dir() {
  if (const auto xdg = environment_variable("XDG_STATE_HOME"); xdg && fs::path(*xdg).is_absolute()) {
    return fs::path(*xdg) / "seamark";
  }
  const fs::path home = home_folder();
  if (home.empty()) return {};
#ifdef __APPLE__
  return home / "Library" / "Application Support" / "seamark";
#else
  return home / ".local" / "state" / "seamark";
#endif
}

}  // namespace seamark
