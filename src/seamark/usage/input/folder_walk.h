// The files of Python in a folder.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace seamark::usage {

struct FoundFile {
  std::filesystem::path path;
  std::uint64_t bytes = 0;
  std::int64_t changed_ns = 0;  // time of its last change
};

// Size and time of change; false: it is not there, or no regular file.
bool look_at(const std::filesystem::path& path, FoundFile& out);

// Regular files whose names `wanted` takes, sorted by path. Symbolic links are not followed, so that nothing
// counts twice and no loop is entered; virtual environments, version control, caches and node_modules below
// the folder are passed over. What cannot be entered is told to `failed`, with the reason.
std::vector<FoundFile> walk_folder(
    const std::filesystem::path& folder, const std::function<bool(std::string_view)>& wanted,
    const std::function<void(const std::filesystem::path&, std::string)>& failed);

// .py and .ipynb, whatever the case.
[[nodiscard]] bool is_python_name(std::string_view name);
[[nodiscard]] bool is_notebook_name(std::string_view name);

// The nearest folder at or above `folder` that a version control system keeps (.git, a file or a folder);
// `otherwise` where there is none.
[[nodiscard]] std::string repository_of(const std::filesystem::path& folder,
                                        const std::filesystem::path& otherwise);

}  // namespace seamark::usage
