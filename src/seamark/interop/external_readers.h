// One reader per form of external tests. Untrusted: a file that is not of the form is kBadInput with file and
// place, an entry that cannot be read is a loss. `file` names the file in messages.
#pragma once

#include <string_view>

#include "seamark/base/result.h"
#include "seamark/interop/external.h"
#include "seamark/interop/import_rules.h"

namespace seamark::interop {

Result<ExternalFile> read_pytest_json(std::string_view text, std::string_view file, const ImportRules& rules);
Result<ExternalFile> read_timings(std::string_view text, std::string_view file);
// No document type, hence no entities beyond XML's own; at most 64 elements deep.
Result<ExternalFile> read_junit(std::string_view text, std::string_view file, const ImportRules& rules);

}  // namespace seamark::interop
