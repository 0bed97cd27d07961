// What `seamark sample` prints.
#pragma once

#include <string>

#include "seamark/model/sample.h"
#include "seamark/report/render_options.h"

namespace seamark::cli {

[[nodiscard]] std::string sample_text(const Sample& sample, const report::RenderOptions& options);
[[nodiscard]] std::string sample_json(const Sample& sample);
// One row per function of the record, overlaps and exclusions too.
[[nodiscard]] std::string sample_csv(const Sample& sample);

}  // namespace seamark::cli
