// Which targets are usable here, for `seamark targets`.
#pragma once

#include <string>
#include <vector>

#include "seamark/report/document/document.h"
#include "seamark/target/doctor.h"

namespace seamark::report {

// As a document or as JSON.
[[nodiscard]] std::string render_targets(Format format, const std::vector<target::TargetStatus>& standings,
                                         const RenderOptions& options);

}  // namespace seamark::report
