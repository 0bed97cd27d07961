// The usage of one corpus, for `seamark usage`.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "seamark/model/usage.h"
#include "seamark/model/usage_shard.h"
#include "seamark/report/document/document.h"
#include "seamark/store/usage_table.h"

namespace seamark::report {

struct UsageView {
  store::UsageCorpus corpus;
  UsageTable table;                // of the frameworks that were asked for
  std::vector<UsageLoss> losses;   // the first of them
  std::vector<UsageLoss> repairs;  // the first of them
};

// Of each framework the `top` functions, and as many of the other tiers apart.
[[nodiscard]] Document usage_document(const UsageView& view, std::size_t top);

// As a document of the `top` functions, JSON, or CSV: function,tier,calls,references,files,repositories.
[[nodiscard]] std::string render_usage(Format format, const UsageView& view, std::size_t top,
                                       const RenderOptions& options);

// "a.json.gz:17: what", safe for a terminal.
[[nodiscard]] std::string loss_line(const UsageLoss& loss);

}  // namespace seamark::report
