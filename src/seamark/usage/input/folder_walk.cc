#include "seamark/usage/input/folder_walk.h"

#include <sys/stat.h>

#include <algorithm>
#include <array>

#include "seamark/base/text.h"

namespace seamark::usage {
namespace {

namespace fs = std::filesystem;

// .ipynb_checkpoints: Jupyter's second copies.
constexpr std::array<std::string_view, 8> kPassedOver = {
    ".git", ".hg", ".svn", "__pycache__", "node_modules", ".tox", ".nox", ".ipynb_checkpoints"};
// What makes a folder an environment of its own: venv and virtualenv, conda.
constexpr std::array<const char*, 2> kEnvironmentMarks = {"pyvenv.cfg", "conda-meta"};

bool is_there(const fs::path& path) {
  struct stat info{};
  return ::lstat(path.c_str(), &info) == 0;
}

bool is_passed_over(const fs::path& folder) {
  const std::string name = folder.filename().string();
  if (std::find(kPassedOver.begin(), kPassedOver.end(), name) != kPassedOver.end()) return true;
  return std::any_of(kEnvironmentMarks.begin(), kEnvironmentMarks.end(),
                     [&](const char* mark) { return is_there(folder / mark); });
}

std::int64_t change_of(const struct stat& info) {
#ifdef __APPLE__
  const struct timespec& when = info.st_mtimespec;
#else
  const struct timespec& when = info.st_mtim;
#endif
  return static_cast<std::int64_t>(when.tv_sec) * 1'000'000'000 + when.tv_nsec;
}

}  // namespace

bool look_at(const fs::path& path, FoundFile& out) {
  struct stat info{};
  if (::stat(path.c_str(), &info) != 0 || !S_ISREG(info.st_mode)) return false;
  out = {path, static_cast<std::uint64_t>(info.st_size), change_of(info)};
  return true;
}

std::vector<FoundFile> walk_folder(const fs::path& folder,
                                   const std::function<bool(std::string_view)>& wanted,
                                   const std::function<void(const fs::path&, std::string)>& failed) {
  std::vector<FoundFile> found;
  std::vector<fs::path> open = {folder};
  while (!open.empty()) {
    const fs::path here = std::move(open.back());
    open.pop_back();
    std::error_code error;
    fs::directory_iterator it(here, error);
    for (; !error && it != fs::directory_iterator(); it.increment(error)) {
      // The folder says what each is, so that the file system is not asked again (symlink_status() does).
      std::error_code unknown;
      if (it->is_symlink(unknown) || unknown) continue;
      if (it->is_directory(unknown)) {
        if (!is_passed_over(it->path())) open.push_back(it->path());
      } else if (it->is_regular_file(unknown) && wanted(it->path().filename().native())) {
        FoundFile file;
        if (look_at(it->path(), file)) found.push_back(std::move(file));
      }
    }
    if (error) failed(here, error.message());
  }
  std::sort(found.begin(), found.end(),
            [](const FoundFile& a, const FoundFile& b) { return a.path.native() < b.path.native(); });
  return found;
}

bool is_notebook_name(std::string_view name) { return lower_ascii(name).ends_with(".ipynb"); }

bool is_python_name(std::string_view name) {
  return lower_ascii(name).ends_with(".py") || is_notebook_name(name);
}

std::string repository_of(const fs::path& folder, const fs::path& otherwise) {
  for (fs::path at = folder; !at.empty(); at = at.parent_path()) {
    if (is_there(at / ".git")) return at.string();
    if (at == at.parent_path()) break;
  }
  return otherwise.string();
}

}  // namespace seamark::usage
