// Environments that Seamark made: CACHE/environments/NAME-HASH, one virtual environment each. A marker
// file, written last, says that it is whole.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "seamark/base/result.h"
#include "seamark/base/value.h"
#include "seamark/proc/signals.h"
#include "seamark/target/recipe.h"
#include "seamark/target/target_error.h"

namespace seamark::target {

struct Environment {
  std::string recipe;
  std::filesystem::path folder;
  std::string interpreter;  // absolute
  Value made;               // the marker's content: python, packages, seconds
};

struct InstallOptions {
  std::string python;  // the interpreter to build on; empty: searched on PATH
  proc::Signals* signals = nullptr;
  // A step ("making the virtual environment ..."), or a line of pip's own.
  std::function<void(std::string_view text, bool is_step)> on_progress;
};

class Environments {
 public:
  // `root` is CACHE/environments; made when something is installed.
  explicit Environments(std::filesystem::path root) : root_(std::move(root)) {}

  [[nodiscard]] std::filesystem::path folder_of(const Recipe& recipe) const;
  // Whole, and its interpreter still there; nullopt otherwise.
  [[nodiscard]] std::optional<Environment> installed(const Recipe& recipe) const;
  // Makes it, or says what is there. An unfinished one is gone on with. Nothing is ever installed
  // outside it. kUnsupported, kNoPython, kRefused, kInstallFailed, kBusy, kInterrupted.
  Result<Environment> install(const Recipe& recipe, const InstallOptions& options) const;

 private:
  std::filesystem::path root_;
};

}  // namespace seamark::target
