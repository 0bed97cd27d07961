// Which targets are usable here, for `seamark targets`.
#pragma once

#include <string>
#include <vector>

#include "seamark/report/document/document.h"
#include "seamark/target/doctor.h"

namespace seamark::report {

// As a document or as JSON. `all`: the document has each target that is not usable; else a line for each
// environment and for each family of hardware.
[[nodiscard]] std::string render_targets(Format format, const std::vector<target::TargetStatus>& standings,
                                         bool all, const RenderOptions& options);

}  // namespace seamark::report
