// What an audit found, rewritten by the helper process: `seamark audit --fix`.
#pragma once

#include <string>

#include "seamark/audit/audit_report.h"
#include "seamark/base/result.h"
#include "seamark/cli/context.h"

namespace seamark::cli {

struct FixOptions {
  bool unsafe = false;       // what may change the old device's result too
  bool write = false;        // else the changes are shown alone
  bool allow_dirty = false;  // files that git does not have as they are
};

struct Fixes {
  std::string diff;     // of every file that changes
  std::string summary;  // lines: what is done, what stays and why
};

// Of the items that are of a rule and not suppressed. kEnvironment: there is no LibCST, or the helper failed.
// kUsage: what would be written over is not committed; nothing is written then.
Result<Fixes> apply_fixes(const Context& context, const audit::Audit& audit, const FixOptions& options);

}  // namespace seamark::cli
