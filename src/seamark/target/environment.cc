#include "seamark/target/environment.h"

#include <fmt/format.h>

#include "seamark/base/fd.h"
#include "seamark/proc/poll_loop.h"
#include "seamark/target/installation.h"
#include "seamark/target/python_search.h"

namespace seamark::target {
namespace {

constexpr double kLockPollSeconds = 0.5;

}  // namespace

std::filesystem::path Environments::folder_of(const Recipe& recipe) const {
  return root_ / fmt::format("{}-{}", recipe.name, recipe.hash());
}

std::optional<Environment> Environments::installed(const Recipe& recipe) const {
  const std::filesystem::path folder = folder_of(recipe);
  const Result<std::string> text = read_file(folder / kMarkerFile, std::size_t{1} << 20);
  if (!text) return std::nullopt;
  Result<Value> made = parse_json(*text);
  if (!made || made->string_or("hash", "") != recipe.hash()) return std::nullopt;
  const std::optional<std::string> interpreter = find_program((folder / "bin" / "python").native());
  if (!interpreter) return std::nullopt;
  return Environment{recipe.name, folder, *interpreter, std::move(made.value())};
}

Result<Environment> Environments::install(const Recipe& recipe, const InstallOptions& options) const {
  if (Status made = make_directories(root_); !made) {
    return Error(TargetError::kInstallFailed, made.error().message(),
                 "set SEAMARK_CACHE to a folder of yours");
  }
  const std::filesystem::path lock_file = folder_of(recipe).native() + ".lock";
  Result<FileLock> lock = FileLock::try_acquire(lock_file);
  if (!lock && lock.error().is(IoError::kLocked) && options.on_progress) {
    options.on_progress(fmt::format("waiting: {}", lock.error().message()), true);
  }
  proc::PollLoop pause(options.signals);
  while (!lock && lock.error().is(IoError::kLocked)) {
    if (options.signals != nullptr && options.signals->interrupts() > 0) {
      return Error(TargetError::kBusy, fmt::format("another process installs '{}'", recipe.name));
    }
    (void)pause.wait(kLockPollSeconds);
    lock = FileLock::try_acquire(lock_file);
  }
  if (!lock) return Error(TargetError::kInstallFailed, lock.error().message());
  if (std::optional<Environment> there = installed(recipe)) return *there;
  if (Status made = Installation(recipe, folder_of(recipe), options).run(); !made) return made.error();
  if (std::optional<Environment> there = installed(recipe)) return *there;
  return Error(TargetError::kInstallFailed,
               fmt::format("{} was made, but its interpreter does not run", folder_of(recipe).native()),
               "remove the folder and install again");
}

}  // namespace seamark::target
