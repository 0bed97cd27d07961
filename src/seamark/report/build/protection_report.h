// What protects this machine from cases, for `seamark targets --doctor`.
#pragma once

#include <string>
#include <vector>

#include "seamark/model/format.h"
#include "seamark/report/render/render_options.h"
#include "seamark/target/protection.h"

namespace seamark::report {

// As a document or as JSON.
[[nodiscard]] std::string render_protection(Format format, const std::vector<target::Safeguard>& safeguards,
                                            const RenderOptions& options);

}  // namespace seamark::report
