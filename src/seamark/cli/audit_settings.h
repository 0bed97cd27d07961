// What `seamark audit` is told: by flags, else by [tool.seamark] of the project's pyproject.toml.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "seamark/audit/audit_report.h"
#include "seamark/base/result.h"
#include "seamark/cli/context.h"

namespace seamark::cli {

struct AuditSettings {
  std::string to;
  std::string from;
  std::vector<std::string> ignore;   // ids of rules, names of functions
  std::vector<std::string> exclude;  // globs of paths
  std::string fail_on;               // error, warning, note, none; empty: error
  std::string baseline;              // empty: none

  [[nodiscard]] std::optional<audit::Level> level() const;  // nullopt: nothing fails
};

// `given` with what the nearest pyproject.toml at or above `path` says besides; lists are joined. None of its
// keys names anything that is executed. kUsage, kBadField.
Result<AuditSettings> audit_settings(const Context& context, AuditSettings given,
                                     const std::filesystem::path& path);

}  // namespace seamark::cli
