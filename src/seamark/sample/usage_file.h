// A usage table as CSV: what ships in data/usage and what `seamark usage --format csv` writes. Untrusted.
#pragma once

#include <string>
#include <string_view>

#include "seamark/base/result.h"
#include "seamark/model/frameworks.h"
#include "seamark/model/usage.h"
#include "seamark/sample/sample_error.h"

namespace seamark::sample {

// Columns by their names, in any order: function, calls; and if they are there framework, tier (else
// resolved), references, files, repositories. Others are ignored. Without a framework column it is the
// name's root. `file` is named in errors and becomes the corpus. kBadTable.
Result<UsageTable> parse_usage_csv(std::string_view text, std::string_view file,
                                   const Frameworks& frameworks);

}  // namespace seamark::sample
